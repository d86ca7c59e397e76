package algebra

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// Halvings of a step, and the share of the rise that it promises with which it is taken.
const (
	mostHalved = 30
	sufficient = 1e-4
)

// Maximise raises a function from x on by limited-memory BFGS, as far as so many steps lead, and returns its
// value there; x is then that point. f sets the gradient, where it has room for one; it may be -∞ or NaN but
// where the climb begins.
func Maximise(x []float64, steps int, f func(x, grad []float64) float64) float64 {
	n := len(x)
	if n == 0 {
		return f(x, nil)
	}
	h := NewHistory(n)
	slope, next, at, by := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	products := make([]float64, HistoryProducts)
	direction := make([]float64, HistoryCoefficients)
	minus := func(x, grad []float64) float64 {
		v := f(x, grad)
		vector.Neg(n, grad, grad)
		return -v
	}
	value := minus(x, slope)
	for range steps {
		h.Multiply(slope, func(from, to []float64) { copy(to, from) }, products)
		if h.Used > 0 && !LatestCurved(products, h.Used) {
			h.Drop()
			h.Multiply(slope, func(from, to []float64) { copy(to, from) }, products)
		}
		down := DescentDirection(products, h.Used, direction)
		h.Combine(direction, by)
		length := 1.0
		if h.Used == 0 {
			length = min(1, 1/math.Sqrt(SquaredGradient(products)))
		}
		better := math.Inf(1)
		for range mostHalved {
			vector.ScaleAdd(n, at, length, by, x)
			if better = minus(at, next); better <= value+float64(sufficient*float64(length*down)) {
				break
			}
			length /= 2
		}
		if !(better < value) {
			break
		}
		s, y := h.Next()
		vector.Sub(n, s, at, x)
		vector.Sub(n, y, next, slope)
		copy(x, at)
		slope, next = next, slope
		rise := value - better
		if value = better; rise < 1e-9*(1+math.Abs(better)) {
			break
		}
	}
	return -value
}
