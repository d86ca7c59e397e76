package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// seriesFrom is the phi from which Rising uses the asymptotic series of the difference, not the difference of
// two log Γ.
const seriesFrom = 16

// Rising adds w·log Γ(phi+y)/Γ(phi) to sum and its derivative in phi to dphi. The caller usually passes the
// distinct counts y and how often each occurs as w, so that n is small.
func Rising(n int, sum, dphi *SplitSum, y, w []float64, phi float64) {
	if phi < seriesFrom {
		risingNear(n, sum, dphi, y, w, phi)
		return
	}
	inverse := 1 / phi
	square := float64(inverse * inverse)
	base := float64(portable.StirlingSeries(square) * inverse)
	slope := math.FMA(inverse, 0.5, float64(portable.DigammaSeries(square)*square))
	risingFar(active, n, (*[lanes]float64)(sum), (*[lanes]float64)(dphi), y, w, phi, inverse,
		portable.Log(phi)-1, base, slope)
}

// risingNear computes differences of log Γ, a few counts at a time.
func risingNear(n int, sum, dphi *SplitSum, y, w []float64, phi float64) {
	var x, v [64]float64
	base, slope := portable.Lgamma(phi), portable.Digamma(phi)
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

// risingFarGo is y·(log phi - 1) + (x-½)·log(1+y/phi) + S(x) - S(phi) with x = phi+y and S the rest of
// Stirling's series: only terms that are small compared with the first cancel.
func risingFarGo(n int, sum, dphi *[lanes]float64, y, w []float64, phi, inverse, log1, base, slope float64) {
	for i, k := range y[:n] {
		l := portable.Log1p(float64(k * inverse))
		x := k + phi
		v := 1 / x
		square := float64(v * v)
		rest := math.FMA(-portable.StirlingSeries(square), v, base)
		value := math.FMA(k, log1, -math.FMA(-(x-0.5), l, rest))
		q := math.FMA(v, 0.5, float64(portable.DigammaSeries(square)*square))
		s, d := &sum[i%lanes], &dphi[i%lanes]
		*s = math.FMA(w[i], value, *s)
		*d = math.FMA(w[i], l-(q-slope), *d)
	}
}

// LogRising sets y = log Γ(a+k)/Γ(a) for a > 0 and counts k, both by element: by the asymptotic series from
// seriesFrom on, and below it by the difference of two values, which has the digits of the larger.
func LogRising(n int, y, a, k []float64) {
	var far, at, above [64]float64
	for n > 0 {
		m := min(n, len(far))
		large := countFar(a[:m])
		if large > 0 {
			risingValue(active, m, far[:], a, k)
		}
		if large < m {
			Add(m, above[:], a, k)
			Lgamma(m, above[:], above[:])
			if allEqual(a[:m]) {
				Fill(m, at[:], portable.Lgamma(a[0]))
			} else {
				Lgamma(m, at[:], a)
			}
			Sub(m, above[:], above[:], at[:])
		}
		chooseFar(y, a[:m], far[:], above[:])
		n, y, a, k = n-m, y[m:], a[m:], k[m:]
	}
}

// LogRisingSlope sets y = ψ(a+k) - ψ(a), its derivative in a.
func LogRisingSlope(n int, y, a, k []float64) {
	var far, at, above [64]float64
	for n > 0 {
		m := min(n, len(far))
		large := countFar(a[:m])
		if large > 0 {
			risingSlope(active, m, far[:], a, k)
		}
		if large < m {
			Add(m, above[:], a, k)
			Digamma(m, above[:], above[:])
			if allEqual(a[:m]) {
				Fill(m, at[:], portable.Digamma(a[0]))
			} else {
				Digamma(m, at[:], a)
			}
			Sub(m, above[:], above[:], at[:])
		}
		chooseFar(y, a[:m], far[:], above[:])
		n, y, a, k = n-m, y[m:], a[m:], k[m:]
	}
}

// allEqual reports whether all are equal, as where one number is spread over rows.
func allEqual(a []float64) bool {
	for _, v := range a {
		if v != a[0] {
			return false
		}
	}
	return true
}

func countFar(a []float64) int {
	large := 0
	for _, v := range a {
		if v >= seriesFrom {
			large++
		}
	}
	return large
}

func chooseFar(y, a, far, near []float64) {
	for i, v := range a {
		if v >= seriesFrom {
			y[i] = far[i]
		} else {
			y[i] = near[i]
		}
	}
}

func risingValueGo(_ int, y, a, k []float64) {
	for i, v := range a {
		log1 := portable.Log(v) - 1
		l := portable.Log1p(float64(k[i] * (1 / v)))
		x := v + k[i]
		rest := stirlingRest(v) - stirlingRest(x)
		y[i] = math.FMA(k[i], log1, -math.FMA(-(x-0.5), l, rest))
	}
}

func stirlingRest(x float64) float64 {
	w := 1 / x
	return float64(portable.StirlingSeries(float64(w*w)) * w)
}

func risingSlopeGo(_ int, y, a, k []float64) {
	for i, v := range a {
		l := portable.Log1p(float64(k[i] * (1 / v)))
		y[i] = l - (digammaRest(v+k[i]) - digammaRest(v))
	}
}

// digammaRest is log x - ψ(x).
func digammaRest(x float64) float64 {
	w := 1 / x
	square := float64(w * w)
	return math.FMA(w, 0.5, float64(portable.DigammaSeries(square)*square))
}
