package portable

import (
	"math"
)

// LogIncBeta returns the logarithm of the regularised incomplete beta function I_x(a, b) for a, b > 0 and y =
// 1 - x, with its derivatives in a and b, and flow, x·y times its derivative in x. It is the continued
// fraction NIST DLMF 8.17.22 with derivatives, taken for I_y(b, a) where x is beyond the mean: both tails
// keep their digits.
func LogIncBeta(a, b, x, y float64) (value, da, db, flow float64) {
	switch {
	case !(a > 0 && b > 0) || math.IsNaN(x+y):
		return math.NaN(), math.NaN(), math.NaN(), math.NaN()
	case x <= 0:
		return math.Inf(-1), 0, 0, 0
	case y <= 0:
		return 0, 0, 0, 0
	}
	// log of x·y times the density
	density := float64(a*logNear(x, y)) + float64(b*logNear(y, x)) - LogBeta(a, b)
	if x <= (a+1)/(a+b+2) {
		value, da, db = betaBelow(a, b, x, y, density)
		return value, da, db, Exp(density - value)
	}
	other, ob, oa := betaBelow(b, a, y, x, density)
	value, da = complement(other, oa)
	_, db = complement(other, ob)
	return value, da, db, Exp(density - value)
}

// logNear is log x for x = 1 - y.
func logNear(x, y float64) float64 {
	if y < 0.5 {
		return Log1p(-y)
	}
	return Log(x)
}

// betaBelow is log I_x(a, b) for x below the mean, with its derivatives in a and b.
func betaBelow(a, b, x, y, density float64) (value, da, db float64) {
	h := betaFraction(a, b, x)
	value = density - Log(a) + Log(h.v)
	da = logNear(x, y) + DigammaDiff(a, b) - 1/a + h.a/h.v
	db = logNear(y, x) + DigammaDiff(b, a) + h.b/h.v
	return value, da, db
}

// betaFraction is the continued fraction of the incomplete beta function by Lentz's method.
func betaFraction(a, b, x float64) dual {
	one := dual{v: 1}
	c, d := one, one.plus(betaOdd(a, b, x, 0)).inverse()
	h := d
	for m := 1.0; m < mostTerms; m++ {
		even, odd := betaEven(a, b, x, m), betaOdd(a, b, x, m)
		d = even.times(d).plus(one).inverse()
		c = one.plus(even.times(c.inverse()))
		h = h.times(d).times(c)
		d = odd.times(d).plus(one).inverse()
		c = one.plus(odd.times(c.inverse()))
		step := d.times(c)
		h = h.times(step)
		if step.isOne() {
			break
		}
	}
	return h
}

func betaEven(a, b, x, m float64) dual {
	p, q := a+float64(2*m)-1, a+float64(2*m)
	v := m * (b - m) * x / (p * q)
	return dual{v, float64(-v * (1/p + 1/q)), m * x / (p * q)}
}

func betaOdd(a, b, x, m float64) dual {
	p, q := a+float64(2*m), a+float64(2*m)+1
	v := -(a + m) * (a + b + m) * x / (p * q)
	return dual{v, float64(v * (1/(a+m) + 1/(a+b+m) - 1/p - 1/q)), v / (a + b + m)}
}
