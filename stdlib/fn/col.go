package fn

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Col puts an axis of size 1 behind those of an array: a vector is the one column of a matrix.
func Col() def.Structural {
	f := placed("col", func(dims []types.Size) []types.Size { return append(dims, types.Const(1)) })
	f.Doc = "A vector of size N as a matrix of N rows and one column, so that its elements go with the rows of " +
		"a matrix of N rows. `col(M)` of a matrix is an array N×K×1."
	f.Examples = []string{"data X : real[N, K]\ndata w : real[N]\nlet weighted = X .* col(w)",
		"param tau : real[K] ~ half_normal(1)\nparam L : corr_cholesky[K] ~ lkj_corr_cholesky(2)\n" +
			"let factor = col(tau) .* L // the standard deviations are tau"}
	f.RowWise = true
	return f
}

// placed is a function that gives the elements of an array other axes.
func placed(name string, axes func([]types.Size) []types.Size) def.Structural {
	return def.Structural{
		Name:     name,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Linear:   [][]int{{0}},
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			if err := array(args[0]); err != nil {
				return types.Type{}, err
			}
			if len(args[0].Dims) > 2 {
				return types.Type{}, fmt.Errorf("a vector or a matrix is needed, but this is %s", args[0])
			}
			return types.Type{Elem: args[0].Elem, Dims: axes(slices.Clone(args[0].Dims))}, nil
		},
	}
}
