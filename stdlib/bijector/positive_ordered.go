package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// PositiveOrdered maps to vectors of positive numbers that increase.
func PositiveOrdered() def.Structured {
	return def.Structured{
		Name: "positive_ordered",
		Doc: `Vectors of positive numbers that increase: y_1 = exp(u_1), y_k = y_{k-1} + exp(u_k), log|J| = Σ_k u_k.

Source: Stan Reference Manual, "Positive ordered vector".`,
		Support: def.PositiveOrdered,
		Rank:    1,
		Least:   1,
		Free:    func(k int) int { return k },
		Forward: func(y, x, _ []float64, k int) float64 {
			y[0] = max(portable.Exp(x[0]), math.SmallestNonzeroFloat64)
			return x[0] + increase(y, x, k)
		},
		Backward: func(dx, dy, x, y, _ []float64, k int, jacobian bool) {
			dx[0] += float64(decrease(dx, dy, x, k, jacobian) * y[0])
			if jacobian {
				dx[0]++
			}
		},
		Inverse: func(x, y []float64, k int) {
			x[0] = portable.Log(y[0])
			steps(x, y, k)
		},
		Contains: func(y []float64, k int) bool { return finite(y) && y[0] > 0 && increases(y, k) },
	}
}
