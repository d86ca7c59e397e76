// Package data reads the tables of the parties, aligns their rows, and turns columns into the values of data declarations.
//
// A run goes Locate (which files) → Load (tables in one row order) → Dataset.Bind (values per party). Every error is a
// diagnostic of one line about one place of one file, with codes V05xx. Nothing here knows the compiler: a declaration arrives as a [Want].
package data

import (
	"fmt"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A Table is one file: the columns of a CSV, or the entries of a Stan-JSON document. It is immutable after reading.
type Table struct {
	Name   string   // the path as it is shown in messages
	CSV    bool     // has rows that all columns share; else a JSON document
	Rows   int      // number of rows of a CSV, 0 for a document
	Arrays []*Array // in the order of the file
	byName map[string]*Array
}

// An Array is a column of a CSV (one dimension) or an entry of a document (any number of dimensions, none for a scalar).
// Cells are the texts as written, without surrounding blanks, in row-major order; they are read as numbers only when asked for.
type Array struct {
	Name    string
	Dims    []int
	Cells   []string
	lines   []int // of each cell; a CSV's columns share one slice
	line    int   // of the name
	problem string
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
	if t.CSV {
		return "column"
	}
	return "entry"
}

// A View is a table whose rows are seen in an agreed order.
type View struct {
	*Table
	Rows []int  // Rows[i] is the row of the table that comes i-th; nil: the order of the file
	Key  string // the key column that `*` leaves out and that messages quote; "" where there is none
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
