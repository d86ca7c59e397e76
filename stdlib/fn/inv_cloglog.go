package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InvCloglog is the inverse of cloglog.
func InvCloglog() def.Func {
	return def.Func{
		Name: "inv_cloglog",
		Doc:  "1 - exp(-exp(x)), from the logarithm of a hazard to a probability.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = -portable.Expm1(-portable.Exp(v))
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (portable.Exp(v - portable.Exp(v))))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.InvCloglogLoop,
		Examples: []string{"inv_cloglog(0) = 0.6321205588285577",
			"inv_cloglog(-40) = 4.248354255291589e-18", "inv_cloglog(3) = 0.9999999981078213"},
		NonNegative: true,
		Limits:      []def.Limit{{X: math.Inf(-1), Y: 0, Rate: def.Exponentially}},
	}
}
