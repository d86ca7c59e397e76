package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Softplus is log(1 + exp(x)).
func Softplus() def.Func {
	return def.Func{
		Name: "softplus",
		Doc:  "log(1 + exp(x)), a smooth max(x, 0); Stan's log1p_exp.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log1pExp(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Sigmoid(v))
			}
		},
		Monotone: def.Increasing,
		Examples: []string{"softplus(0) = 0.6931471805599453", "softplus(800) = 800",
			"softplus(-40) = 4.248354255291589e-18"},
		Vector:      def.SoftplusLoop,
		NonNegative: true,
		Limits: []def.Limit{{X: math.Inf(-1), Y: 0, Rate: def.Exponentially},
			{X: math.Inf(1), Y: math.Inf(1)}},
	}
}
