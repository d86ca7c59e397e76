package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Solve is the solution of a system of linear equations.
func Solve() def.Structural {
	return def.Structural{
		Name: "solve",
		Doc: "The x for which A x = b: `solve(A, b)` for a square matrix A and a vector b, or a " +
			"matrix of which each column is one. Where A is singular, the density is 0.",
		Examples: []string{"param S : cov_matrix[3] ~ wishart(5, diag([1, 1, 1]))\nlet " +
			"x = solve(S, [1, 2, 3])"},
		Arity:  def.Arity{Min: 2, Max: 2},
		Range:  func([]def.Range) def.Range { return def.Reals() },
		Mixes:  true,
		Linear: [][]int{{1}},
		Infer: func(args []types.Type) (types.Type, error) {
			if err := squareMatrix(args[0]); err != nil {
				return types.Type{}, err
			}
			if err := array(args[1]); err != nil {
				return types.Type{}, err
			}
			if b := args[1]; len(b.Dims) > 2 || !b.Dims[0].Equal(args[0].Dims[0]) {
				return types.Type{},
					fmt.Errorf("the matrix is %s, so the right side has %s rows, but it is %s", args[0],
						args[0].Dims[0], b)
			}
			return types.Type{Elem: types.Real, Dims: args[1].Dims}, nil
		},
	}
}
