package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// The logarithm of the error function by vectors: below nearError by its power series in x², NIST DLMF 7.6.1,
// and above by what lies beyond, 2·Phi(-√2·x).
const nearError = 0.5

var errorSeries = newErrorSeries()

func newErrorSeries() [][64]float64 {
	k := 0.0
	c := series(15, func(float64) float64 { k++; return -1 / k })
	for i := range c {
		for at, v := range c[i] {
			c[i][at] = v * (2 / math.SqrtPi / float64(2*(len(c)-1-i)+1))
		}
	}
	return c
}

// errorParts sets a to |x|, near to the series and beyond to minus 2·Phi(-√2·|x|), and mask to 1 where the
// series serves, for at most 64 numbers.
func errorParts(n int, a, near, beyond, mask, x []float64) {
	for i, v := range x[:n] {
		a[i] = math.Abs(v)
	}
	vector.SubFrom(n, mask, nearError, a)
	vector.ReluBack(n, mask, ones[:], mask)
	vector.Mul(n, beyond, a, a)
	horner(n, near, beyond, errorSeries)
	vector.Mul(n, near, near, a)
	vector.Scale(n, beyond, a, -math.Sqrt2)
	vector.LogPhi(n, beyond, beyond)
	vector.Exp(n, beyond, beyond)
	vector.Scale(n, beyond, beyond, -2)
}

// errorBack is the slope of the error function, 2 exp(-x²)/√π.
func errorBack(n int, t, _, dy, x, _ []float64) {
	vector.Mul(n, t, x, x)
	vector.Neg(n, t, t)
	vector.Exp(n, t, t)
	vector.Scale(n, t, t, 2/math.SqrtPi)
	vector.Mul(n, t, t, dy)
}

// logHalfNormal is the log of the distribution function of |u| for a standard normal u: of the error function
// of x/√2.
func logHalfNormal(n int, y, x []float64) {
	var scaled, a, near, beyond, mask [64]float64
	for from := 0; from < n; from += len(a) {
		m, y := min(len(a), n-from), y[from:]
		vector.Scale(m, scaled[:], x[from:], 1/math.Sqrt2)
		errorParts(m, a[:], near[:], beyond[:], mask[:], scaled[:])
		vector.Log(m, near[:], near[:])
		vector.Log1p(m, beyond[:], beyond[:])
		vector.Select(m, y, mask[:], near[:], beyond[:])
	}
}

// logHalfNormalBack is twice the density over the value without its log.
func logHalfNormalBack(n int, t, _, dy, x, y []float64) {
	vector.Mul(n, t, x, x)
	vector.Scale(n, t, t, -0.5)
	vector.Sub(n, t, t, y)
	vector.Exp(n, t, t)
	vector.Scale(n, t, t, 2*perRootTwoPi)
	vector.Weight(n, t, t, dy)
}

const perRootTwoPi = 0.39894228040143267793994605993438
