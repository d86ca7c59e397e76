package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// RowSums is the sum of each row.
func RowSums() def.Structural {
	return def.Structural{
		Name: "row_sums",
		Doc: "The sum of each row of a matrix, a vector with one element per row; whole " +
			"where the elements are.",
		Examples: []string{"data X : real[N, K]\nlet s = row_sums(X)"},
		Linear:   [][]int{{0}},
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		RowWise:  true,
		Range:    func(x []def.Range) def.Range { return x[0].Total() },
		Moves:    everywhere,
		Mixes:    true,
		Infer: func(args []types.Type) (types.Type, error) {
			if err := ofRank(args[0], 2); err != nil {
				return types.Type{}, err
			}
			return types.Type{Elem: total(args[0].Elem), Dims: args[0].Dims[:1:1]}, nil
		},
	}
}
