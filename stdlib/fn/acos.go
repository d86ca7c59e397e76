package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Acos is the inverse of the cosine.
func Acos() def.Func {
	return def.Func{
		Name:   "acos",
		Doc:    "The angle in radians, between 0 and π, whose cosine is x.",
		Domain: "-1 <= x <= 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Acos(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] -= dy[i] / math.Sqrt((1-v)*(1+v))
			}
		},
		Monotone: def.Decreasing,
		Vector:   def.AcosLoop,
		Examples: []string{"acos(1) = 0", "acos(0.5) = 1.0471975511965979",
			"acos(-0.75) = 2.4188584057763776"},
	}
}
