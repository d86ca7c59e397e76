package encoder

import "github.com/vflc/vflc/stdlib/def"

// Log takes logarithms of a positive column.
func Log() def.Encoder {
	return def.Encoder{
		Name:     "log",
		Doc:      "The natural logarithm of a numeric column. Gives one column. A value that is not positive is an error.",
		Examples: []string{"data X : real[N, P] from log(income)"},
		Columns:  one(),
	}
}
