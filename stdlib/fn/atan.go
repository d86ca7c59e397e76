package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Atan is the inverse of the tangent.
func Atan() def.Func {
	return def.Func{
		Name: "atan",
		Doc:  "The angle in radians, between -π/2 and π/2, whose tangent is x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Atan(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (1 / (1 + float64(v*v))))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.AtanLoop,
		Examples: []string{"atan(0) = 0", "atan(1) = 0.7853981633974483", "atan(-5) = -1.373400766945016"},
		Limits:   []def.Limit{{X: 0, Y: 0}},
	}
}
