package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log1p is log(1 + x).
func Log1p() def.Func {
	return def.Func{
		Name:   "log1p",
		Doc:    "log(1 + x), accurate for x near 0.",
		Domain: "x > -1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log1p(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / (1 + v)
			}
		},
		After:    map[string]string{"exp": "softplus"},
		Monotone: def.Increasing,
		Examples: []string{"log1p(0) = 0", "log1p(1e-20) = 1e-20", "log1p(1) = 0.6931471805599453"},
		Vector:   def.Log1pLoop,
		Limits: []def.Limit{{X: 0, Y: 0}, {X: -1, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
