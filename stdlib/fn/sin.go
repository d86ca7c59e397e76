package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Sin is the sine.
func Sin() def.Func {
	return def.Func{
		Name: "sin",
		Doc:  "The sine of an angle in radians.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Sin(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Cos(v))
			}
		},
		Vector:   def.SinLoop,
		Examples: []string{"sin(0) = 0", "sin(1) = 0.8414709848078965"},
	}
}
