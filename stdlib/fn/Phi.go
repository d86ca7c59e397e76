package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Phi is the standard normal distribution function.
func Phi() def.Func {
	return def.Func{
		Name: "Phi",
		Doc: "The distribution function of the standard normal distribution: from a " +
			"probit to a probability.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Phi(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.NormalDensity(v))
			}
		},
		Monotone:    def.Increasing,
		Vector:      def.PhiLoop,
		Examples:    []string{"Phi(0) = 0.5", "Phi(1) = 0.8413447460685429", "Phi(-1) = 0.15865525393145707"},
		NonNegative: true,
	}
}
