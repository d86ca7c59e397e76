package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Cos is the cosine.
func Cos() def.Func {
	return def.Func{
		Name: "cos",
		Doc:  "The cosine of an angle in radians.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Cos(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (-portable.Sin(v)))
			}
		},
		Vector:   def.CosLoop,
		Examples: []string{"cos(0) = 1", "cos(1) = 0.5403023058681398"},
	}
}
