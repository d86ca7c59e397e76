package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// QuadForm is the quadratic form of a square matrix.
func QuadForm() def.Structural {
	return def.Structural{
		Name: "quad_form",
		Doc:  "`quad_form(A, b)` is b' A b: a number for a vector b, a matrix for a matrix b.",
		Examples: []string{"param S : cov_matrix[3] ~ wishart(5, diag([1, 1, 1]))\nlet q = " +
			"quad_form(S, [1, 2, 3])"},
		Arity:  def.Arity{Min: 2, Max: 2},
		Range:  func(x []def.Range) def.Range { return x[0].Times(x[1]).Times(x[1]).Total() },
		Mixes:  true,
		Linear: [][]int{{0}},
		Infer: func(args []types.Type) (types.Type, error) {
			if err := squareMatrix(args[0]); err != nil {
				return types.Type{}, err
			}
			if err := array(args[1]); err != nil {
				return types.Type{}, err
			}
			b := args[1]
			if len(b.Dims) > 2 || !b.Dims[0].Equal(args[0].Dims[0]) {
				return types.Type{},
					fmt.Errorf("the matrix is %s, so the other argument has %s rows, but it is %s", args[0],
						args[0].Dims[0], b)
			}
			if len(b.Dims) == 1 {
				return types.Type{Elem: types.Real}, nil
			}
			return types.Type{Elem: types.Real, Dims: []types.Size{b.Dims[1], b.Dims[1]}}, nil
		},
	}
}
