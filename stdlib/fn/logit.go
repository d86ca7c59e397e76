package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Logit is the log odds of a probability.
func Logit() def.Func {
	return def.Func{
		Name:   "logit",
		Doc:    "log(x/(1 - x)), from a probability to log odds.",
		Domain: "0 < x < 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log(v / (1 - v))
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / (v * (1 - v))
			}
		},
		Monotone: def.Increasing,
		Undoes:   "inv_logit",
		Vector:   def.LogitLoop,
		Examples: []string{"logit(0.5) = 0", "logit(0.25) = -1.0986122886681098"},
		Limits: []def.Limit{{X: 0.5, Y: 0}, {X: 0, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: 1, Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
