package data

import (
	"math"
	"slices"

	"github.com/vflc/vflc/lang/diag"
)

// An Entry is an array of numbers in a Stan-JSON document.
type Entry struct {
	Name   string
	Dims   []int     // none for a number
	Values []float64 // finite, column-major: the first index runs fastest
	file   string
	array  *Array
}

// NewEntry is an array that is in no file.
func NewEntry(name string, dims []int, values []float64) *Entry {
	return &Entry{Name: name, Dims: dims, Values: values, file: "values"}
}

// Place is where element i is in its file, as FILE:LINE.
func (e *Entry) Place(i int) string {
	if e.array == nil {
		return e.file
	}
	if i >= len(e.Values) {
		return place(e.file, e.array.line)
	}
	at, stride := 0, len(e.Values)
	for _, d := range e.Dims {
		stride /= d
		at, i = at+i%d*stride, i/d
	}
	return place(e.file, e.array.lines.at(at))
}

// Entries reads a Stan-JSON document of finite numbers from its text. Its entries are in the order of the
// file.
func Entries(name string, text []byte) ([]*Entry, diag.List) {
	t, list := ReadJSON(name, text)
	if list.HasErrors() {
		return nil, list
	}
	var out []*Entry
	for _, a := range t.Arrays {
		switch at := slices.IndexFunc(a.Numbers, func(v float64) bool {
			return math.IsNaN(v) || math.IsInf(v, 0)
		}); {
		case a.problem != "":
			fail(&list, diag.BadJSON, place(name, a.line), "entry %s %s", a.Name, a.problem)
		case a.Words != nil:
			fail(&list, diag.NotNumber, place(name, a.line),
				"entry %s has words, such as %q, in place of numbers", a.Name, a.Words[0])
		case at >= 0:
			fail(&list, diag.NonFinite, place(name, a.lines.at(at)),
				"entry %s: a value is missing, NaN or infinite; give a finite number", a.Name)
		default:
			out = append(out, &Entry{Name: a.Name, Dims: a.Dims, Values: columnMajor(a.Numbers, a.Dims),
				file: name, array: a})
		}
	}
	return out, list
}
