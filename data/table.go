// Package data reads the tables of the parties, aligns their rows, and turns columns into the values of data
// declarations.
//
// The steps are Locate (find files) → Load (tables in one row order) → Dataset.Bind (values per party). Every
// error is a diagnostic of one line about one place of one file, with codes V05xx. This package does not
// depend on the compiler: a declaration is a [Want].
package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/spill"
	"github.com/vflc/vflc/stdlib/def"
)

// A Table is what a Reader reads: columns of equal length, or a document with entries of any shape.
type Table struct {
	Name     string // as it is shown in messages: a path
	Format   string // what is particular about the file: "semicolons, decimal commas, gzip"; "": nothing
	Document bool   // has entries of different shapes in place of columns
	// number of rows; for a document 0, or the number of rows that its entries were joined on
	Rows   int
	Arrays []*Array // in the order of the file
	byName map[string]*Array
	reader Reader
	hold   *spill.Storage // of numbers that are made of the table's
	held   int            // numbers that stay in memory together; 0: each array has its own
	order  []uint32       // order[i] is the row of the file that comes i-th; nil: the order of the file
	left   int            // rows of the file that were left out
}

// An Array is a column of a table (one dimension) or an entry of a document (any number of dimensions, none
// for a scalar): its cells in row-major order, with the rows in the order that the parties agree on.
type Array struct {
	def.Column
	Dims    []int
	lines   *lines // of each cell in the order of the file; the columns of a table share one
	line    int    // of the name
	serial  bool   // whole numbers as strconv writes them, so that the texts follow from the numbers
	problem string
	texts   []string // the cells as written, in the order of the file; nil until they are needed
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

// noun is what messages call the parts of the table.
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

// arrange reorders the rows, which are in the order of the file, and leaves out those that are not in the new
// order. It works in place, one array after another. rows is the number of rows in the file.
func (t *Table) arrange(order []uint32, rows int) {
	t.Rows = rows
	if len(order) == rows && slices.IsSorted(order) {
		return
	}
	t.order, t.left = order, rows-len(order)
	var numbers []float64
	var codes []int32
	for _, a := range t.Arrays {
		if !t.byRow(a) || a.problem != "" {
			continue
		}
		n := len(order) * a.stride()
		if a.Words != nil {
			codes = permute(a.Codes, order, a.stride(), codes)
			a.Codes = a.Codes[:n]
			if t.left > 0 {
				a.forget()
			}
		} else {
			numbers = permute(a.Numbers, order, a.stride(), numbers)
			a.Numbers = a.Numbers[:n]
		}
	}
	for _, a := range t.Arrays {
		if t.byRow(a) {
			a.Dims = append([]int{len(order)}, a.Dims[1:]...)
		}
	}
	t.Rows = len(order)
}

// forget leaves out the words that no cell has any more.
func (a *Array) forget() {
	used := make([]bool, len(a.Words))
	for _, code := range a.Codes {
		if code >= 0 {
			used[code] = true
		}
	}
	if !slices.Contains(used, false) {
		return
	}
	words, code := []string{}, make([]int32, len(a.Words))
	for k, word := range a.Words {
		code[k] = int32(len(words))
		if used[k] {
			words = append(words, word)
		}
	}
	for i, k := range a.Codes {
		if k >= 0 {
			a.Codes[i] = code[k]
		}
	}
	a.Words = words
}

// permute puts group order[i] of cells at place i. It uses the memory of another slice, which it returns.
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

// stride returns the number of cells of one row: more than one in arrays of several dimensions.
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
	Key string // the key column that `*` leaves out and that messages quote; "" if there is none
	// apart is the number of rows of the other tables if they were joined and this document, which has no
	// key, was not: it is an error to use its arrays of that length, since their order would be wrong.
	apart int
}

// place is the position of a diagnostic in a data file.
func place(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }

// fail appends an error about a line of a data file.
func fail(list *diag.List, code diag.Code, where, format string, args ...any) {
	list.Errorf(code, nil, source.Span{}, format, shortened(args)...).Data = where
}

// warn appends a warning about a line of a data file.
func warn(list *diag.List, code diag.Code, where, format string, args ...any) {
	list.Warnf(code, nil, source.Span{}, format, shortened(args)...).Data = where
}

// mostShown is how many bytes of a text from a table a message shows: a cell or a name may have millions.
const mostShown = 1000

// shortened cuts the texts of a message.
func shortened(args []any) []any {
	for i, a := range args {
		if text, ok := a.(string); ok && len(text) > mostShown {
			args[i] = strings.ToValidUTF8(text[:mostShown], "") + "…"
		}
	}
	return args
}
