package fn

import (
	"github.com/vflc/vflc/stdlib/def"
)

// Inv is the reciprocal.
func Inv() def.Func {
	return def.Func{
		Name: "inv",
		Doc:  "1/x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = 1 / v
			}
		},
		Backward: func(dx, dy, _, y []float64) {
			for i := range dx {
				dx[i] += float64(dy[i] * (-y[i] * y[i]))
			}
		},
		EachSide: true,
		Vector:   def.InvLoop,
		Examples: []string{"inv(2) = 0.5", "inv(-4) = -0.25"},
	}
}
