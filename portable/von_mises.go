package portable

import (
	"math"
)

// LogCosineIntegral returns log ∫ exp(kappa·cos t) dt from a to b, within 2π, and the mean of cos t with that
// density, for kappa ≥ 0.
func LogCosineIntegral(kappa, a, b float64) (value, mean float64) {
	w := cosines{kappa: kappa, top: a}
	if Cos(b) > Cos(a) {
		w.top = b
	}
	first, last := math.Ceil(a/math.Pi), math.Floor(b/math.Pi)
	for k := first; k <= last; k++ {
		if math.Mod(k, 2) == 0 {
			w.top = k * math.Pi
		}
	}
	from := a
	for k := first; k <= last; k++ { // cos t is monotone between multiples of π
		w.piece(from, k*math.Pi)
		from = k * math.Pi
	}
	w.piece(from, b)
	return Log(w.sum) + float64(kappa*Cos(w.top)), w.cosines / w.sum
}

// cosines are sums of exp(kappa·(cos t - cos top)), where top is the greatest, and of its products with cos
// t.
type cosines struct{ kappa, top, sum, cosines float64 }

// piece adds the integral over an interval in which cos t is monotone, from its greater end until what is
// left has no part in the sum.
func (w *cosines) piece(a, b float64) {
	length, sign := b-a, 1.0
	if Cos(b) > Cos(a) {
		a, sign = b, -1
	}
	density := func(u float64) float64 { // at t = a ± u
		return Exp(-2 * w.kappa * Sin(0.5*(a+float64(sign*u)+w.top)) * Sin(0.5*(a-
			w.top+float64(sign*u))))
	}
	for u := 0.0; u < length && density(u) > 1e-20; {
		// within a step the exponent falls by at most 6
		fall := float64(w.kappa * math.Abs(Sin(a+float64(sign*u))))
		next := math.Min(length, u+math.Min(1, 12/(fall+Hypot(fall, math.Sqrt(12*w.kappa)))))
		if next == u {
			return
		}
		w.sum += Gauss(u, next, density)
		w.cosines += Gauss(u, next, func(u float64) float64 {
			return density(u) * Cos(a+float64(sign*u))
		})
		u = next
	}
}
