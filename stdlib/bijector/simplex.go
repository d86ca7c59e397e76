package bijector

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Simplex maps to vectors of probabilities that sum to 1.
func Simplex() def.Structured {
	return def.Structured{
		Name: "simplex",
		Doc: `Vectors of numbers above 0 that sum to 1, by the isometric log-ratio transform: z = Σ_i u_i v_i with the orthonormal vectors
v_i = (1, …, 1, -i, 0, …)/√(i(i+1)) of sum 0, y = softmax(z), log|J| = Σ_k log y_k + ½ log K.

Source: Stan Reference Manual, "Unit simplex" and "Zero sum vector"; Egozcue et al. (2003), Isometric logratio transformations for compositional data analysis,
Mathematical Geology 35.`,
		Support:  def.Simplex,
		Rank:     1,
		Least:    1,
		Free:     func(k int) int { return k - 1 },
		Forward:  simplexForward,
		Backward: simplexBackward,
		Inverse:  simplexInverse,
		Contains: func(y []float64, k int) bool {
			sum := 0.0
			for _, v := range y {
				if !(v >= 0) {
					return false
				}
				sum += v
			}
			return math.Abs(sum-1) <= 1e-8
		},
	}
}

func simplexForward(y, x, _ []float64, k int) float64 {
	zeroSum(y, x, k) // y is z
	largest := slices.Max(y)
	total, logs := 0.0, 0.0
	for i, z := range y {
		logs += z - largest
		y[i] = portable.Exp(z - largest)
		total += y[i]
	}
	for i := range y {
		y[i] = max(y[i]/total, math.SmallestNonzeroFloat64)
	}
	return logs - float64(float64(k)*portable.Log(total)) + float64(0.5*portable.Log(float64(k)))
}

func simplexBackward(dx, dy, _, y, _ []float64, k int, jacobian bool) {
	mean := 0.0
	for i, v := range y {
		mean += float64(v * dy[i])
	}
	for i, v := range y { // by z
		dy[i] = float64(v * (dy[i] - mean))
		if jacobian {
			dy[i] += 1 - float64(float64(k)*v)
		}
	}
	addCoordinates(dx, dy)
}

func simplexInverse(x, y []float64, k int) {
	sum := 0.0
	for i, v := range y {
		z := portable.Log(max(v, math.SmallestNonzeroFloat64))
		if i > 0 {
			x[i-1] = (sum - float64(float64(i)*z)) / math.Sqrt(float64(i)*float64(i+1))
		}
		sum += z
	}
}
