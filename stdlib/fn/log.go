package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log is the natural logarithm.
func Log() def.Func {
	return def.Func{
		Name:   "log",
		Doc:    "The natural logarithm.",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / v
			}
		},
		Monotone: def.Increasing,
		Undoes:   "exp",
		After:    map[string]string{"inv_logit": "log_inv_logit", "Phi": "log_Phi"},
		Examples: []string{"log(1) = 0", "log(10) = 2.302585092994046"},
		Vector:   def.LogLoop,
		Limits: []def.Limit{{X: 1, Y: 0}, {X: 0, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
