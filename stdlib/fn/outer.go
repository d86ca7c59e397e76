package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Outer is the outer product of two vectors.
func Outer() def.Structural {
	return def.Structural{
		Name: "outer",
		Doc:  "The outer product of two vectors, a matrix: element i, j of `outer(u, v)` is u[i] v[j].",
		Examples: []string{"param u : real[3] ~ normal(0, 1)\nparam v : real[2] ~ normal(0, " +
			"1)\nlet M = outer(u, v)"},
		Linear:   [][]int{{0}, {1}},
		Arity:    def.Arity{Min: 2, Max: 2},
		Positive: true,
		Range:    func(x []def.Range) def.Range { return x[0].Times(x[1]) },
		Infer: func(args []types.Type) (types.Type, error) {
			for _, t := range args {
				if err := ofRank(t, 1); err != nil {
					return types.Type{}, err
				}
			}
			return types.Type{Elem: types.Real, Dims: []types.Size{args[0].Dims[0], args[1].Dims[0]}}, nil
		},
	}
}
