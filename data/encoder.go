package data

import (
	"slices"

	"github.com/vflc/vflc/lang/diag"
)

// An Encoder turns a column into one or more columns of numbers. It is one file and one line in Encoders.
type Encoder struct {
	Name    string
	Options map[string][]string // the options it takes, and the words allowed for each
	// Whole says that it gives whole numbers, so that binary, int and count declarations may use it.
	Whole bool
	// fit learns what f must hold from the column, in the order of the rows, or reports why it cannot and returns false.
	fit func(c column, f *Fitted, list *diag.List) bool
	// names are those of the columns that it gives.
	names func(f *Fitted) []string
	// encode returns what writes the values of one cell to out, which is as long as names.
	encode func(f *Fitted) func(cell string, out []float64) issue
}

// Fitted is an encoder of one column with what it learned from the data it was fitted to. Which fields are used is the encoder's affair.
type Fitted struct {
	Encoder    string   `json:"encoder"`
	Column     string   `json:"column"`
	Elem       string   `json:"elem,omitempty"`       // column: how a cell is read
	Center     float64  `json:"center,omitempty"`     // zscore, center: the mean
	Scale      float64  `json:"scale,omitempty"`      // zscore: the standard deviation, divisor n-1
	Categories []string `json:"categories,omitempty"` // onehot, level: in order
	Numeric    bool     `json:"numeric,omitempty"`    // onehot, level: categories are compared as numbers
	DropFirst  bool     `json:"drop_first,omitempty"` // onehot: the first category has no column
}

// Encoders lists the encoders that a `from` clause may name.
func Encoders() []Encoder {
	return []Encoder{
		center(),
		logarithm(),
		onehot(),
		zscore(),
	}
}

// unsupported lists encoders of the language that this version refuses by name.
func unsupported() []string { return []string{"interact", "poly", "spline"} }

// encoderNamed also finds the two that are not written: plain columns and levels.
func encoderNamed(name string) (Encoder, bool) {
	all := append(Encoders(), plain(), categories())
	i := slices.IndexFunc(all, func(e Encoder) bool { return e.Name == name })
	if i < 0 {
		return Encoder{}, false
	}
	return all[i], true
}

// call is how an encoder of one column is written.
func call(f *Fitted) []string { return []string{f.Encoder + "(" + f.Column + ")"} }

// scaled encodes a number x as (x - Center)/scale.
func scaled(f *Fitted, scale float64) func(string, []float64) issue {
	return func(cell string, out []float64) issue {
		v, is := number(cell)
		out[0] = (v - f.Center) / scale
		return is
	}
}

// mean is the arithmetic mean, with a second pass that removes most of the rounding of the first.
func mean(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m += x / float64(len(v))
	}
	r := 0.0
	for _, x := range v {
		r += x - m
	}
	return m + r/float64(len(v))
}

// constant reports whether all values are equal.
func constant(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != v[0] })
}
