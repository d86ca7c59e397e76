package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Digamma is the derivative of lgamma.
func Digamma() def.Func {
	return def.Func{
		Name:   "digamma",
		Doc:    "The derivative of lgamma.",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Digamma(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Trigamma(v))
			}
		},
		Monotone: def.Increasing,
		Slow:     "its derivative has no vector loop",
		Examples: []string{"digamma(1) = -0.5772156649015329", "digamma(0.5) = -1.9635100260214235",
			"digamma(100) = 4.600161852738087"},
	}
}
