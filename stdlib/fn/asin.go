package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Asin is the inverse of the sine.
func Asin() def.Func {
	return def.Func{
		Name:   "asin",
		Doc:    "The angle in radians, between -π/2 and π/2, whose sine is x.",
		Domain: "-1 <= x <= 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Asin(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / math.Sqrt((1-v)*(1+v))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.AsinLoop,
		Examples: []string{"asin(0) = 0", "asin(0.5) = 0.5235987755982989",
			"asin(-0.75) = -0.848062078981481"},
		Limits: []def.Limit{{X: 0, Y: 0}},
	}
}
