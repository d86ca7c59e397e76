package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Trigamma is the derivative of digamma.
func Trigamma() def.Func {
	return def.Func{
		Name:   "trigamma",
		Doc:    "The derivative of digamma, the second of lgamma.",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Trigamma(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Tetragamma(v))
			}
		},
		Monotone: def.Decreasing,
		Slow:     "it is rare in models",
		Examples: []string{"trigamma(1) = 1.6449340668482264", "trigamma(0.5) = 4.934802200544679",
			"trigamma(100) = 0.010050166663333571"},
		NonNegative: true,
	}
}
