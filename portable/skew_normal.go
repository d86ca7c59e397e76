package portable

import (
	"math"
)

// LogSkewNormal returns the log probability that a skew normal variable of shape alpha is no greater than z,
// and the log of minus its derivative in alpha. The probability of a greater one is that at -z and -alpha.
//
// With Owen's T, which is the integral from 0 to alpha, it is Phi(z) - 2T(z, alpha) = J where z ≤ 0, and
// erf(z/√2) + J above, for
//
//	J = 1/π ∫ exp(-z²(1+t²)/2)/(1+t²) dt from alpha to ∞:
//
// sums of positive terms, accurate in both tails.
func LogSkewNormal(z, alpha float64) (value, slope float64) {
	slope = float64(-0.5*z*z*(1+float64(alpha*alpha))) - Log1p(alpha*alpha) - Log(math.Pi)
	below := logOwenRest(math.Abs(z), alpha)
	if !(z > 0) {
		return below, slope
	}
	if p := Erf(z/math.Sqrt2) + Exp(below); p < 0.5 {
		return Log(p), slope
	}
	return Log1p(-Exp(logOwenRest(z, -alpha))), slope
}

// logOwenRest is log J for z ≥ 0. Below alpha = 0 it is what is left of the integral over all numbers, at
// most half of which is taken away.
func logOwenRest(z, alpha float64) float64 {
	if z == 0 {
		return Log(Atan2(1, alpha) / math.Pi)
	}
	if alpha < 0 {
		all, _ := LogPhiAndSlope(-z)
		all += math.Ln2
		return all + Log1mExp(logOwenRest(z, -alpha)-all)
	}
	square := z * z
	first := float64(0.5 * square * (1 + float64(alpha*alpha)))
	if !(first < 1e300) {
		return -first
	}
	sum, u := 0.0, 0.0 // u = t - alpha
	for {
		t := alpha + u
		if square*u*(alpha+float64(0.5*u)) > 45 || t*sum > 1e17 {
			return Log(sum/math.Pi) - first
		}
		// Within a step the exponent falls by at most 6, and the denominator is far from its zeros.
		step := math.Min(12/(float64(square*t)+Hypot(square*t, math.Sqrt(12)*z)),
			Hypot(1, t))
		sum += Gauss(u, u+step, func(u float64) float64 {
			return Exp(-square*u*(alpha+float64(0.5*u))) / (1 + float64((alpha+u)*(alpha+u)))
		})
		u += step
	}
}
