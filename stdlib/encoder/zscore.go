package encoder

import "github.com/vflc/vflc/stdlib/def"

// ZScore standardises a numeric column.
func ZScore() def.Encoder {
	return def.Encoder{
		Name:     "zscore",
		Doc:      "A numeric column minus its mean, divided by its standard deviation (divisor n - 1). Gives one column. A constant column is an error.",
		Examples: []string{"data X : real[N, P] from zscore(age), zscore(chol)"},
		Columns:  one(),
	}
}
