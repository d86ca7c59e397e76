package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Diag is the diagonal matrix of a vector.
func Diag() def.Structural {
	return def.Structural{
		Name: "diag",
		Doc: "The matrix with a vector on its diagonal and 0 elsewhere. `col(v) .* A` is diag(v) " +
			"* A, and `A .* row(v)` is A * diag(v), without the zeros.",
		Examples: []string{"param v : real[3] ~ half_normal(1)\nlet D = diag(v)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		Range:    func(x []def.Range) def.Range { return x[0].Join(def.Point(0)) },
		Linear:   [][]int{{0}},
		Infer: func(args []types.Type) (types.Type, error) {
			if err := ofRank(args[0], 1); err != nil {
				return types.Type{}, err
			}
			return types.Type{Elem: types.Real, Dims: []types.Size{args[0].Dims[0], args[0].Dims[0]}}, nil
		},
	}
}
