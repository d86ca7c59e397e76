package def

import (
	"math"
	"slices"
)

// An Encoder turns a column of a table into columns of a matrix, in the `from` clause of a data declaration. It is fitted privately
// by the owner of the data, once, and then applied to the rows it was fitted to and to new ones.
type Encoder struct {
	Name     string
	Doc      string   // Markdown: what it computes and how many columns it gives
	Examples []string // declarations that check, for `vflc doc`
	Cases    []EncoderCase
	Columns  Arity // how many column names it takes, before the options
	Options  []Option
	// Categories says that each distinct value of the column is a category, so that words are allowed. Else the column must be of numbers.
	Categories bool
	// Whole says that the results are whole numbers, so that binary, int and count declarations may use the encoder.
	Whole bool
	// Elementwise says that each cell gives one number, so that an array of several dimensions can be encoded and keeps its shape.
	Elementwise bool
	// Fit learns from a column without missing cells what the other functions need. nil: there is nothing to learn.
	Fit func(c Column, f *Fitted) *Fault
	// Names are those of the resulting columns.
	Names func(column string, f *Fitted) []string
	// Apply writes the resulting columns to out, which has one slice of c.Len() elements for each name. Missing cells, and cells that it
	// passes to fault, give NaN everywhere.
	Apply func(c Column, f *Fitted, out [][]float64, fault func(cell int, why Fault))
}

// An EncoderCase is a test vector: the columns Out that an encoder makes of the column In that it is fitted to.
type EncoderCase struct {
	Options map[string]string
	In      Column
	Out     [][]float64
}

// Fitted is what an encoder has learned, as JSON where it is kept for prediction. What the numbers mean is the encoder's affair.
type Fitted struct {
	Options map[string]string `json:"options,omitempty"` // as written
	Numbers []float64         `json:"numbers,omitempty"`
	Words   []string          `json:"words,omitempty"` // of an encoder of categories, these in order
}

// A Column is what an encoder reads: numbers, or words by code.
type Column struct {
	Name    string
	Numbers []float64 // NaN where a cell is missing; unused where Words is not nil
	Words   []string  // the distinct words, none of them empty or NA
	Codes   []int32   // per cell its place in Words, -1 where the cell is missing
}

// Len is the number of cells.
func (c Column) Len() int {
	if c.Words != nil {
		return len(c.Codes)
	}
	return len(c.Numbers)
}

// Missing reports whether a cell is missing.
func (c Column) Missing(i int) bool {
	if c.Words != nil {
		return c.Codes[i] < 0
	}
	return math.IsNaN(c.Numbers[i])
}

// A FaultKind is a reason why a column or a cell cannot be encoded.
type FaultKind int

// The reasons.
const (
	OutsideDomain   FaultKind = iota // the function has no value there
	NoVariation                      // all cells are equal, so that the result would be undefined or empty
	UnknownCategory                  // the data that the encoder was fitted to do not have the category
)

// A Fault is why a column or a cell cannot be encoded. Text follows the column or the cell in the message, and names a way out.
type Fault struct {
	Kind FaultKind
	Text string
}

// An Option is a named argument of an encoder, written NAME=VALUE. It may always be left out.
type Option struct {
	Name   string
	Doc    string   // one phrase: the effect, and what happens without it
	Values []string // the words allowed
}

// Option returns the option with the given name.
func (e *Encoder) Option(name string) (Option, bool) {
	i := slices.IndexFunc(e.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return e.Options[i], true
}
