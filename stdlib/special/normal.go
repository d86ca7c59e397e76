package special

import "math"

// Phi returns the distribution function of the standard normal distribution; its relative error in the lower tail is below x²·2e-16.
func Phi(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalDensity returns the density of the standard normal distribution.
func NormalDensity(x float64) float64 { return math.Exp(-0.5*x*x - halfLogTwoPi) }

// LogPhi returns log Phi(x) and its derivative, the inverse Mills ratio. Below -10, where Phi would lose digits and then underflow, it uses the
// continued fraction of the Mills ratio, NIST DLMF 7.9.3, which 40 steps bring to full precision there.
func LogPhi(x float64) (value, slope float64) {
	if x > -10 {
		p := Phi(x)
		if x > 5 {
			return math.Log1p(-Phi(-x)), NormalDensity(x) / p
		}
		return math.Log(p), NormalDensity(x) / p
	}
	ratio := -x
	for k := 40.0; k > 0; k-- {
		ratio = k/ratio - x
	}
	return -0.5*x*x - halfLogTwoPi - math.Log(ratio), ratio
}

// LogMills returns log(Phi(x)/φ(x)), φ the standard normal density: log Phi(x) + x²/2 + log(2π)/2 without its cancellation far below 0.
func LogMills(x float64) float64 {
	if x > -10 {
		value, _ := LogPhi(x)
		return value + 0.5*x*x + halfLogTwoPi
	}
	_, slope := LogPhi(x)
	return -math.Log(slope)
}
