package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Erf is the error function.
func Erf() def.Func {
	return def.Func{
		Name: "erf",
		Doc:  "The error function, 2/√π ∫ exp(-t²) dt from 0 to x. Phi(x) is (1 + erf(x/√2))/2.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Erf(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * 2 / math.SqrtPi * portable.Exp(-v*v))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.ErfLoop,
		Examples: []string{"erf(0) = 0", "erf(0.5) = 0.5204998778130465", "erf(-1) = -0.8427007929497149"},
		Limits:   []def.Limit{{X: 0, Y: 0}},
	}
}
