package fn

import "github.com/vflc/vflc/stdlib/def"

// RowMin is the smallest element of each row.
func RowMin() def.Structural {
	return along(0, itself, def.Structural{
		Name:     "row_min",
		Doc:      "The smallest element of each row of a matrix; the gradient goes to that element.",
		Examples: []string{"data X : real[N, K]\nlet m = row_min(X)"},
		RowWise:  true,
	})
}
