package fn

import "github.com/vflc/vflc/stdlib/def"

// ColMax is the largest element of each column.
func ColMax() def.Structural {
	return along(1, itself, def.Structural{
		Name:     "col_max",
		Doc:      "The largest element of each column of a matrix; the gradient goes to that element.",
		Examples: []string{"data X : real[N, K]\nlet m = col_max(X)"},
	})
}
