package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// CumulativeSum is the running sum along the last axis.
func CumulativeSum() def.Structural {
	return def.Structural{
		Name: "cumulative_sum",
		Doc: "The running sum along the last axis, with the shape of its argument: element k of a " +
			"vector becomes the sum of elements 1 to k.",
		Examples: []string{"param step : real[10] ~ normal(0, 1)\nlet walk = cumulative_sum(step)"},
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0].Total() },
		Linear:   [][]int{{0}},
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: total(args[0].Elem), Dims: args[0].Dims}, array(args[0])
		},
	}
}
