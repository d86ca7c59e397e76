package portable

import (
	"math"
)

// NormalDensity returns the density of the standard normal distribution.
func NormalDensity(x float64) float64 {
	square := float64(x * x)
	if square > 3000 {
		return 0
	}
	density := Exp(-0.5*square) / math.Sqrt(2*math.Pi)
	return density - float64(0.5*math.FMA(x, x, -square)*density)
}

// LogPhiAndSlope returns log Phi(x) and its derivative, the inverse Mills ratio.
func LogPhiAndSlope(x float64) (value, slope float64) { return LogPhi(x), LogPhiSlope(x) }

// LogMills returns log(Phi(x)/φ(x)), φ the standard normal density: log Phi(x) + x²/2 + log(2π)/2 without its
// cancellation far below 0.
func LogMills(x float64) float64 {
	if x > -10 {
		value, _ := LogPhiAndSlope(x)
		return value + float64(0.5*x*x) + halfLogTwoPi
	}
	_, slope := LogPhiAndSlope(x)
	return -Log(slope)
}

// InvPhi returns the inverse of Phi, NaN outside [0, 1]: Newton's method on log Phi, which is concave, from a
// bound that it approaches from one side.
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
		return -math.Sqrt2 * inverseErf(1-float64(2*p))
	}
	want := Log(p)
	x := -math.Sqrt(-2 * want)
	for range 30 {
		value, slope := LogPhiAndSlope(x)
		next := x - (value-want)/slope
		if math.Abs(next-x) <= 1e-15*math.Abs(x) {
			return next
		}
		x = next
	}
	return x
}

// inverseErf returns the inverse of Erf for 0 ≤ v < 0.97: Halley's method, from a value that is right to
// three digits by Winitzki (2008), A handy approximation for the error function and its inverse, or near 0 by
// the slope there.
func inverseErf(v float64) float64 {
	const a = 0.147
	u := 0.5 * math.Sqrt(math.Pi) * v
	if v > 1e-3 {
		l := Log1p(-v * v)
		half := 2/(math.Pi*a) + float64(0.5*l)
		u = math.Sqrt(math.Sqrt(float64(half*half)-l/a) - half)
	}
	for range 2 {
		step := (Erf(u) - v) * (0.5 * math.Sqrt(math.Pi)) * Exp(u*u)
		u -= step / (1 + float64(u*step))
	}
	return u
}
