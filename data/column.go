package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/encoder"
)

// A column is an array in the view of a party.
type column struct {
	view  View
	array *Array
}

func (c column) byRow() bool { return c.view.byRow(c.array) }

// index returns where the i-th cell is in the file.
func (c column) index(i int) int {
	if c.view.order == nil || !c.byRow() {
		return i
	}
	k := c.array.stride()
	return int(c.view.order[i/k])*k + i%k
}

// lineNumber is the line of the i-th cell in the file, and line its place for messages.
func (c column) lineNumber(i int) int { return c.array.lines.at(c.index(i)) }

func (c column) line(i int) string { return place(c.view.Name, c.lineNumber(i)) }

// text is the i-th cell as it is written in the file.
func (c column) text(i int) string {
	a := c.array
	if !a.Missing(i) {
		switch {
		case a.Words != nil:
			return a.Words[a.Codes[i]]
		case a.serial:
			return strconv.FormatInt(int64(a.Numbers[i]), 10)
		}
	}
	if a.texts == nil {
		a.texts, _ = c.texts()
	}
	switch {
	case a.texts != nil:
		return a.texts[c.index(i)]
	case a.Missing(i):
		return ""
	}
	return written(a.Numbers[i])
}

// texts returns the cells as they are written, in the order of the file.
func (c column) texts() ([]string, error) {
	a, t := c.array, c.view.Table
	if a.Words != nil && t.order == nil && !slices.Contains(a.Codes, -1) {
		out := make([]string, len(a.Codes))
		for i, code := range a.Codes {
			out[i] = a.Words[code]
		}
		return out, nil
	}
	out, err := t.reader.Texts(a.Name)
	left := 0
	if c.byRow() {
		left = t.left * a.stride()
	}
	if err == nil && len(out) != a.Len()+left {
		err = errors.New("the file has changed since it was read")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// key quotes the key of a row for a message, where there is one and the column is not the key itself.
func (v View) key(row int) string {
	if k, ok := v.Array(v.Key); ok && len(k.Dims) == 1 && row < k.Len() {
		return fmt.Sprintf(" (%s %s)", v.Key, column{v, k}.text(row))
	}
	return ""
}

// faults collects the faulty cells of one column, and reports the first in full and the number of the others.
// A cell is added once.
type faults struct {
	list *diag.List
	col  column
	word string // follows the issue of a word in a column of numbers
	gap  string // follows the issue of a missing cell
	part string // follows the issue of a number that is not whole
	// imputed is true where missing cells are none: their places are kept. imputable is true where they could
	// be, if the model said so.
	imputed, imputable bool
	count              int
	cell               int // the first
	issue              func(text string) issue
}

// ask adds a faulty cell. The function gets the text of the cell and returns its issue; it is called only for
// the first cell.
func (f *faults) ask(i int, is func(text string) issue) {
	if f.imputed && f.col.array.Missing(i) {
		return
	}
	if f.count++; f.count == 1 || i < f.cell {
		f.cell, f.issue = i, is
	}
}

// add adds a faulty cell whose issue is known.
func (f *faults) add(i int, is issue) { f.ask(i, func(string) issue { return is }) }

// done reports the faults as diagnostics, and returns true if there were none.
func (f *faults) done() bool {
	if f.count == 0 {
		return true
	}
	c, key := f.col, ""
	if c.byRow() && c.array.Name != c.view.Key {
		key = c.view.key(f.cell / c.array.stride())
	}
	text := c.text(f.cell)
	is := f.issue(text)
	switch {
	case is.code == diag.NotNumber:
		is.text += f.word
	case is.code == diag.NotWhole:
		is.text += "; correct it" + f.part
	case is.code == diag.MissingCell:
		is.text += f.waysOut() + f.gap
	case is.code == diag.NotBinary && c.array.Words != nil && !c.view.Document:
		is.text += fmt.Sprintf("; say which word is the 1: from %s(%s, \"WORD\") gives 1 "+
			"for it and 0 for others", encoder.Is().Name, c.array.Name)
	case !is.bad():
		is = issue{diag.Unreadable, "differs from what was read before: the file has changed"}
	}
	fail(f.list, is.code, c.line(f.cell), "%s %s: %q %s%s%s", c.view.noun(), c.array.Name, text, is.text, key,
		more(f.count-1, "cell"))
	return false
}

// waysOut says what can be done about a missing cell.
func (f *faults) waysOut() string {
	var ways []string
	if !f.col.view.Document {
		ways = append(ways, "`missing drop`, which leaves the row out at every party")
	}
	if f.imputable {
		ways = append(ways, "`missing impute ~ DIST(…)`, which makes the cell a parameter")
	}
	if ways == nil {
		return ": fill it in"
	}
	return ": fill it in, or declare the data with " + strings.Join(ways, ", or with ")
}

// numbers returns the cells as numbers of an element type, NaN where one is faulty. If the column has such
// numbers, it returns them without a copy.
func (c column) numbers(elem types.Elem, bad *faults) []float64 {
	read := reading(elem)
	values := c.array.Numbers
	if c.array.Words != nil {
		values = c.array.parsed(read)
	}
	out, valid := values, admits(elem)
	why := func(text string) issue { _, is := read(text); return is }
	for i, v := range values {
		if valid(v) {
			continue
		}
		if &out[0] == &values[0] {
			out = slices.Clone(values)
		}
		out[i] = math.NaN()
		bad.ask(i, why)
	}
	return out
}

// parsed reads words as numbers, NaN where that fails.
func (a *Array) parsed(read func(string) (float64, issue)) []float64 {
	byCode := make([]float64, len(a.Words))
	for k, w := range a.Words {
		v, is := read(w)
		if is.bad() {
			v = math.NaN()
		}
		byCode[k] = v
	}
	out := make([]float64, len(a.Codes))
	for i, code := range a.Codes {
		out[i] = math.NaN()
		if code >= 0 {
			out[i] = byCode[code]
		}
	}
	return out
}

// categories returns the cells for an encoder of categories, and reports missing ones. known are the
// categories of a fitted encoder, or nil: where they are words, so are the cells.
func (c column) categories(known []string, bad *faults) def.Column {
	out := c.array.Column
	if c.array.Words == nil && !encoder.Numeric(known) {
		if texts, err := c.texts(); err == nil {
			out = c.worded(texts)
		}
	}
	why := func(text string) issue { _, is := number(text); return is }
	for i := range out.Len() {
		if out.Missing(i) {
			bad.ask(i, why)
		}
	}
	return out
}

// worded converts a column of numbers to words.
func (c column) worded(texts []string) def.Column {
	w := newWords(c.array.Name, c.array.Len())
	for i := range c.array.Len() {
		w.add([]byte(texts[c.index(i)]))
	}
	return w.column
}

// fail reports something about the column as a whole, at its name.
func (c column) fail(list *diag.List, is issue) {
	fail(list, is.code, place(c.view.Name, c.array.line), "%s %s: %s", c.view.noun(), c.array.Name, is.text)
}
