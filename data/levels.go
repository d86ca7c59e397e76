package data

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/encoder"
)

// Levels have one coding per size. A column of whole numbers is its own code. Any other column holds words,
// which are coded by the list of the model, else by the shared columns of the size, else by the union of the
// columns of the only party that has some. No words of one party are used at another.

// A levelColumn is a column of a level in a table.
type levelColumn struct {
	want   *Want
	holder *Holder
	column column
	words  []string // the distinct cells, without missing ones; normalised
	whole  bool     // all of them are whole numbers
	like   int      // cells that look like numbers
}

// name is how messages call the column.
func (c levelColumn) name() string {
	out := c.column.array.Name
	if c.holder.Party != "" {
		out += " of " + c.holder.Party
	}
	return out
}

// A coding is the categories of a size at a party, in the order of their codes; nil where whole numbers are
// the codes.
type coding []string

// codes finds the coding of every level that the tables hold, and returns the declarations of each table with
// it. alone is true where one party has all tables.
func codes(holders []*Holder, wants []Want, alone bool, list *diag.List) map[*Holder][]Want {
	out := map[*Holder][]Want{}
	groups := map[string][]levelColumn{}
	var order []string
	for _, h := range holders {
		mine := h.wants(wants)
		out[h] = mine
		b := binder{view: h.View, wants: mine}
		for i := range mine {
			columns := b.levelColumns(h, &mine[i])
			if len(columns) == 0 {
				continue
			}
			scope := mine[i].Level.scope(h)
			if groups[scope] == nil {
				order = append(order, scope)
			}
			groups[scope] = append(groups[scope], columns...)
		}
	}
	for _, scope := range order {
		g := levelGroup{columns: groups[scope], alone: alone, list: list}
		words := g.coding()
		for _, c := range g.columns {
			c.want.coding = words
			c.noteNumbers(list)
		}
	}
	return out
}

// scope names the columns that have one coding: those of the size in the whole model, or at one member.
func (s Size) scope(h *Holder) string {
	if s.Own {
		return s.Name + " of " + h.Party
	}
	return s.Name
}

// levelColumns reads the categories of the columns of a level that the table has.
func (b *binder) levelColumns(h *Holder, w *Want) []levelColumn {
	if w.Elem.Numeric() || w.Owner == OwnerShared && !b.has(*w) {
		return nil
	}
	names := b.named(*w)
	if starred(b.source(*w)) {
		names = append(names, b.rest()...)
	}
	var out []levelColumn
	for _, name := range names {
		if a, ok := b.view.Array(name); ok && a.problem == "" {
			c := levelColumn{want: w, holder: h, column: column{b.view, a}}
			c.read()
			out = append(out, c)
		}
	}
	return out
}

// read finds the distinct cells.
func (c *levelColumn) read() {
	in := c.column.array.Column
	if in.Words == nil {
		c.whole = !slices.ContainsFunc(in.Numbers, func(v float64) bool { return v != math.Trunc(v) })
		if c.whole || !slices.ContainsFunc(in.Numbers, func(v float64) bool { return !math.IsNaN(v) }) {
			c.whole = true
			return
		}
		in = c.column.asWords()
	}
	cells := make([]int, len(in.Words))
	for _, code := range in.Codes {
		if code >= 0 {
			cells[code]++
		}
	}
	c.whole = true
	for k, w := range in.Words {
		if blankWord(w) || cells[k] == 0 {
			continue
		}
		v, number := encoder.Number(w)
		if number {
			c.like += cells[k]
		}
		c.whole = c.whole && number && v == math.Trunc(v)
		c.words = append(c.words, norm.NFC.String(w))
	}
}

// blankWord reports whether a word is a missing value of a level.
func blankWord(word string) bool {
	word = strings.TrimSpace(word)
	return word == "" || strings.EqualFold(word, "nan")
}

// noteNumbers warns of cells that look like numbers in a column of words.
func (c levelColumn) noteNumbers(list *diag.List) {
	if c.whole || c.like == 0 || c.want.coding == nil {
		return
	}
	warn(list, diag.NumbersAsWords, place(c.column.view.Name, c.column.array.line),
		"%s %s: %s like a number, but other cells do not look like whole numbers: all are "+
			"words, and each is a category",
		c.column.view.noun(), c.column.array.Name, strings.Replace(grouped.Count(c.like, "cell")+" looks",
			"cells looks", "cells look", 1))
}

// A levelGroup is the columns that have one coding.
type levelGroup struct {
	columns []levelColumn
	alone   bool
	list    *diag.List
}

// coding decides by the list of the model, by who has words, and at one party by the words. It is nil also
// where there is an error.
func (g levelGroup) coding() coding {
	var whole, words []levelColumn
	for _, c := range g.columns {
		if c.whole {
			whole = append(whole, c)
		} else {
			words = append(words, c)
		}
	}
	listed := g.columns[0].want.Coding
	switch {
	case slices.ContainsFunc(listed, isWhole):
		return listed
	case len(words) == 0:
		return nil
	case len(whole) > 0:
		g.fail(words[0], diag.MixedLevels,
			"holds words, but %s of the same size level(%s) %s whole numbers, which are codes themselves; "+
				"write words everywhere, or give the columns sizes of their own",
			columnNames(whole), g.size(), verb(whole, "holds", "hold"))
		return nil
	case listed != nil:
		return listed
	}
	return g.union(words)
}

func isWhole(word string) bool {
	v, ok := encoder.Number(word)
	return ok && v == math.Trunc(v)
}

// union is the categories of the columns of words that decide the coding.
func (g levelGroup) union(words []levelColumn) coding {
	var shared []levelColumn
	parties := map[string]bool{}
	for _, c := range words {
		if c.want.Owner == OwnerShared {
			shared = append(shared, c)
		} else {
			parties[c.holder.Party] = true
		}
	}
	deciding := words
	switch {
	case g.alone:
	case len(shared) > 0:
		deciding = shared
	case len(parties) > 1:
		g.fail(words[0], diag.NoCoding,
			"holds words, and so do other columns of level(%s): %s; parties do not compare their "+
				"categories, so the model lists them, as levels %s = \"A\", \"B\", or one of the columns "+
				"is @ shared, or each has a size of its own",
			g.size(), columnNames(words[1:]), g.listName())
		return nil
	}
	var out coding
	for _, c := range deciding {
		out = append(out, c.words...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if n := words[0].want.Levels; n > 0 && len(out) > n && len(words) > 1 {
		g.fail(words[0], diag.OutOfRange,
			"the words of level(%d) have more than %s, together with those of the other "+
				"columns of this size: %s", n, grouped.Count(n, "category"), columnNames(words))
		return nil
	}
	return out
}

func (g levelGroup) size() string { return g.columns[0].want.Level.Name }

// listName is a name that a list of categories can have.
func (g levelGroup) listName() string {
	if g.columns[0].want.Levels > 0 && g.columns[0].want.Coding == nil {
		return "R"
	}
	return g.size()
}

func (g levelGroup) fail(c levelColumn, code diag.Code, format string, args ...any) {
	fail(g.list, code, place(c.column.view.Name, c.column.array.line), c.column.view.noun()+" "+c.name()+": "+
		format, args...)
}

func columnNames(columns []levelColumn) string {
	var out []string
	for _, c := range columns {
		out = append(out, c.name())
	}
	return listed(out)
}

func verb(columns []levelColumn, one, several string) string {
	if len(columns) == 1 {
		return one
	}
	return several
}

// asWords returns the cells as words, those of a column of numbers as they are written.
func (c column) asWords() def.Column {
	if c.array.Words == nil {
		if texts, err := c.texts(); err == nil {
			return c.worded(texts)
		}
	}
	return c.array.Column
}

// fitLevels keeps the coding of a level. The cells of a level without one are codes.
func (f *Fitted) fitLevels(words coding, c column, list *diag.List) bool {
	if f.Words = words; words != nil {
		return true
	}
	bad := &faults{list: list, col: c}
	c.numbers(types.Level, bad)
	return bad.done()
}

// encodeLevels writes the codes of words. A whole number that is not listed as it is written has the code of
// its value.
func (f *Fitted) encodeLevels(c column, out []float64, bad *faults) {
	in := c.asWords()
	if in.Words == nil { // the file has changed
		for i := range out {
			out[i] = math.NaN()
			bad.add(i, issue{})
		}
		return
	}
	byWord := f.codes(in.Words)
	for i, k := range in.Codes {
		switch {
		case k < 0 || blankWord(in.Words[k]) && byWord[k] == 0:
			out[i] = math.NaN()
			bad.ask(i, missingCategory)
		case byWord[k] == 0:
			out[i] = math.NaN()
			bad.add(i, issue{diag.NewCategory, "is not a category of this level (" + listed(f.Words) + ")"})
		default:
			out[i] = byWord[k]
		}
	}
}

// codes returns the code of each word, 0 for one without.
func (f *Fitted) codes(words []string) []float64 {
	code, ofValue := map[string]float64{}, map[float64]float64{}
	for k, w := range f.Words {
		code[norm.NFC.String(w)] = float64(k + 1)
		if v, ok := encoder.Number(w); ok && v == math.Trunc(v) {
			ofValue[v] = float64(k + 1)
		}
	}
	out := make([]float64, len(words))
	for k, w := range words {
		out[k] = code[norm.NFC.String(w)]
		if v, ok := encoder.Number(w); out[k] == 0 && ok {
			out[k] = ofValue[v]
		}
	}
	return out
}

func missingCategory(string) issue {
	is, _ := missing("")
	return is
}
