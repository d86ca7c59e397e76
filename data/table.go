// Package data reads the tables of the parties, aligns their rows, and turns columns into the values of data declarations.
//
// A run goes Locate (which files) → Load (tables in one row order) → Dataset.Bind (values per party). Every error is a
// diagnostic of one line about one place of one file, with codes V05xx. Nothing here knows the compiler: a declaration arrives as a [Want].
package data

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib/def"
)

// A Table is what a Reader reads: columns with rows that all share, or a document with entries of any shape.
type Table struct {
	Name     string   // as it is shown in messages: a path
	Document bool     // has entries with shapes of their own in place of columns
	Rows     int      // number of rows; of a document 0, or what its entries were joined on
	Arrays   []*Array // in the order of the file
	byName   map[string]*Array
	reader   Reader
	held     int      // numbers that stay in memory together; 0: each array has its own
	order    []uint32 // order[i] is the row of the file that stands at i; nil: the order of the file
}

// An Array is a column of a table (one dimension) or an entry of a document (any number of dimensions, none for a scalar): its cells in
// row-major order, with the rows in the order that the parties agree on.
type Array struct {
	def.Column
	Dims    []int
	lines   *lines // of each cell in the order of the file; columns with rows share one
	line    int    // of the name
	serial  bool   // numbers as strconv writes whole numbers, so that they are the texts too
	problem string
	texts   []string // the cells as written, in the order of the file; nil until somebody needs them
}

func newTable(name string, reader Reader) *Table {
	return &Table{Name: name, byName: map[string]*Array{}, reader: reader}
}

// add appends an array whose name is new.
func (t *Table) add(a *Array) {
	t.Arrays = append(t.Arrays, a)
	t.byName[a.Name] = a
}

// Array returns the column or entry with the given name.
func (t *Table) Array(name string) (*Array, bool) {
	a, ok := t.byName[name]
	return a, ok
}

// names lists the columns or entries in the order of the file.
func (t *Table) names() []string {
	out := make([]string, len(t.Arrays))
	for i, a := range t.Arrays {
		out[i] = a.Name
	}
	return out
}

// noun says what the parts of the table are called in messages.
func (t *Table) noun() string {
	if t.Document {
		return "entry"
	}
	return "column"
}

// byRow reports whether the first dimension of an array runs over the rows.
func (t *Table) byRow(a *Array) bool {
	return !t.Document || t.Rows > 0 && len(a.Dims) > 0 && a.Dims[0] == t.Rows
}

// arrange brings the rows, so far in the order of the file, into another order, one array after another in place.
func (t *Table) arrange(order []uint32) {
	t.Rows = len(order)
	if slices.IsSorted(order) {
		return
	}
	t.order = order
	var numbers []float64
	var codes []int32
	for _, a := range t.Arrays {
		if !t.byRow(a) || a.problem != "" {
			continue
		}
		if a.Words != nil {
			codes = permute(a.Codes, order, a.stride(), codes)
		} else {
			numbers = permute(a.Numbers, order, a.stride(), numbers)
		}
	}
}

// permute puts group order[i] of cells at place i, with the room of another slice, which it returns.
func permute[T any](cells []T, order []uint32, stride int, room []T) []T {
	room = append(room[:0], cells...)
	if stride == 1 {
		for i, from := range order {
			cells[i] = room[from]
		}
		return room
	}
	for i, from := range order {
		copy(cells[i*stride:(i+1)*stride], room[int(from)*stride:])
	}
	return room
}

// stride is how many cells one row has: more than one in arrays of several dimensions.
func (a *Array) stride() int {
	n := 1
	for _, d := range a.Dims[min(1, len(a.Dims)):] {
		n *= d
	}
	return n
}

// A View is a table as one party sees it.
type View struct {
	*Table
	Key string // the key column that `*` leaves out and that messages quote; "" where there is none
	// apart is the number of rows that the other tables were joined to, where this document has no key and could not be: its arrays of
	// that length are refused rather than taken in the wrong order.
	apart int
}

// place is where a diagnostic of a data file points.
func place(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

// fail appends an error about a line of a data file.
func fail(list *diag.List, code diag.Code, where, format string, args ...any) *diag.Diagnostic {
	d := list.Errorf(code, nil, source.Span{}, format, args...)
	d.Data = where
	return d
}

// warn appends a warning about a line of a data file.
func warn(list *diag.List, code diag.Code, where, format string, args ...any) {
	list.Warnf(code, nil, source.Span{}, format, args...).Data = where
}
