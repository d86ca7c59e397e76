package vector

import "math"

// The likelihoods take n predictors and observations that follow each other in memory, and add log densities to sums that the caller keeps
// from block to block, so that lanes are folded once. They leave out what depends on the observations alone (log y!, log of a binomial coefficient).
// d, the derivative in the predictor, and lp, the log density of each element, may be nil; d is set, not added to, and may be the
// predictor itself. Observations are taken as they are: that they lie in the support is for the caller to know. A predictor that is not finite may
// give a NaN where the limit exists.

// Lanes is a sum in eight parts.
type Lanes [lanes]float64

// Sum adds up the parts.
func (l *Lanes) Sum() float64 { return fold((*[lanes]float64)(l)) }

// expFalling is e^-a for a ≥ 0.
func expFalling(a float64) float64 { return expOf(-a) }

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
func PoissonLog(n int, sum *Lanes, lp, eta, y, d []float64) {
	poissonLog(active, n, (*[lanes]float64)(sum), lp, eta, y, d)
}

func poissonLogGo(n int, sum *[lanes]float64, lp, eta, y, d []float64) {
	for i, e := range eta[:n] {
		k := y[i]
		rate := expOf(e)
		v := math.FMA(k, e, -rate)
		put(d, i, k-rate)
		sum[i%lanes] += v
		put(lp, i, v)
	}
}

// put sets an element of a destination that may be nil.
func put(a []float64, i int, v float64) {
	if a != nil {
		a[i] = v
	}
}

// NegBinomial2Log adds -phi·log(1+e^t) - y·log(1+e^-t) with t = eta - log phi, and to dphi its derivative in phi without that of the terms of
// Rising, which belong to the density too: counts with log mean eta and inverse dispersion phi.
func NegBinomial2Log(n int, sum, dphi *Lanes, lp, eta, y []float64, phi float64, d []float64) {
	negBinomial2Log(active, n, (*[lanes]float64)(sum), (*[lanes]float64)(dphi), lp, eta, y, phi, logValue(phi), 1/phi, d)
}

func negBinomial2LogGo(n int, sum, dphi *[lanes]float64, lp, eta, y []float64, phi, logPhi, inverse float64, d []float64) {
	for i, e := range eta[:n] {
		t, k := e-logPhi, y[i]
		z := expFalling(math.Abs(t))
		l := log1pUnit(z, 0)
		p, q := odds(t, z)
		hits := float64(k * q)
		up, down := l+larger(0, t), l+larger(0, -t)
		dphi[i%lanes] += math.FMA(-hits, inverse, p-up)
		v := math.FMA(-phi, up, float64(-k*down))
		sum[i%lanes] += v
		put(lp, i, v)
		put(d, i, math.FMA(-phi, p, hits))
	}
}

// Normal adds z² with z = (x-mu)·inverse to squares, inverse being 1/sigma. The derivative in mu is z·inverse, that in x its negative; with shift
// = -log sigma - log(2π)/2 the log density lp = shift - z²/2.
func Normal(n int, squares *Lanes, lp, x, mu []float64, inverse, shift float64, d []float64) {
	normal(active, n, (*[lanes]float64)(squares), lp, x, mu, inverse, shift, d)
}

func normalGo(n int, squares *[lanes]float64, lp, x, mu []float64, inverse, shift float64, d []float64) {
	for i, v := range x[:n] {
		z := float64((v - mu[i]) * inverse)
		s := &squares[i%lanes]
		*s = math.FMA(z, z, *s)
		put(d, i, z*inverse)
		put(lp, i, math.FMA(-float64(z*0.5), z, shift))
	}
}
