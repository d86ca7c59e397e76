package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log2 is the logarithm to base 2.
func Log2() def.Func {
	return def.Func{
		Name:   "log2",
		Doc:    "The logarithm to base 2.",
		Domain: "x > 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log2(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += dy[i] / (math.Ln2 * v)
			}
		},
		Monotone: def.Increasing,
		Vector:   def.Log2Loop,
		Examples: []string{"log2(8) = 3", "log2(1) = 0", "log2(0.3) = -1.7369655941662063"},
		Limits: []def.Limit{{X: 1, Y: 0}, {X: 0, Y: math.Inf(-1), Rate: def.Logarithmically},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.Logarithmically}},
	}
}
