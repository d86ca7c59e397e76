package fn

import (
	"slices"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Row puts an axis of size 1 before those of an array: a vector is the one row of a matrix.
func Row() def.Structural {
	f := placed("row", func(dims []types.Size) []types.Size { return slices.Insert(dims, 0, types.Const(1)) })
	f.Doc = "A vector of size K as a matrix of one row and K columns, so that its elements go with the columns " +
		"of a matrix of K columns. `row(M)` of a matrix is an array 1×N×K."
	f.Examples = []string{"data X : real[N, K]\ndata scale : real[K]\nlet scaled = X ./ row(scale)"}
	return f
}
