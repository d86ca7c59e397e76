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
	// Categories is true where each distinct value of the column is a category, so that words are allowed. Otherwise the column must be numeric.
	Categories bool
	// Whole is true where the results are whole numbers, so that binary, int and count declarations may use the encoder.
	Whole bool
	// Elementwise is true where each cell gives one number, so that an array of several dimensions can be encoded and keeps its shape.
	Elementwise bool
	// Fit estimates what the other functions need from a column without missing cells; nil where they need nothing.
	Fit func(c Column, f *Fitted) *Fault
	// Names returns the names of the resulting columns.
	Names func(column string, f *Fitted) []string
	// Apply writes the resulting columns to out, which has one slice of c.Len() elements for each name. Missing cells, and cells that it
	// passes to fault, give NaN in every resulting column.
	Apply func(c Column, f *Fitted, out [][]float64, fault func(cell int, why Fault))
}

// An EncoderCase is a test vector: an encoder fitted to the column In encodes it as the columns Out.
type EncoderCase struct {
	Options map[string]string
	In      Column
	Out     [][]float64
}

// Fitted is the result of fitting an encoder, kept as JSON for prediction. Each encoder defines what the numbers mean.
type Fitted struct {
	Options map[string]string `json:"options,omitempty"` // as written
	Numbers []float64         `json:"numbers,omitempty"`
	Words   []string          `json:"words,omitempty"` // the categories in order
}

// A Column is what an encoder reads: numbers, or words by code.
type Column struct {
	Name    string
	Numbers []float64 // NaN where a cell is missing; unused where Words is not nil
	Words   []string  // the distinct words, none of them empty or NA
	Codes   []int32   // the index in Words of each cell, -1 where the cell is missing
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

// A Fault is the reason why a column or a cell cannot be encoded. Text follows the column or the cell in the message, and names a remedy.
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
