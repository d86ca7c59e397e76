package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// SumToZero maps to vectors that sum to 0.
func SumToZero() def.Structured {
	return def.Structured{
		Name: "sum_to_zero",
		Doc: `Vectors that sum to 0, such as effects of groups beside an intercept: y = Σ_i u_i v_i with the orthonormal vectors v_i = (1, …, 1, -i, 0, …)/√(i(i+1)) of sum 0,
log|J| = -½ log K. Distances in u are those in y.

Source: Stan Reference Manual, "Zero sum vector"; Egozcue et al. (2003), Isometric logratio transformations for compositional data analysis, Mathematical Geology 35.`,
		Support: def.ZeroSum,
		Rank:    1,
		Least:   1,
		Free:    func(k int) int { return k - 1 },
		Forward: func(y, x, _ []float64, k int) float64 {
			zeroSum(y, x, k)
			return float64(-0.5 * portable.Log(float64(k)))
		},
		Backward: func(dx, dy, _, _, _ []float64, _ int, _ bool) { addCoordinates(dx, dy) },
		Inverse: func(x, y []float64, _ int) {
			clear(x)
			addCoordinates(x, y)
		},
		Contains: func(y []float64, _ int) bool {
			sum, size := 0.0, 1.0
			for _, v := range y {
				sum, size = sum+v, size+math.Abs(v)
			}
			return finite(y) && math.Abs(sum) <= 1e-8*size
		},
	}
}

// zeroSum sets z to Σ_i x_i v_i.
func zeroSum(z, x []float64, k int) {
	sum := 0.0
	for i := k - 1; i >= 0; i-- {
		z[i] = sum
		if i > 0 {
			w := x[i-1] / math.Sqrt(float64(i)*float64(i+1))
			z[i] -= float64(float64(i) * w)
			sum += w
		}
	}
}

// addCoordinates adds the products of a vector with v_1, …, v_{K-1} to x.
func addCoordinates(x, z []float64) {
	sum := 0.0
	for i, v := range z {
		if i > 0 {
			x[i-1] += (sum - float64(float64(i)*v)) / math.Sqrt(float64(i)*float64(i+1))
		}
		sum += v
	}
}
