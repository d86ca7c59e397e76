package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// bind gives the declarations of one party their values from its table, where the coding of levels is known:
// the table must have those that the party owns, and may have shared ones. All of the party's declarations
// must be in one call, since `*` means the columns that no other declaration binds. The bindings are complete
// when the list has no errors. Sizes, Bound.Dims, are not compared between declarations here.
func bind(v View, wants []Want, list *diag.List) Bindings {
	out := Bindings{}
	b := binder{view: v, wants: wants, list: list}
	for _, w := range wants {
		if w.Owner == OwnerShared && !b.has(w) {
			continue
		}
		if bound := b.bind(w); bound != nil {
			out[w.Name] = bound
		}
	}
	return out
}

type binder struct {
	view  View
	wants []Want
	list  *diag.List
}

// source returns the `from` clause of a declaration: as written, or the default.
func (b *binder) source(w Want) []FromItem {
	if w.From != nil {
		return w.From
	}
	if !b.view.Document && w.Rank == 2 {
		return []FromItem{{Star: true}}
	}
	return []FromItem{{Columns: []string{w.Name}}}
}

func starred(from []FromItem) bool {
	return slices.ContainsFunc(from, func(c FromItem) bool { return c.Star })
}

// named lists the columns that a declaration names.
func (b *binder) named(w Want) []string {
	var out []string
	for _, c := range b.source(w) {
		out = append(out, c.Columns...)
	}
	return out
}

// has reports whether the table holds shared data: every column that the declaration names, and some for `*`.
func (b *binder) has(w Want) bool {
	if !b.view.Document && (w.Rank == 0 || w.Rank > 2) {
		return false
	}
	for _, name := range b.named(w) {
		if _, ok := b.view.Array(name); !ok {
			return false
		}
	}
	return !starred(b.source(w)) || (len(b.rest()) > 0 && len(b.rivals(w)) == 0)
}

// rest lists the columns that no declaration names, without the key.
func (b *binder) rest() []string {
	taken := map[string]bool{b.view.Key: true}
	for _, w := range b.wants {
		for _, name := range b.named(w) {
			taken[name] = true
		}
	}
	return slices.DeleteFunc(b.view.names(), func(name string) bool { return taken[name] })
}

// rivals lists other declarations that claim the same columns with `*`. Data that a party owns take
// precedence over shared data, which another table may hold.
func (b *binder) rivals(w Want) []string {
	var out []string
	for _, o := range b.wants {
		if o.Name != w.Name && starred(b.source(o)) && (w.Owner == OwnerShared || o.Owner != OwnerShared) {
			out = append(out, o.Name)
		}
	}
	return out
}

// bind makes one value, or reports why not and returns nil.
func (b *binder) bind(w Want) *BoundValue {
	if !b.view.Document && (w.Rank == 0 || w.Rank > 2) {
		fail(b.list, diag.DataShape, place(b.view.Name, 1), "%s: a CSV has vectors and matrices, not %s; %s",
			w.Name, rankWords(w.Rank), jsonHint(w))
		return nil
	}
	r := Recipe{Name: w.Name, Elem: w.Elem.String(), Rank: w.Rank, Levels: w.Levels, Impute: w.Impute,
		Lower: w.Lower, Upper: w.Upper}
	ok := true
	for _, c := range b.source(w) {
		fitted, good := b.item(w, c)
		r.Encoders, ok = append(r.Encoders, fitted...), ok && good
	}
	if !ok {
		return nil
	}
	return r.apply(b.view, b.list)
}

func rankWords(rank int) string {
	if rank == 0 {
		return "a scalar"
	}
	return fmt.Sprintf("an array of %d dimensions", rank)
}

// jsonHint is the advice for data that a CSV cannot hold.
func jsonHint(w Want) string {
	hint := "declare it @ shared and give it in a Stan-JSON file (--data shared=FILE.json)"
	if w.Owner == OwnerShared {
		hint = "give it in a Stan-JSON file (--data shared=FILE.json)"
	}
	if w.Rank == 0 {
		hint += ", or write const " + w.Name + " = …"
	}
	return hint
}

// item fits one item of a `from` clause.
func (b *binder) item(w Want, c FromItem) ([]Fitted, bool) {
	columns := c.Columns
	if c.Star {
		if columns = b.star(w); columns == nil {
			return nil, false
		}
	}
	f, ok := b.encoder(w, c)
	if !ok {
		return nil, false
	}
	if e, encoded := encoderNamed(c.Encoder); encoded && !e.Each() {
		f.Second, columns = columns[1], columns[:1]
	}
	var out []Fitted
	for _, name := range columns {
		f.Column = name
		fitted, good := b.fit(f, w)
		out, ok = append(out, fitted), ok && good
	}
	return out, ok
}

// star lists the columns of `*`, or reports that there are none.
func (b *binder) star(w Want) []string {
	at := place(b.view.Name, 1)
	if b.view.Document {
		fail(b.list, diag.BadStar, at,
			"%s: * needs a table with columns, but this is a document; name its entries", w.Name)
		return nil
	}
	rest := b.rest()
	// reported once, at the later one
	if rivals := b.rivals(w); len(rivals) > 0 && b.declaredBefore(rivals[0], w.Name) {
		fail(b.list, diag.BadStar, at,
			"%s: %s already uses all columns that no other declaration binds; name the columns with from",
			w.Name, rivals[0])
		return nil
	}
	if len(rest) == 0 {
		fail(b.list, diag.BadStar, at,
			"%s: no column is left; each is the key or bound by another declaration (columns: %s)", w.Name,
			listed(b.view.names()))
		return nil
	}
	for _, name := range rest {
		if a, _ := b.view.Array(name); b.view.Key == "" && a.numbersRows() {
			warn(b.list, diag.KeyAsCovariate, place(b.view.Name, a.line),
				"column %s: %s takes it as a covariate, but it seems to number the rows; name the columns "+
					"of %s with from, or join the rows with --key %s", name, w.Name, w.Name, name)
		}
	}
	return rest
}

// fewest rows for which consecutive numbers are no accident.
const fewestNumbered = 3

// numbersRows reports whether a column seems to be a key: it has consecutive whole numbers, each once.
func (a *Array) numbersRows() bool {
	n := a.Len()
	if a.Words != nil || n < fewestNumbered {
		return false
	}
	least, seen := slices.Min(a.Numbers), make([]bool, n)
	for _, v := range a.Numbers {
		if k := v - least; k != math.Trunc(k) || k >= float64(n) || seen[int(k)] {
			return false
		}
		seen[int(v-least)] = true
	}
	return true
}

func (b *binder) declaredBefore(first, second string) bool {
	at := func(name string) int {
		return slices.IndexFunc(b.wants, func(w Want) bool { return w.Name == name })
	}
	return at(first) < at(second)
}

// encoder checks how an encoder is called and returns it before fitting.
func (b *binder) encoder(w Want, c FromItem) (Fitted, bool) {
	bad := func(format string, args ...any) (Fitted, bool) {
		fail(b.list, diag.BadEncoder, place(b.view.Name, 1), w.Name+": "+format, args...)
		return Fitted{}, false
	}
	if c.Encoder == "" {
		if w.Elem == types.Level {
			return Fitted{Encoder: levels}, true
		}
		return Fitted{Encoder: plain, Elem: w.Elem.String()}, true
	}
	e, ok := encoderNamed(c.Encoder)
	f := Fitted{Encoder: c.Encoder}
	switch {
	case !ok:
		return bad("there is no encoder %s%s (encoders: %s)", c.Encoder,
			suggestion(c.Encoder, encoderNames()), strings.Join(encoderNames(), ", "))
	case w.Elem == types.Level || (!e.Whole && w.Elem != types.Real):
		return bad("%s does not give values of type %s; declare it real", c.Encoder, w.Elem)
	}
	var named [][2]string
	for _, o := range c.Options {
		named = append(named, [2]string{o.Name, o.Value})
	}
	count := len(c.Columns)
	if c.Star {
		count = 1
	}
	options, err := e.Settings(count, c.Further, named)
	if err != nil {
		return bad("%v", err)
	}
	f.Options = options
	return f, true
}

// find returns a column of the table, or reports that it is missing or not usable.
func (v View) find(name string, list *diag.List) (column, bool) {
	a, ok := v.Array(name)
	switch {
	case !ok:
		others := slices.DeleteFunc(v.names(), func(n string) bool { return n == v.Key })
		fail(list, diag.NoColumn, place(v.Name, 1), "%s %s: not in this file%s (it has: %s)", v.noun(), name,
			suggestion(name, others), listed(v.names()))
		return column{}, false
	case a.problem != "":
		fail(list, diag.BadJSON, place(v.Name, a.line), "entry %s: %s", name, a.problem)
		return column{}, false
	case v.apart > 0 && len(a.Dims) > 0 && a.Dims[0] == v.apart:
		fail(list, diag.BadKey, place(v.Name, a.line),
			"entry %s: has one value per row, but the rows are joined on %s, and this file "+
				"has no entry %s; add one", name, v.Key, v.Key)
		return column{}, false
	case a.Len() == 0:
		fail(list, diag.EmptyTable, place(v.Name, a.line), "entry %s: holds no values", name)
		return column{}, false
	}
	return column{v, a}, true
}

func (b *binder) fit(f Fitted, w Want) (Fitted, bool) {
	c, ok := b.view.columns(f, b.list)
	if !ok {
		return f, false
	}
	return f, f.fit(c, w, b.list)
}

// columns finds the columns that an encoder reads.
func (v View) columns(f Fitted, list *diag.List) ([]column, bool) {
	var out []column
	for _, name := range f.columns() {
		c, ok := v.find(name, list)
		if !ok {
			return nil, false
		}
		out = append(out, c)
	}
	if last := out[len(out)-1]; last.array.Len() != out[0].array.Len() { // entries of a document may differ
		last.fail(list, issue{diag.DataShape, fmt.Sprintf("has %s, but %s, which %s combines it with, has %d",
			grouped.Count(last.array.Len(), "value"), f.Column, f.Encoder, out[0].array.Len())})
		return nil, false
	}
	return out, true
}
