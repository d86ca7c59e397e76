package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Cloglog is the complementary log-log of a probability.
func Cloglog() def.Func {
	return def.Func{
		Name:   "cloglog",
		Doc:    "log(-log(1 - x)), from a probability to the logarithm of a hazard.",
		Domain: "0 < x < 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log(-portable.Log1p(-v))
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (1 / ((v - 1) * portable.Log1p(-v))))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.CloglogLoop,
		Examples: []string{"cloglog(0.5) = -0.36651292058166435", "cloglog(1e-12) = -27.63102111592805"},
	}
}
