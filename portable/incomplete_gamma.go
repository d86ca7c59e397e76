package portable

import (
	"math"
)

// LogIncGamma returns the logarithm of the regularised incomplete gamma function P(a, x), or of its
// complement Q(a, x), and the derivatives in a and x, for a > 0; x below 0 counts as 0. Below x = a+1 it sums
// the series NIST DLMF 8.11.4 of P, elsewhere the continued fraction 8.9.2 of Q, term by term with their
// derivatives in a; the other of the two is 1 less this one.
func LogIncGamma(a, x float64, upper bool) (value, da, dx float64) {
	switch {
	case !(a > 0) || math.IsNaN(x):
		return math.NaN(), math.NaN(), math.NaN()
	case x <= 0:
		return atEnd(upper), 0, 0
	case math.IsInf(x, 1):
		return atEnd(!upper), 0, 0
	}
	series := x < a+1
	density := float64(a*Log(x)) - x - LogAbsGamma(a) // log of x times the derivative of P
	if series {
		sum, slope := gammaSeries(a, x)
		value, da = density-Log(a)+Log(sum), Log(x)-Digamma(a+1)+slope/sum
	} else {
		h := gammaFraction(a, x)
		value, da = density+Log(h.v), Log(x)-Digamma(a)+h.a/h.v
	}
	if series == upper {
		value, da = complement(value, da)
	}
	dx = Exp(density-value) / x
	if upper {
		dx = -dx
	}
	return value, da, dx
}

// atEnd is the logarithm of a probability of 1, or of 0.
func atEnd(sure bool) float64 {
	if sure {
		return 0
	}
	return math.Inf(-1)
}

// complement returns log(1 - p) and its derivative, from log p and its derivative.
func complement(logP, slope float64) (value, d float64) {
	logP = min(logP, 0)
	value = Log1mExp(logP)
	return value, -Exp(logP-value) * slope
}

// mostTerms bounds series and continued fractions: they need about √a terms where x is near a.
const mostTerms = 200_000

// gammaSeries is Σ xⁿ/((a+1)…(a+n)) with its derivative in a.
func gammaSeries(a, x float64) (sum, slope float64) {
	term, log := 1.0, 0.0 // log: the derivative of the logarithm of the term
	sum = 1
	for n := 1.0; n < mostTerms; n++ {
		term = float64(term * (x / (a + n)))
		log -= 1 / (a + n)
		sum += term
		slope += float64(term * log)
		if term < 1e-17*sum && -term*log < 1e-17*-slope {
			break
		}
	}
	return sum, slope
}

// gammaFraction is the continued fraction 1/(x+1-a - 1(1-a)/(x+3-a - …)) by Lentz's method.
func gammaFraction(a, x float64) dual {
	b := dual{v: x + 1 - a, a: -1}
	c := dual{v: 1 / least}
	d := b.inverse()
	h := d
	for n := 1.0; n < mostTerms; n++ {
		an := dual{v: float64(-n * (n - a)), a: n}
		b.v += 2
		d = an.times(d).plus(b).inverse()
		c = b.plus(an.times(c.inverse()))
		step := d.times(c)
		h = h.times(step)
		if step.isOne() {
			break
		}
	}
	return h
}

// LogPoissonTail returns the logarithm of the probability that a Poisson count with mean lambda ≥ 0 is at
// most n ≥ 0, or that it is more, and its derivative in lambda: LogIncGamma of n + 1, whose terms for a whole
// number need no gamma function and no derivative in it.
func LogPoissonTail(n, lambda float64, upper bool) (value, slope float64) {
	const mostCount, mostMean, leastTerm = 100, 300, 1e-200 // products beyond take long, or have no digits
	last, sum := 1.0, 1.0                                   // of the terms lambda^k/k! up to n
	for k := 1.0; k <= min(n, mostCount); k++ {
		last = float64(last * (lambda / k))
		sum += last
	}
	if !(n <= mostCount && lambda > 0 && lambda <= mostMean && last > leastTerm) {
		value, _, slope = LogIncGamma(n+1, lambda, !upper)
		return value, slope
	}
	above := lambda < n+2
	if above { // the terms beyond n, whose sum is smaller
		sum = 0
		for k, term := n+1, last; ; k++ {
			term = float64(term * (lambda / k))
			sum += term
			if term <= 1e-17*sum {
				break
			}
		}
	}
	value = Log(sum) - lambda
	slope = last / sum
	if above != upper {
		value = Log1mExp(min(value, 0))
		slope = float64(last * Exp(-lambda-value))
	}
	if !upper {
		slope = -slope
	}
	return value, slope
}
