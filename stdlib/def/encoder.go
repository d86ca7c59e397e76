package def

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Encoder turns a column of a table into columns of a matrix, in the `from` clause of a data declaration.
// It is fitted privately by the owner of the data, once, and then applied to the rows it was fitted to and to
// new ones.
type Encoder struct {
	Name     string
	Doc      string   // Markdown: what it computes and how many columns it gives
	Examples []string // declarations that check, for `vflc doc`
	Columns  Arity    // how many column names it takes, before the settings
	Options  []Option
	// Categories is true where each distinct value of the column is a category, so that words are allowed.
	// Otherwise the column must be numeric.
	Categories bool
	// Whole is true where the results are whole numbers, so that binary, int and count declarations may use
	// the encoder.
	Whole bool
	// Positive is true where the column must be positive.
	Positive bool
	// Elementwise is true where each cell gives one number, so that an array of several dimensions can be
	// encoded and keeps its shape.
	Elementwise bool
	// Bounds returns those of the resulting numbers with some settings, the same whatever the rows are; nil
	// where there are none that are known without the rows.
	Bounds func(options map[string]string) (lower, upper float64)
	// Affine returns the map of an encoder that is one, once fitted: Apply computes it with Of. nil for
	// others.
	Affine func(f *Fitted) Rescaling
	// Fit estimates what the other functions need from columns of one length without missing cells; nil where
	// they need nothing.
	Fit func(c []Column, f *Fitted) *Fault
	// Known returns the categories of the k-th column to which an encoder of categories was fitted, counted
	// from 0; nil: they are all of f.Words.
	Known func(f *Fitted, k int) []string
	// Names returns the names of the resulting columns.
	Names func(columns []string, f *Fitted) []string
	// Apply writes the resulting columns to out, which has one slice for each name, of as many elements as
	// the columns have cells. A missing cell in any of them, and cells that it passes to fault, give NaN in
	// every resulting column.
	Apply func(c []Column, f *Fitted, out [][]float64, fault func(cell int, why Fault))
}

// A Rescaling is the map from a number to its difference from Center, divided by Scale.
type Rescaling struct{ Center, Scale float64 }

// Of returns the value of the map, each operation rounded.
func (a Rescaling) Of(v float64) float64 { return (v - a.Center) / a.Scale }

// Fitted is the result of fitting an encoder, kept as JSON for prediction. Each encoder defines what the
// numbers mean.
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
	NotFinite                        // the result is too large for a number
)

// A Fault is the reason why a column or a cell cannot be encoded. Text follows the column or the cell in the
// message, and names a remedy.
type Fault struct {
	Kind   FaultKind
	Text   string
	Column int // which of the columns that the encoder reads, counted from 0
}

// An Option is a setting of an encoder: a named argument that may be left out, NAME=VALUE, or one that
// follows the columns without a name and may not.
type Option struct {
	Name        string
	Doc         string   // one phrase: the effect, and what happens without it
	Values      []string // the words allowed, or those with a meaning of their own where Word is set; or:
	Least, Most int      // the whole numbers allowed, where Most is not 0; or:
	Word        bool     // any word or number: a category; or:
	Number      bool     // any finite number
	Positional  bool     // follows the columns, without its name, and is required
}

// Allows reports whether an option may have a value.
func (o Option) Allows(value string) bool {
	if o.Number {
		v, err := strconv.ParseFloat(value, 64)
		return err == nil && !math.IsNaN(v)
	}
	if o.Most == 0 {
		return o.Word || slices.Contains(o.Values, value)
	}
	k, err := strconv.Atoi(value)
	return err == nil && o.Least <= k && k <= o.Most
}

// Form describes the values of an option to users: "a whole number from 1 to 20".
func (o Option) Form() string {
	switch {
	case o.Most > 0:
		return fmt.Sprintf("a whole number from %d to %d", o.Least, o.Most)
	case o.Number:
		return "a number"
	case o.Word && o.Values != nil:
		return strings.Join(o.Values, ", ") + " or a category"
	case o.Word:
		return `a category, as "Y" or 3`
	}
	return strings.Join(o.Values, " or ")
}

// Option returns the option with the given name.
func (e *Encoder) Option(name string) (Option, bool) {
	i := slices.IndexFunc(e.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return e.Options[i], true
}

// positional lists the settings that follow the columns.
func (e *Encoder) positional() []Option {
	return slices.DeleteFunc(slices.Clone(e.Options), func(o Option) bool { return !o.Positional })
}

// Each reports whether the encoder takes one column, so that a call with several encodes each by itself.
func (e *Encoder) Each() bool { return e.Columns.Max == 1 }

// Room is how many of the arguments without a name are columns: those that the settings leave.
func (e *Encoder) Room(arguments int) int {
	if e.Each() {
		return max(1, arguments-len(e.positional()))
	}
	return e.Columns.Max
}

// Usage writes a call of the encoder with the names of its arguments: "poly(a, degree)".
func (e *Encoder) Usage() string {
	var words []string
	for i := range e.Columns.Max {
		words = append(words, string(rune('a'+i)))
	}
	for _, o := range e.positional() {
		words = append(words, o.Name)
	}
	return e.Name + "(" + strings.Join(words, ", ") + ")"
}

// Settings returns the settings of a call by name, of so many columns: further are the arguments that follow
// the columns, named those with a name in pairs of name and value. The error names what is wrong and what to
// write.
func (e *Encoder) Settings(columns int, further []string, named [][2]string) (map[string]string, error) {
	wanted := e.positional()
	if e.Each() {
		columns = min(columns, 1)
	}
	if !e.Columns.Allows(columns) || len(further) != len(wanted) {
		return nil, fmt.Errorf("%s is written %s%s%s", e.Name, e.Usage(), e.forms(), e.with())
	}
	var out map[string]string
	set := func(o Option, value string) error {
		if !o.Allows(value) {
			return fmt.Errorf("%s of %s is %s, not %s", o.Name, e.Name, o.Form(), value)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[o.Name] = value
		return nil
	}
	for k, o := range wanted {
		if err := set(o, further[k]); err != nil {
			return nil, err
		}
	}
	for _, pair := range named {
		o, ok := e.Option(pair[0])
		_, twice := out[pair[0]]
		switch {
		case !ok || o.Positional:
			return nil, fmt.Errorf("%s has no option %s=%s%s", e.Name, pair[0], pair[1], e.hint())
		case twice:
			return nil, fmt.Errorf("%s stands twice in the call of %s", pair[0], e.Name)
		}
		if err := set(o, pair[1]); err != nil {
			return nil, err
		}
	}
	if e.Bounds != nil {
		if lower, upper := e.Bounds(out); !(lower < upper) {
			return nil, fmt.Errorf("%s has a lower bound below the upper one, and %v is not below %v", e.Name,
				lower, upper)
		}
	}
	return out, nil
}

// forms describes the arguments that follow the columns.
func (e *Encoder) forms() string {
	var words []string
	for _, o := range e.positional() {
		words = append(words, o.Name+" is "+o.Form())
	}
	if len(words) == 0 {
		return ""
	}
	return ", where " + strings.Join(words, " and ")
}

// named writes each named option with a value, as "drop=first".
func (e *Encoder) named() []string {
	var out []string
	for _, o := range e.Options {
		if !o.Positional {
			out = append(out, o.Name+"="+o.Example())
		}
	}
	return out
}

// with lists the named options after a call.
func (e *Encoder) with() string {
	if options := e.named(); len(options) > 0 {
		return ", with options " + strings.Join(options, ", ")
	}
	return ""
}

// hint lists the options that may be named.
func (e *Encoder) hint() string {
	if options := e.named(); len(options) > 0 {
		return "; its options: " + strings.Join(options, ", ")
	}
	return "; it has no options"
}

// Example is a value that an option may have.
func (o Option) Example() string {
	switch {
	case o.Most > 0:
		return strconv.Itoa(min(4, o.Most))
	case o.Number:
		return "0"
	case o.Values != nil:
		return o.Values[0]
	}
	return "Y"
}
