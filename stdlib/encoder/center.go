package encoder

import "github.com/vflc/vflc/stdlib/def"

// Center subtracts the mean of a numeric column.
func Center() def.Encoder {
	return def.Encoder{
		Name:     "center",
		Doc:      "A numeric column minus its mean. Gives one column.",
		Examples: []string{"data X : real[N, P] from center(age)"},
		Columns:  one(),
	}
}
