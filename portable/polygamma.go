package portable

import "math"

// Trigamma returns the second derivative of lgamma at x > 0, NaN elsewhere: the recurrence up to the
// asymptotic series of NIST DLMF 5.15.8.
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
	return shift + r +
		float64(s*(0.5+
			float64(r*(1./6-
				float64(s*(1./30-
					float64(s*(1./42-
						float64(s*(1./30-
							float64(s*(5./66-
								float64(s*(691./2730-float64(s*(7./6-float64(s*(3617./510))))))))))))))))))
}

// Tetragamma returns the third derivative of lgamma at x > 0, NaN elsewhere, by the derivative of the same
// series.
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
	return shift -
		float64(s*(1+
			float64(r*(1+
				float64(r*(0.5-
					float64(s*(1./6-
						float64(s*(1./6-
							float64(s*(3./10-
								float64(s*(5./6-
									float64(s*(691./210-
										float64(s*(35./2-float64(s*(3617./30))))))))))))))))))))
}

// LgammaPositive returns log Γ(x) for x ≥ 0, NaN elsewhere.
func LgammaPositive(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	return LogAbsGamma(x)
}
