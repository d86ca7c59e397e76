package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Gelu is the Gaussian error linear unit.
func Gelu() def.Func {
	return def.Func{
		Name: "gelu",
		Doc: "x·Phi(x), a smooth activation of neural networks. Source: Hendrycks and Gimpel (2016), " +
			"Gaussian error linear units.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = v * portable.Phi(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (portable.Phi(v) + float64(v*portable.NormalDensity(v))))
			}
		},
		Vector:   def.GeluLoop,
		Examples: []string{"gelu(0) = 0", "gelu(1) = 0.8413447460685429", "gelu(-2) = -0.04550026389635842"},
	}
}
