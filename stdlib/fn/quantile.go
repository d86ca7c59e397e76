package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Quantile is the quantile of all elements.
func Quantile() def.Structural {
	return def.Structural{
		Name: "quantile",
		Doc: "`quantile(x, p)` is the p-quantile of all elements of x, interpolated linearly between the " +
			"two nearest in order (R's type 7, as in Stan); p is a number " +
			"from 0 to 1 or a vector of them, and the value has its shape. Of parameters it may stand in " +
			"generated quantities only.",
		Examples: []string{"param u : real[9] ~ normal(0, 1)\ngenerate middle = quantile(u, 0.5)"},
		Arity:    def.Arity{Min: 2, Max: 2},
		Mixes:    true,
		Jumps:    true,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Infer: func(args []types.Type) (types.Type, error) {
			if len(args[1].Dims) > 1 {
				return types.Type{}, ofRank(args[1], 1)
			}
			if err := numeric(args[1]); err != nil {
				return types.Type{}, err
			}
			return types.Type{Elem: types.Real, Dims: args[1].Dims}, array(args[0])
		},
	}
}
