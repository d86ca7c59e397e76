package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Sqrt is the square root.
func Sqrt() def.Func {
	return def.Func{
		Name:   "sqrt",
		Doc:    "The square root. Its derivative is infinite at 0.",
		Domain: "x >= 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = math.Sqrt(v)
			}
		},
		Backward: func(dx, dy, _, y []float64) {
			for i, v := range y {
				dx[i] += dy[i] * 0.5 / v
			}
		},
		Monotone:    def.Increasing,
		Examples:    []string{"sqrt(0) = 0", "sqrt(2.25) = 1.5"},
		Vector:      def.SqrtLoop,
		NonNegative: true,
		Limits: []def.Limit{{X: 0, Y: 0, Rate: def.PowerLaw},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.PowerLaw}},
	}
}
