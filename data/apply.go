package data

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// Fresh is the categories of a size of levels that a run did not see: words, in byte order, which get the
// codes behind those of the run, or whole numbers up to Count, which are codes.
type Fresh struct {
	Words []string
	Count int // of all categories, old and new
}

// Fresh finds the categories of levels that a run did not see, by the size that counts them; had are the
// numbers that it saw. Sizes that the model gives by itself are not among them.
func (d *Dataset) Fresh(wants []Want, recipes map[string][]Recipe, had map[string]int) map[string]Fresh {
	groups := map[string][]levelColumn{}
	coded := map[string]*Fitted{}
	for _, h := range d.holders() {
		mine := h.wants(wants)
		b := binder{view: h.View, wants: mine}
		for i := range mine {
			w := &mine[i]
			r, ok := recipeOf(w.Name, h.Party, recipes)
			if !ok || w.Elem != types.Level || w.Level.Own || had[w.Level.Name] == 0 || w.Coding != nil ||
				len(r.Encoders) == 0 {
				continue
			}
			groups[w.Level.Name] = append(groups[w.Level.Name], b.levelColumns(h, w)...)
			coded[w.Level.Name] = &r.Encoders[0]
		}
	}
	out := map[string]Fresh{}
	for size, columns := range groups {
		f := fresh(columns, coded[size], had[size])
		if f.Count > had[size] {
			out[size] = f
		}
	}
	return out
}

// fresh finds the new categories of one size. Shared columns decide where there are any, as they did in the
// run.
func fresh(columns []levelColumn, run *Fitted, had int) Fresh {
	f := Fresh{Count: had}
	shared := slices.ContainsFunc(columns, func(c levelColumn) bool { return c.want.Owner == OwnerShared })
	for _, c := range columns {
		if shared && c.want.Owner != OwnerShared {
			continue
		}
		if run.Words == nil {
			for _, v := range c.column.array.Numbers {
				if v > float64(f.Count) && v == math.Trunc(v) && v < maxWhole {
					f.Count = int(v)
				}
			}
			continue
		}
		words := slices.Clone(c.words)
		if c.column.array.Words == nil {
			words = c.column.asWords().Words
		}
		for k, code := range run.codes(words) {
			if code == 0 && !blankWord(words[k]) {
				f.Words = append(f.Words, norm.NFC.String(words[k]))
			}
		}
	}
	slices.Sort(f.Words)
	f.Words = slices.Compact(f.Words)
	f.Count += len(f.Words)
	return f
}

// Apply is Bind for new rows: it gives every declaration its value with the encoders that a run has fitted,
// by party. A category that the run did not see is an error, unless its encoder has a place for it, or it is
// among those that are fresh.
func (d *Dataset) Apply(wants []Want, recipes map[string][]Recipe,
	fresh map[string]Fresh) (map[string]Bindings, diag.List) {
	return d.bindBy(wants, func(list *diag.List) func(*Holder) Bindings {
		return func(h *Holder) Bindings {
			out := Bindings{}
			for _, w := range h.wants(wants) {
				r, ok := recipeOf(w.Name, h.Party, recipes)
				if !ok || w.Owner == OwnerShared && !r.in(h.View) {
					continue
				}
				if r.Levels == 0 {
					r.Levels = w.Levels
				}
				if f, ok := fresh[w.Level.Name]; ok && w.Elem == types.Level && !w.Level.Own {
					r = r.extended(f)
				}
				if bound := r.apply(h.View, list); bound != nil {
					bound.Levels = max(bound.Levels, r.Levels)
					out[w.Name] = bound
				}
			}
			return out
		}
	})
}

// extended is the recipe of a level with new categories.
func (r Recipe) extended(f Fresh) Recipe {
	r.Levels, r.Encoders = f.Count, slices.Clone(r.Encoders)
	for k := range r.Encoders {
		if e := &r.Encoders[k]; e.Words != nil {
			e.Words = append(slices.Clone(e.Words), f.Words...)
		}
	}
	return r
}

// recipeOf finds the recipe of a declaration: the party's own, or any party's of shared data.
func recipeOf(name, party string, recipes map[string][]Recipe) (Recipe, bool) {
	for _, r := range recipes[party] {
		if r.Name == name {
			return r, true
		}
	}
	for _, list := range recipes {
		for _, r := range list {
			if r.Name == name {
				return r, true
			}
		}
	}
	return Recipe{}, false
}

// in reports whether a table has all columns of a recipe.
func (r Recipe) in(v View) bool {
	for _, f := range r.Encoders {
		for _, name := range f.columns() {
			if _, ok := v.Array(name); !ok {
				return false
			}
		}
	}
	return true
}

// RowKeys returns the keys of rows as they are written, where some table of so many rows has keys, and the
// name of their column; nil where none has. The table is one of the owners given, of any where none is:
// tables from which nothing is read may hold other rows.
func (d *Dataset) RowKeys(rows int, owners ...string) (name string, keys []string) {
	for _, h := range d.holders() {
		if len(owners) > 0 && !slices.Contains(owners, cmp.Or(h.Family, h.Party)) {
			continue
		}
		k, ok := h.View.Array(h.View.Key)
		if !ok || len(k.Dims) != 1 || k.Len() != rows {
			continue
		}
		for i := range rows {
			keys = append(keys, strings.TrimSpace(column{h.View, k}.text(i)))
		}
		return h.View.Key, keys
	}
	return "", nil
}
