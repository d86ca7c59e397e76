package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// RowDot is the inner product of each row of two matrices.
func RowDot() def.Structural {
	return def.Structural{
		Name: "rowdot",
		Doc: "The inner product of each row of two matrices of the same sizes, a vector: `rowdot(X, " +
			"slope[region])` is Σ_k X[i, k]·slope[region[i], k].",
		Examples: []string{
			"data X : real[N, K]\ndata region : level(R)[N]\nparam slope : real[R, K] ~ normal(0, 1)\nlet " +
				"eta = rowdot(X, slope[region])",
		},
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0].Times(x[1]).Total() },
		Linear:   [][]int{{0}, {1}},
		Arity:    def.Arity{Min: 2, Max: 2},
		Positive: true,
		RowWise:  true,
		Infer: func(args []types.Type) (types.Type, error) {
			if err := sameShape(args, 2); err != nil {
				return types.Type{}, err
			}
			return types.Type{Elem: types.Real, Dims: args[0].Dims[:1:1]}, nil
		},
	}
}
