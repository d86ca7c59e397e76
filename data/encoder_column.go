package data

import "github.com/vflc/vflc/lang/diag"

// plain is a column as it is, read as the declared element type.
func plain() Encoder {
	return Encoder{
		Name: "column", Whole: true,
		fit:   func(c column, f *Fitted, list *diag.List) bool { return true },
		names: func(f *Fitted) []string { return []string{f.Column} },
		encode: func(f *Fitted) func(string, []float64) issue {
			read := reader(elemNamed(f.Elem))
			return func(cell string, out []float64) issue {
				v, is := read(cell)
				out[0] = v
				return is
			}
		},
	}
}
