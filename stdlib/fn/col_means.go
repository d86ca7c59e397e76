package fn

import "github.com/vflc/vflc/stdlib/def"

// ColMeans is the mean of each column.
func ColMeans() def.Structural {
	return along(1, alwaysReal, def.Structural{
		Name:     "col_means",
		Doc:      "The mean of each column of a matrix, a real vector with one element per column.",
		Examples: []string{"data X : real[N, K]\nlet centered = X - col_means(X)"},
		Linear:   [][]int{{0}},
		Mixes:    true,
	})
}
