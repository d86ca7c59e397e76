package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// CumulativeMax is the largest element so far along the last axis.
func CumulativeMax() def.Structural {
	return def.Structural{
		Name: "cumulative_max",
		Doc: "The largest element so far along the last axis, with the shape of its argument. The " +
			"gradient goes to the element that is taken, the first of equal ones.",
		Examples: []string{"param step : real[10] ~ normal(0, 1)\nlet record = " +
			"cumulative_max(cumulative_sum(step))"},
		Moves:    everywhere,
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: args[0].Elem, Dims: args[0].Dims}, array(args[0])
		},
	}
}
