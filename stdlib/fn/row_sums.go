package fn

import "github.com/vflc/vflc/stdlib/def"

// RowSums is the sum of each row.
func RowSums() def.Structural {
	return along(0, total, def.Structural{
		Name: "row_sums",
		Doc: "The sum of each row of a matrix, a vector with one element per row; " +
			"whole where the elements are.",
		Examples: []string{"data X : real[N, K]\nlet s = row_sums(X)"},
		Linear:   [][]int{{0}},
		Mixes:    true,
		RowWise:  true,
		Range:    totals,
	})
}
