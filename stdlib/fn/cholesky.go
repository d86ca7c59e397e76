package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Cholesky is the lower triangular Cholesky factor of a covariance matrix.
func Cholesky() def.Structural {
	return def.Structural{
		Name: "cholesky",
		Doc: "The lower triangular L with a positive diagonal for which L L' is the argument, a " +
			"symmetric positive definite matrix of which the lower triangle is read. There is none for " +
			"another matrix: the density is then 0.",
		Examples: []string{"param S : cov_matrix[3] ~ wishart(5, diag([1, 1, 1]))\nlet L = cholesky(S)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		Range:    func([]def.Range) def.Range { return def.Reals() },
		Mixes:    true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: types.Real, Dims: args[0].Dims}, squareMatrix(args[0])
		},
	}
}

// squareMatrix reports an error for a type that is not a square matrix.
func squareMatrix(t types.Type) error {
	if err := ofRank(t, 2); err != nil {
		return err
	}
	if !t.Dims[0].Equal(t.Dims[1]) {
		return fmt.Errorf("a square matrix is needed, but this is %s", t)
	}
	return nil
}
