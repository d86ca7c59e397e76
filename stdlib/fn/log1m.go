package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log1m is log(1 - x).
func Log1m() def.Func {
	return def.Func{
		Name:   "log1m",
		Doc:    "log(1 - x), accurate for x near 0.",
		Domain: "x < 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log1p(-v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (1 / (v - 1)))
			}
		},
		After:    map[string]string{"inv_logit": "log1m_inv_logit", "exp": "log1m_exp"},
		Monotone: def.Decreasing,
		Vector:   def.Log1mLoop,
		Examples: []string{"log1m(0) = 0", "log1m(0.5) = -0.6931471805599453", "log1m(1e-20) = -1e-20"},
		Limits: []def.Limit{{X: 0, Y: 0}, {X: 1, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: math.Inf(-1), Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
