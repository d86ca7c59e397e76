package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Col makes a vector the one column of a matrix.
func Col() def.Structural {
	return def.Structural{
		Name: "col",
		Doc: "A vector of size N as a matrix of N rows and one column, so that it " +
			"broadcasts over columns.",
		Examples: []string{"data X : real[N, K]\ndata w : real[N]\nlet weighted = X .* col(w)"},
		Moves:    everywhere,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Linear:   [][]int{{0}},
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		RowWise:  true,
		Infer: func(args []types.Type) (types.Type, error) {
			if err := ofRank(args[0], 1); err != nil {
				return types.Type{}, err
			}
			return types.Type{Elem: args[0].Elem, Dims: []types.Size{args[0].Dims[0], types.Const(1)}}, nil
		},
	}
}
