package graph

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// The arctangent by vectors. From 1/16 to 16 each quarter of an octave has a piece with a center c, where
// atan a = atan c + atan u with u = (a-c)/(1+ca). Below that c is 0, and above u = -1/a. |u| is 1/16 at most.
const (
	quarterBits = 50 // of a float64, below its exponent and the quarter of its octave
	leastArc    = 1. / 16
	mostArc     = 16
)

// An arcPiece has u as a quotient, (a·by+plus)/(a·of+and), and what is to be added to its arctangent for that
// of a, and for what that lacks to π/2.
type arcPiece struct{ by, plus, of, and, arc, rest float64 }

var arcPieces = newArcPieces()

func newArcPieces() (out []arcPiece) {
	out = []arcPiece{{by: 1, and: 1, rest: math.Pi / 2}}
	for lower := leastArc; lower < mostArc; lower *= 2 {
		for k := range 4 {
			c := lower * ((float64(k) + 4.5) / 4)
			out = append(out, arcPiece{1, -c, c, 1, portable.Atan(c), portable.Atan2(1, c)})
		}
	}
	return append(out, arcPiece{plus: -1, of: 1, arc: math.Pi / 2})
}

// arctangents sets y to atan |x|, or to π/2 - atan |x| with all its digits.
func arctangents(n int, y, x []float64, rest bool) {
	var u, square, sum [128]float64
	first := int(math.Float64bits(leastArc)>>quarterBits) - 1
	for ; n > 0; n -= len(u) {
		m := min(n, len(u))
		for i, v := range x[:m] {
			a := math.Abs(v)
			p := arcPieces[min(max(int(math.Float64bits(a)>>quarterBits)-first, 0), len(arcPieces)-1)]
			u[i], square[i] = float64(a*p.by)+p.plus, float64(a*p.of)+p.and
			y[i] = p.arc
			if rest {
				y[i] = p.rest
			}
			if a > math.MaxFloat64 {
				u[i] = -1
			}
		}
		vector.Div(m, u[:], u[:], square[:])
		vector.Mul(m, square[:], u[:], u[:])
		vector.Fill(m, sum[:], 1./13)
		for k := 11.0; k > 1; k -= 2 {
			vector.Mul(m, sum[:], sum[:], square[:])
			vector.SubFrom(m, sum[:], 1/k, sum[:])
		}
		vector.Mul(m, square[:], square[:], u[:])
		vector.Mul(m, square[:], square[:], sum[:])
		vector.Sub(m, u[:], u[:], square[:])
		if rest {
			vector.Sub(m, y, y, u[:])
		} else {
			vector.Add(m, y, y, u[:])
		}
		x, y = x[m:], y[m:]
	}
}

func arctangent(n int, y, x []float64) {
	arctangents(n, y, x, false)
	for i, v := range x[:n] {
		y[i] = math.Copysign(y[i], v)
	}
}

func arcsine(n int, y, x []float64) {
	var t, s [128]float64
	for ; n > 0; n -= len(t) {
		m := min(n, len(t))
		cosines(m, t[:], s[:], x)
		vector.Div(m, t[:], x, t[:])
		arctangent(m, y, t[:])
		x, y = x[m:], y[m:]
	}
}

// cosines sets t to √((1-x)(1+x)).
func cosines(n int, t, s, x []float64) {
	vector.SubFrom(n, t, 1, x)
	vector.AddScalar(n, s, x, 1)
	vector.Mul(n, t, t, s)
	vector.Sqrt(n, t, t)
}

// arccosine is twice the arctangent of √((1-x)/(1+x)).
func arccosine(n int, y, x []float64) {
	var t, s [128]float64
	for ; n > 0; n -= len(t) {
		m := min(n, len(t))
		vector.SubFrom(m, t[:], 1, x)
		vector.AddScalar(m, s[:], x, 1)
		vector.Div(m, t[:], t[:], s[:])
		vector.Sqrt(m, t[:], t[:])
		arctangents(m, y, t[:], false)
		vector.Scale(m, y, y, 2)
		x, y = x[m:], y[m:]
	}
}

// arctangentBack sets t to dy/(1 + x²).
func arctangentBack(n int, t, _, dy, x, _ []float64) {
	vector.Mul(n, t, x, x)
	vector.AddScalar(n, t, t, 1)
	vector.Div(n, t, dy, t)
}

// logCauchy sets y to the log of the distribution function of the standard Cauchy distribution.
func logCauchy(n int, y, x []float64) {
	var q, above, p [128]float64
	for ; n > 0; n -= len(p) {
		m := min(n, len(p))
		arctangents(m, q[:], x, true)
		vector.Scale(m, q[:], q[:], 1/math.Pi)
		for i, z := range x[:m] {
			above[i] = truth(z > 0)
		}
		logOrRest(m, y, q[:], above[:], p[:])
		x, y = x[m:], y[m:]
	}
}

// logHalfCauchy is that of the absolute value: from 1 on by what is beyond.
func logHalfCauchy(n int, y, x []float64) {
	var q, above, p [128]float64
	for ; n > 0; n -= len(p) {
		m := min(n, len(p))
		arctangents(m, q[:], x, true)
		arctangents(m, p[:], x, false)
		for i, z := range x[:m] {
			above[i] = truth(z > 1)
		}
		vector.Select(m, q[:], above[:], q[:], p[:])
		vector.Scale(m, q[:], q[:], 2/math.Pi)
		logOrRest(m, y, q[:], above[:], p[:])
		x, y = x[m:], y[m:]
	}
}

// logOrRest sets y to log q, or log(1-q) where the indicator rest is 1: that is the log of the rounded
// p = 1-q, and what the rounding left, over p, which is between 1/2 and 1.
func logOrRest(n int, y, q, rest, p []float64) {
	for i, is := range rest[:n] {
		p[i] = is + float64((1-float64(2*is))*q[i])
		q[i] = is * float64(((1-p[i])-q[i])*(2-p[i]))
	}
	vector.Log(n, y, p)
	vector.Add(n, y, y, q)
}

// cauchyBack returns the reverse of logCauchy, or with 2 of logHalfCauchy: the slope is the density over the
// probability.
func cauchyBack(times float64) func(n int, t, s, dy, x, y []float64) {
	return func(n int, t, s, dy, x, y []float64) {
		vector.Neg(n, t, y)
		vector.Exp(n, t, t)
		vector.Scale(n, t, t, times/math.Pi)
		vector.Mul(n, s, x, x)
		vector.AddScalar(n, s, s, 1)
		vector.Div(n, t, t, s)
		vector.Weight(n, t, t, dy)
	}
}

// logToBase computes the logarithm to a base: exact has it right at powers of the base, where a multiple of
// log comes close to a whole number.
func logToBase(perLog float64, exact func(float64) float64) *vectorFunc {
	return &vectorFunc{func(n int, y, x []float64) {
		vector.Log(n, y, x)
		vector.Scale(n, y, y, perLog)
		for i, v := range y[:n] {
			if !(math.Abs(v-math.RoundToEven(v)) > 1e-12) {
				y[i] = exact(x[i])
			}
		}
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.Div(n, t, dy, x)
		vector.Scale(n, t, t, perLog)
	}, false}
}

// arcsineBack is the slope of the arcsine, or with -1 of the arccosine: ±1/√((1-x)(1+x)).
func arcsineBack(sign float64) func(n int, t, s, dy, x, y []float64) {
	return func(n int, t, s, dy, x, _ []float64) {
		cosines(n, t, s, x)
		vector.Div(n, t, dy, t)
		vector.Scale(n, t, t, sign)
	}
}

// inverseNormalBack is dy over the density at y = inv_Phi(x).
func inverseNormalBack(n int, t, _, dy, x, y []float64) {
	vector.LogPhiSlope(n, t, y)
	vector.Weight(n, t, t, x)
	vector.Div(n, t, dy, t)
}
