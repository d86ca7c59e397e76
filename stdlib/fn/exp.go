package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Exp is the exponential function.
func Exp() def.Func {
	return def.Func{
		Name: "exp",
		Doc:  "The exponential function.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Exp(v)
			}
		},
		Backward: func(dx, dy, _, y []float64) {
			for i, v := range y {
				dx[i] += float64(dy[i] * v)
			}
		},
		Monotone:    def.Increasing,
		TakesFactor: "log",
		Examples:    []string{"exp(0) = 1", "exp(1) = 2.718281828459045", "exp(-1000) = 0"},
		Vector:      def.ExpLoop,
		NonNegative: true,
		Limits: []def.Limit{{X: math.Inf(-1), Y: 0, Rate: def.Exponentially},
			{X: math.Inf(1), Y: math.Inf(1), Rate: def.Exponentially}},
	}
}
