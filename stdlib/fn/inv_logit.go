package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InvLogit is the logistic function.
func InvLogit() def.Func {
	return def.Func{
		Name: "inv_logit",
		Doc:  "The logistic function 1/(1 + exp(-x)), from log odds to a probability.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Sigmoid(v)
			}
		},
		Backward: func(dx, dy, x, y []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * y[i] * portable.Sigmoid(-v)) // 1 - y would cancel for large x
			}
		},
		Monotone: def.Increasing,
		Examples: []string{"inv_logit(0) = 0.5", "inv_logit(-40) = 4.248354255291589e-18",
			"inv_logit(1000) = 1"},
		Vector:      def.InvLogitLoop,
		NonNegative: true,
		Limits:      []def.Limit{{X: math.Inf(-1), Y: 0, Rate: def.Exponentially}},
	}
}
