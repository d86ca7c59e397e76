package fn

import "github.com/vflc/vflc/stdlib/def"

// ColSums is the sum of each column.
func ColSums() def.Structural {
	return along(1, total, def.Structural{
		Name: "col_sums",
		Doc: "The sum of each column of a matrix, a vector with one element per column; " +
			"whole where the elements are.",
		Examples: []string{"data X : real[N, K]\nlet s = col_sums(X)"},
		Linear:   [][]int{{0}},
		Mixes:    true,
		Range:    totals,
	})
}
