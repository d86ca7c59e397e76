package vector

import "math"

// seriesFrom is the phi from which Rising uses the asymptotic series of the difference, not the difference of two log Γ.
const seriesFrom = 16

// Rising adds w·log Γ(phi+y)/Γ(phi) to sum and its derivative in phi to dphi. The caller usually passes the distinct counts y and how often
// each occurs as w, so that n is small.
func Rising(n int, sum, dphi *Lanes, y, w []float64, phi float64) {
	if phi < seriesFrom {
		risingNear(n, sum, dphi, y, w, phi)
		return
	}
	inverse := 1 / phi
	square := float64(inverse * inverse)
	base := float64(polynomial(square, stirlingTail[:]) * inverse)
	slope := math.FMA(inverse, 0.5, float64(polynomial(square, digammaTail[:])*square))
	risingFar(active, n, (*[lanes]float64)(sum), (*[lanes]float64)(dphi), y, w, phi, inverse, logValue(phi)-1, base, slope)
}

// risingNear computes differences of log Γ, a few counts at a time.
func risingNear(n int, sum, dphi *Lanes, y, w []float64, phi float64) {
	var x, v [64]float64
	base, slope := lgammaOf(phi), digammaOf(phi)
	for n > 0 {
		m := min(n, len(x))
		AddScalar(m, x[:], y, phi)
		Lgamma(m, v[:], x[:])
		AddScalar(m, v[:], v[:], -base)
		sum[0] += Dot(m, w, v[:])
		Digamma(m, v[:], x[:])
		AddScalar(m, v[:], v[:], -slope)
		dphi[0] += Dot(m, w, v[:])
		n, y, w = n-m, y[m:], w[m:]
	}
}

// risingFarGo is y·(log phi - 1) + (x-½)·log(1+y/phi) + S(x) - S(phi) with x = phi+y and S the rest of Stirling's series: only
// terms that are small compared with the first cancel.
func risingFarGo(n int, sum, dphi *[lanes]float64, y, w []float64, phi, inverse, log1, base, slope float64) {
	for i, k := range y[:n] {
		l := log1pOf(float64(k * inverse))
		x := k + phi
		v := 1 / x
		square := float64(v * v)
		rest := math.FMA(-polynomial(square, stirlingTail[:]), v, base)
		value := math.FMA(k, log1, -math.FMA(-(x-0.5), l, rest))
		q := math.FMA(v, 0.5, float64(polynomial(square, digammaTail[:])*square))
		s, d := &sum[i%lanes], &dphi[i%lanes]
		*s = math.FMA(w[i], value, *s)
		*d = math.FMA(w[i], l-(q-slope), *d)
	}
}
