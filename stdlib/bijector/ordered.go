package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Ordered maps to vectors that increase.
func Ordered() def.Structured {
	return def.Structured{
		Name: "ordered",
		Doc: `Vectors that increase, such as the cutpoints of an ordinal regression: y_1 = u_1, y_k = y_{k-1} + exp(u_k), log|J| = Σ_{k>1} u_k.

Source: Stan Reference Manual, "Ordered vector".`,
		Support: def.Ordered,
		Rank:    1,
		Least:   1,
		Free:    func(k int) int { return k },
		Forward: func(y, x, _ []float64, k int) float64 {
			y[0] = x[0]
			return increase(y, x, k)
		},
		Backward: func(dx, dy, x, _, _ []float64, k int, jacobian bool) {
			dx[0] += decrease(dx, dy, x, k, jacobian)
		},
		Inverse: func(x, y []float64, k int) {
			x[0] = y[0]
			steps(x, y, k)
		},
		Contains: func(y []float64, k int) bool { return finite(y) && increases(y, k) },
	}
}

// increase sets y_2, … from y_1 and returns Σ_{k>1} x_k.
func increase(y, x []float64, k int) float64 {
	sum := 0.0
	for i := 1; i < k; i++ {
		// rounding must not make two equal
		y[i] = max(y[i-1]+portable.Exp(x[i]), math.Nextafter(y[i-1], math.Inf(1)))
		sum += x[i]
	}
	return sum
}

// decrease adds the gradients in x_2, … and returns the derivative by y_1.
func decrease(dx, dy, x []float64, k int, jacobian bool) float64 {
	sum := 0.0
	for i := k - 1; i > 0; i-- {
		sum += dy[i]
		dx[i] += float64(sum * portable.Exp(x[i]))
		if jacobian {
			dx[i]++
		}
	}
	return sum + dy[0]
}

// steps inverts increase.
func steps(x, y []float64, k int) {
	for i := 1; i < k; i++ {
		x[i] = portable.Log(y[i] - y[i-1])
	}
}

func increases(y []float64, k int) bool {
	for i := 1; i < k; i++ {
		if !(y[i] > y[i-1]) {
			return false
		}
	}
	return true
}

// finite reports whether all numbers are finite.
func finite(y []float64) bool {
	for _, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
