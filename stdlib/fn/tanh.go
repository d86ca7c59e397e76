package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Tanh is the hyperbolic tangent.
func Tanh() def.Func {
	return def.Func{
		Name: "tanh",
		Doc:  "The hyperbolic tangent, a common activation of neural networks.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Tanh(v)
			}
		},
		Backward: func(dx, dy, _, y []float64) {
			for i, v := range y {
				dx[i] += float64(dy[i] * (1 - v) * (1 + v))
			}
		},
		Monotone: def.Increasing,
		Examples: []string{"tanh(0) = 0", "tanh(1) = 0.7615941559557649", "tanh(50) = 1"},
		Vector:   def.TanhLoop,
		Limits:   []def.Limit{{X: 0, Y: 0}},
	}
}
