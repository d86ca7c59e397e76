package data

import (
	"fmt"

	"github.com/vflc/vflc/lang/diag"
)

// A column is an array whose rows are seen in the order of a view.
type column struct {
	view  View
	array *Array
}

// stride is how many cells one row has: more than one in arrays of several dimensions.
func (c column) stride() int {
	n := 1
	for _, d := range c.array.Dims[min(1, len(c.array.Dims)):] {
		n *= d
	}
	return n
}

// byRow reports whether the first dimension runs over the rows of the view.
func (c column) byRow() bool {
	if c.view.CSV {
		return true
	}
	return c.view.Rows != nil && len(c.array.Dims) > 0 && c.array.Dims[0] == len(c.view.Rows)
}

func (c column) len() int { return len(c.array.Cells) }

// index returns where the i-th cell of the view is in the array.
func (c column) index(i int) int {
	if c.view.Rows == nil || !c.byRow() {
		return i
	}
	k := c.stride()
	return c.view.Rows[i/k]*k + i%k
}

func (c column) cell(i int) string { return c.array.Cells[c.index(i)] }

// row is the row of the table that the i-th cell belongs to.
func (c column) row(i int) int { return c.index(i) / c.stride() }

// key quotes the key of a row for a message, where there is one and the column is not the key itself.
func (v View) key(row int) string {
	if k, ok := v.Array(v.Key); ok && row < len(k.Cells) && len(k.Dims) == 1 {
		return fmt.Sprintf(" (%s %s)", v.Key, k.Cells[row])
	}
	return ""
}

// faults reports what is wrong with the cells of one column: the first in full, the others as a number, never a wall of text.
type faults struct {
	list  *diag.List
	col   column
	first *diag.Diagnostic
	extra int
}

func (f *faults) add(i int, is issue) {
	if f.first != nil {
		f.extra++
		return
	}
	at := f.col.index(i)
	key := ""
	if f.col.byRow() && f.col.array.Name != f.col.view.Key {
		key = f.col.view.key(f.col.row(i))
	}
	f.first = fail(f.list, is.code, place(f.col.view.Name, f.col.array.lines[at]), "%s %s: %q %s%s",
		f.col.view.noun(), f.col.array.Name, f.col.array.Cells[at], is.text, key)
}

// done says how many more there were, and whether the column was without fault.
func (f *faults) done() bool {
	if f.extra > 0 {
		f.first.Message += more(f.extra, "cell")
	}
	return f.first == nil
}

// numbers reads every cell by read; it is nil when one of them is faulty.
func (c column) numbers(list *diag.List, read func(string) (float64, issue)) []float64 {
	f := faults{list: list, col: c}
	out := make([]float64, c.len())
	for i := range out {
		v, is := read(c.cell(i))
		if is.bad() {
			f.add(i, is)
		}
		out[i] = v
	}
	if !f.done() {
		return nil
	}
	return out
}

// fail reports something about the column as a whole, at its name.
func (c column) fail(list *diag.List, is issue) {
	fail(list, is.code, place(c.view.Name, c.array.line), "%s %s: %s", c.view.noun(), c.array.Name, is.text)
}
