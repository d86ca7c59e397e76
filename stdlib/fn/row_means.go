package fn

import "github.com/vflc/vflc/stdlib/def"

// RowMeans is the mean of each row.
func RowMeans() def.Structural {
	return along(0, alwaysReal, def.Structural{
		Name:     "row_means",
		Doc:      "The mean of each row of a matrix, a real vector with one element per row.",
		Examples: []string{"data X : real[N, K]\nlet s = row_means(X)"},
		Linear:   [][]int{{0}},
		Mixes:    true,
		RowWise:  true,
	})
}
