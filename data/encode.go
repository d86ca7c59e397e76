package data

import (
	"slices"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/encoder"
)

// A column without an encoder is read as it is, or as the categories of a level. Recipes hold these names in
// place of the name of an encoder.
const (
	plain  = "column"
	levels = "level"
)

// encoderNamed finds an encoder that a `from` clause may name.
func encoderNamed(name string) (*def.Encoder, bool) {
	for _, e := range encoder.All() {
		if e.Name == name {
			return &e, true
		}
	}
	return nil, false
}

// encoderNames lists the encoders in alphabetical order, for messages.
func encoderNames() []string {
	var out []string
	for _, e := range encoder.All() {
		out = append(out, e.Name)
	}
	slices.Sort(out)
	return out
}

// ofCategories returns the name of an encoder that accepts words.
func ofCategories() string {
	all := encoder.All()
	return all[slices.IndexFunc(all, func(e def.Encoder) bool { return e.Categories })].Name
}

// issueOf converts the error of an encoder to an issue with a code.
func issueOf(f def.Fault) issue {
	code := diag.LogDomain
	switch f.Kind {
	case def.NoVariation:
		code = diag.ConstantColumn
	case def.UnknownCategory:
		code = diag.NewCategory
	case def.NotFinite:
		code = diag.NonFinite
	}
	return issue{code, f.Text}
}

// fit fits an encoder to columns, in the order of their rows, or reports why it cannot. Missing cells that
// are imputed are left out.
func (f *Fitted) fit(cs []column, w Want, list *diag.List) bool {
	switch f.Encoder {
	case plain:
		return true
	case levels:
		return f.fitLevels(w.coding, cs[0], list)
	}
	e, _ := encoderNamed(f.Encoder)
	if e.Fit == nil {
		return true
	}
	var in []def.Column
	for _, c := range cs {
		bad := &faults{list: list, col: c}
		bad.gaps(f, w.Elem.String(), w.Impute)
		column := c.input(e, nil, bad)
		if !bad.done() {
			return false
		}
		if bad.imputed {
			column.Numbers = observed(column.Numbers)
			if len(column.Numbers) == 0 {
				c.fail(list, noneObserved)
				return false
			}
		}
		in = append(in, column)
	}
	if fault := e.Fit(in, &f.Fitted); fault != nil {
		cs[fault.Column].fail(list, issueOf(*fault))
		return false
	}
	return true
}

// input returns what an encoder reads of a column. known are the categories of a fitted encoder.
func (c column) input(e *def.Encoder, known []string, bad *faults) def.Column {
	if e.Categories {
		return c.categories(known, bad)
	}
	return def.Column{Name: c.array.Name, Numbers: c.numbers(types.Real, bad)}
}

// columns lists the columns that the encoder reads.
func (f *Fitted) columns() []string {
	if f.Second == "" {
		return []string{f.Column}
	}
	return []string{f.Column, f.Second}
}

// known returns the categories of the k-th column to which the encoder was fitted, nil where it was numbers.
func (f *Fitted) known(e *def.Encoder, k int) []string {
	if e.Known == nil {
		return f.Words
	}
	return e.Known(&f.Fitted, k)
}

// names returns the names of the resulting columns.
func (f *Fitted) names() []string {
	if e, ok := encoderNamed(f.Encoder); ok {
		return e.Names(f.columns(), &f.Fitted)
	}
	return []string{f.Column}
}

// elementwise reports whether each cell is encoded as one number.
func (f *Fitted) elementwise() bool {
	e, encoded := encoderNamed(f.Encoder)
	return !encoded || e.Elementwise
}

// affine returns the map from the cells to the resulting numbers where the encoder is one; else that which
// changes nothing.
func (f *Fitted) affine() def.Rescaling {
	if e, encoded := encoderNamed(f.Encoder); encoded && e.Affine != nil {
		return e.Affine(&f.Fitted)
	}
	return def.Rescaling{Scale: 1}
}

// labels returns the categories of a level.
func (f *Fitted) labels() []string {
	if f.Encoder == levels {
		return f.Words
	}
	return nil
}

// encode writes the resulting columns to out, each in the order of the array's cells. Faulty cells are NaN,
// and are added to the faults of their column.
func (f *Fitted) encode(cs []column, out [][]float64, bad []*faults) {
	switch {
	case f.Encoder == plain || f.Encoder == levels && f.Words == nil:
		copy(out[0], f.asIs(cs[0], bad[0]))
	case f.Encoder == levels:
		f.encodeLevels(cs[0], out[0], bad[0])
	default:
		e, _ := encoderNamed(f.Encoder)
		var in []def.Column
		for k, c := range cs {
			in = append(in, c.input(e, f.known(e, k), bad[k]))
		}
		e.Apply(in, &f.Fitted, out, func(i int, why def.Fault) { bad[why.Column].add(i, issueOf(why)) })
	}
}

// asIs returns the numbers of a column without an encoder, without a copy if it has them.
func (f *Fitted) asIs(c column, bad *faults) []float64 {
	if f.Encoder == levels {
		return c.numbers(types.Level, bad)
	}
	return c.numbers(elemNamed(f.Elem), bad)
}
