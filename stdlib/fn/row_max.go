package fn

import "github.com/vflc/vflc/stdlib/def"

// RowMax is the largest element of each row.
func RowMax() def.Structural {
	return along(0, itself, def.Structural{
		Name:     "row_max",
		Doc:      "The largest element of each row of a matrix; the gradient goes to that element.",
		Examples: []string{"data X : real[N, K]\nlet m = row_max(X)"},
		RowWise:  true,
	})
}
