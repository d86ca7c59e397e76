package fn

import "github.com/vflc/vflc/stdlib/def"

// ColMin is the smallest element of each column.
func ColMin() def.Structural {
	return along(1, itself, def.Structural{
		Name:     "col_min",
		Doc:      "The smallest element of each column of a matrix; the gradient goes to that element.",
		Examples: []string{"data X : real[N, K]\nlet m = col_min(X)"},
	})
}
