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

// InvPhi returns the inverse of Phi, NaN outside [0, 1]: Newton's method on log Phi, which is concave, from a bound that it approaches from one side.
func InvPhi(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case p > 0.5:
		return -InvPhi(1 - p)
	case p > 0.02:
		return -math.Sqrt2 * math.Erfinv(1-2*p)
	}
	want := math.Log(p)
	x := -math.Sqrt(-2 * want)
	for range 30 {
		value, slope := LogPhi(x)
		next := x - (value-want)/slope
		if math.Abs(next-x) <= 1e-15*math.Abs(x) {
			return next
		}
		x = next
	}
	return x
}
