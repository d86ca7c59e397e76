package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Neg is unary minus.
func Neg() def.Func {
	return def.Func{
		Name:   "neg",
		Linear: true,
		Doc:    "Unary minus: neg(x) is -x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = -v
			}
		},
		Backward: func(dx, dy, _, _ []float64) {
			for i, d := range dy {
				dx[i] -= d
			}
		},
		Monotone: def.Decreasing,
		Slow:     "it is an operation of the graph",
		Examples: []string{"neg(2) = -2", "neg(-0.5) = 0.5"},
		Limits: []def.Limit{{X: 0, Y: 0}, {X: math.Inf(1), Y: math.Inf(-1)},
			{X: math.Inf(-1), Y: math.Inf(1)}},
	}
}
