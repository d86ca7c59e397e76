package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// covarianceFunction is one of a Gaussian process, of the points, the standard deviation and the length
// scale.
func covarianceFunction(name, doc string) def.Structural {
	return def.Structural{
		Name: name,
		Doc:  doc,
		Examples: []string{fmt.Sprintf(
			"data t : real[N]\ndata y : real[N]\nparam l ~ inv_gamma(5, 5)\nparam a ~ half_normal(1)\ny ~ "+
				"multi_normal(0, %s(t, a, l) + diag(0.1 + 0 * t))", name)},
		Arity: def.Arity{Min: 3, Max: 3},
		Range: func(x []def.Range) def.Range { return def.AtLeast0() },
		Mixes: true,
		Infer: func(args []types.Type) (types.Type, error) {
			if err := array(args[0]); err != nil {
				return types.Type{}, err
			}
			if len(args[0].Dims) > 2 {
				return types.Type{},
					fmt.Errorf("the points are a vector, or a matrix with a row for each, but they are %s",
						args[0])
			}
			for _, t := range args[1:] {
				if err := ofRank(t, 0); err != nil {
					return types.Type{}, err
				}
			}
			return types.Type{Elem: types.Real, Dims: []types.Size{args[0].Dims[0], args[0].Dims[0]}}, nil
		},
	}
}
