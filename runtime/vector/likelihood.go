package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// The likelihoods read n predictors and n observations and add their log densities to sums that the caller
// keeps from block to block, so that lanes are folded once. Terms that depend on the observations only are
// left out (log y!, the log of a binomial coefficient). d is set to the derivative in the predictor, not
// added to; it may be nil, or the predictor itself. The caller makes sure that observations lie in the
// support. The result may be NaN for a predictor that is not finite, even where a limit exists.

// SplitSum is a sum in eight parts.
type SplitSum [lanes]float64

// Sum adds up the parts.
func (l *SplitSum) Sum() float64 { return fold((*[lanes]float64)(l)) }

// Join adds another sum, part by part.
func (l *SplitSum) Join(o *SplitSum) {
	for i, v := range o {
		l[i] += v
	}
}

// expFalling is e^-a for a ≥ 0.
func expFalling(a float64) float64 { return portable.Exp(-a) }

// odds returns 1/(1+e^-t) and 1/(1+e^t), given z = e^-|t|.
func odds(t, z float64) (p, q float64) {
	near := 1 / (z + 1)
	far := float64(z * near)
	if t < 0 {
		return far, near
	}
	return near, far
}

// PoissonLog adds y·eta - e^eta, with derivative y - e^eta: counts with log rate eta.
func PoissonLog(n int, sum *SplitSum, eta, y, d []float64) {
	poissonLog(active, n, (*[lanes]float64)(sum), eta, y, d)
}

func poissonLogGo(n int, sum *[lanes]float64, eta, y, d []float64) {
	for i, e := range eta[:n] {
		k := y[i]
		rate := portable.Exp(e)
		sum[i%lanes] += math.FMA(k, e, -rate)
		put(d, i, k-rate)
	}
}

// BinomialTrials adds y·eta - trials·log(1+e^eta), with derivative y - trials/(1+e^-eta): y successes of
// trials that differ by row, with log odds eta.
func BinomialTrials(n int, sum *SplitSum, eta, y, trials, d []float64) {
	binomialTrials(active, n, (*[lanes]float64)(sum), eta, y, trials, d)
}

func binomialTrialsGo(n int, sum *[lanes]float64, eta, y, trials, d []float64) {
	for i, e := range eta[:n] {
		z := expFalling(math.Abs(e))
		l := portable.Log1pUnit(z, 0)
		failures := trials[i] - y[i]
		p, q := odds(e, z)
		sum[i%lanes] += math.FMA(-trials[i], l, portable.Where(e < 0, y[i], -failures)*e)
		put(d, i, math.FMA(-failures, p, float64(y[i]*q)))
	}
}

// put sets an element of a destination that may be nil.
func put(a []float64, i int, v float64) {
	if a != nil {
		a[i] = v
	}
}

// BernoulliProbit adds log Φ(t) with t = (2y-1)·eta, with derivative (2y-1)·φ(t)/Φ(t): y = 0 or 1.
func BernoulliProbit(n int, sum *SplitSum, eta, y, d []float64) {
	bernoulliProbit(active, n, (*[lanes]float64)(sum), eta, y, d)
}

func bernoulliProbitGo(n int, sum *[lanes]float64, eta, y, d []float64) {
	for i, e := range eta[:n] {
		sign := math.FMA(y[i], 2, -1)
		t := float64(sign * e)
		put(d, i, sign*portable.LogPhiSlope(t))
		sum[i%lanes] += portable.LogPhi(t)
	}
}

// NegBinomial2Log adds -phi·log(1+e^t) - y·log(1+e^-t) with t = eta - log phi, and to dphi its derivative in
// phi without that of the terms of Rising, which belong to the density too: counts with log mean eta and
// inverse dispersion phi.
func NegBinomial2Log(n int, sum, dphi *SplitSum, eta, y []float64, phi float64, d []float64) {
	negBinomial2Log(active, n, (*[lanes]float64)(sum), (*[lanes]float64)(dphi), eta, y, phi,
		portable.Log(phi), 1/phi, d)
}

func negBinomial2LogGo(n int, sum, dphi *[lanes]float64, eta, y []float64, phi, logPhi, inverse float64,
	d []float64) {
	for i, e := range eta[:n] {
		t, k := e-logPhi, y[i]
		z := expFalling(math.Abs(t))
		l := portable.Log1pUnit(z, 0)
		p, q := odds(t, z)
		hits := float64(k * q)
		up, down := l+portable.Larger(0, t), l+portable.Larger(0, -t)
		dphi[i%lanes] += math.FMA(-hits, inverse, p-up)
		sum[i%lanes] += math.FMA(-phi, up, float64(-k*down))
		put(d, i, math.FMA(-phi, p, hits))
	}
}

// Normal adds z² with z = (x-mu)·inverse to squares, inverse being 1/sigma. The derivative in mu is
// z·inverse, that in x its negative; the log density is -z²/2 - log sigma - log(2π)/2.
func Normal(n int, squares *SplitSum, x, mu []float64, inverse float64, d []float64) {
	normal(active, n, (*[lanes]float64)(squares), x, mu, inverse, d)
}

func normalGo(n int, squares *[lanes]float64, x, mu []float64, inverse float64, d []float64) {
	for i, v := range x[:n] {
		z := float64((v - mu[i]) * inverse)
		s := &squares[i%lanes]
		*s = math.FMA(z, z, *s)
		put(d, i, z*inverse)
	}
}
