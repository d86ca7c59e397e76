package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log10 is the logarithm to base 10.
func Log10() def.Func {
	return def.Func{
		Name:   "log10",
		Doc:    "The logarithm to base 10.",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log10(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / (math.Ln10 * v)
			}
		},
		Monotone: def.Increasing,
		Vector:   def.Log10Loop,
		Examples: []string{"log10(1000) = 3", "log10(1) = 0", "log10(0.5) = -0.3010299956639812"},
		Limits: []def.Limit{{X: 1, Y: 0}, {X: 0, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
