package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Expm1 is exp(x) - 1.
func Expm1() def.Func {
	return def.Func{
		Name: "expm1",
		Doc:  "exp(x) - 1, accurate for x near 0.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Expm1(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Exp(v)) // y + 1 would cancel for very negative x
			}
		},
		Monotone: def.Increasing,
		Examples: []string{"expm1(0) = 0", "expm1(1e-20) = 1e-20", "expm1(-100) = -1"},
		Vector:   def.Expm1Loop,
		Limits:   []def.Limit{{X: 0, Y: 0}, {X: math.Inf(1), Y: math.Inf(1), Rate: def.Exponentially}},
	}
}
