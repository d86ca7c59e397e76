package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Square is x².
func Square() def.Func {
	return def.Func{
		Name: "square",
		Doc:  "x times x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = v * v
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * 2 * v)
			}
		},
		EachSide:    true,
		Examples:    []string{"square(-3) = 9", "square(0.5) = 0.25"},
		Vector:      def.SquareLoop,
		NonNegative: true,
		Limits: []def.Limit{{X: 0, Y: 0, Rate: def.PowerLaw},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.PowerLaw},
			{X: math.Inf(-1), Y: math.Inf(1), Rate: def.PowerLaw}},
	}
}
