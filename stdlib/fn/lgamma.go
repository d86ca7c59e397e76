package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Lgamma is the logarithm of the gamma function.
func Lgamma() def.Func {
	return def.Func{
		Name:   "lgamma",
		Doc:    "log Γ(x).",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.LgammaPositive(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Digamma(v))
			}
		},
		Vector: def.LgammaLoop,
		Examples: []string{"lgamma(1) = 0", "lgamma(0.5) = 0.5723649429247001",
			"lgamma(10.5) = 13.940625219403763"},
	}
}
