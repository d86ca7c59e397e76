package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
)

// Samplers return NaN for parameters outside their domain.

// tiny keeps a draw from a support without 0 from underflowing to it. A NaN stays.
func tiny(x float64) float64 {
	const smallestNormal = 0x1p-1022
	return max(x, smallestNormal)
}

// drawGamma draws from gamma(alpha, 1). Marsaglia and Tsang, A simple method for generating gamma variables,
// ACM TOMS 26 (2000).
func drawGamma(r *rand.Rand, alpha float64) float64 {
	if alpha < 1 {
		return portable.Exp(logGammaBelowOne(r, alpha))
	}
	alpha = positive(alpha)
	d := alpha - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := portable.Normal(r)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		// accepts NaN, or a bad alpha would loop
		if u := r.Float64(); !(portable.Log(u) >= float64(0.5*x*x)+float64(d*(1-v+portable.Log(v)))) {
			return d * v
		}
	}
}

// logGammaBelowOne draws log(x) for x from gamma(alpha, 1), alpha < 1, as log(x') + log(u)/alpha with x' from
// gamma(alpha+1, 1): x itself underflows for small alpha.
func logGammaBelowOne(r *rand.Rand, alpha float64) float64 {
	alpha = positive(alpha)
	return portable.Log(drawGamma(r, alpha+1)) - portable.Exponential(r)/alpha
}

func logGamma(r *rand.Rand, alpha float64) float64 {
	if alpha < 1 {
		return logGammaBelowOne(r, alpha)
	}
	return portable.Log(drawGamma(r, alpha))
}

// drawBeta draws from beta(a, b), inside (0, 1), as x/(x+y) for x, y from gamma(a, 1), gamma(b, 1).
func drawBeta(r *rand.Rand, a, b float64) float64 {
	const last = 1 - 0x1p-53
	u := logGamma(r, a)
	return min(tiny(portable.Sigmoid(u-logGamma(r, b))), last)
}

// drawBinary draws 1 with probability p, NaN for a NaN.
func drawBinary(r *rand.Rand, p float64) float64 {
	switch u := r.Float64(); {
	case u < p:
		return 1
	case p <= u:
		return 0
	}
	return math.NaN()
}

// drawBinomial draws from binomial(n, p) with q = 1 - p. While n is large, it splits the n uniforms at their
// median, a beta variable, and goes on with the half that p falls in. Devroye, Non-Uniform Random Variate
// Generation (1986), X.4.3 (recursive methods).
func drawBinomial(r *rand.Rand, n, p, q float64) float64 {
	n = natural(n)
	if math.IsNaN(n + p) {
		return math.NaN()
	}
	if p > q {
		return n - drawBinomial(r, n, q, p)
	}
	count := 0.0
	for n > 32 {
		below := math.Floor(n / 2)
		y := drawBeta(r, below+1, n-below)
		if y >= p {
			n, p = below, p/y
		} else {
			count += below + 1
			n, p = n-below-1, (p-y)/(1-y)
		}
	}
	for range int(n) {
		count += drawBinary(r, p)
	}
	return count
}

// drawPoisson draws from poisson(rate).
func drawPoisson(r *rand.Rand, rate float64) float64 {
	const normalFrom = 1e12 // the total variation distance to a rounded normal is then below 1e-6
	switch {
	case rate < 10:
		return poissonByProduct(r, rate)
	case rate < normalFrom:
		return poissonByRejection(r, rate)
	}
	return math.Round(rate + float64(math.Sqrt(rate)*portable.Normal(r))) // NaN for NaN
}

// poissonByProduct counts the arrivals of a unit-rate process before rate.
func poissonByProduct(r *rand.Rand, rate float64) float64 {
	k := 0.0
	for t := portable.Exponential(r); t < rate; t += portable.Exponential(r) {
		k++
	}
	return k
}

// poissonByRejection is PTRS of Hörmann, The transformed rejection method for generating Poisson random
// variables, Insurance: Mathematics and Economics 12 (1993). It needs rate ≥ 10.
func poissonByRejection(r *rand.Rand, rate float64) float64 {
	logRate := portable.Log(rate)
	b := 0.931 + float64(2.53*math.Sqrt(rate))
	a := -0.059 + float64(0.02483*b)
	vr := 0.9277 - 3.6224/(b-2)
	for {
		u := float64(r.Float64()) - 0.5
		v := r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*a/us+b)*u) + rate + 0.43)
		if us >= 0.07 && v <= vr {
			return k
		}
		if k < 0 || (us < 0.013 && v > us) {
			continue
		}
		invAlpha := 1.1239 + 1.1328/(b-3.4)
		if portable.Log(v*invAlpha/(a/(us*us)+b)) <= float64(k*logRate)-rate-portable.LogAbsGamma(k+1) {
			return k
		}
	}
}
