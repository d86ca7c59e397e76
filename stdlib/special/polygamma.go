package special

import "math"

// Trigamma returns the second derivative of lgamma at x > 0, NaN elsewhere: the recurrence up to the asymptotic series of NIST DLMF 5.15.8.
func Trigamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	shift := 0.0
	for ; x < large; x++ {
		shift += 1 / (x * x)
	}
	r := 1 / x
	s := r * r
	return shift + r + s*(0.5+r*(1./6-s*(1./30-s*(1./42-s*(1./30-s*(5./66-s*(691./2730-s*(7./6-s*(3617./510)))))))))
}

// Tetragamma returns the third derivative of lgamma at x > 0, NaN elsewhere, by the derivative of the same series.
func Tetragamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	shift := 0.0
	for ; x < large; x++ {
		shift -= 2 / (x * x * x)
	}
	r := 1 / x
	s := r * r
	return shift - s*(1+r*(1+r*(0.5-s*(1./6-s*(1./6-s*(3./10-s*(5./6-s*(691./210-s*(35./2-s*(3617./30))))))))))
}

// LgammaPositive returns log Γ(x) for x ≥ 0, NaN elsewhere.
func LgammaPositive(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	return Lgamma(x)
}
