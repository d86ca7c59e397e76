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

// InvPhi returns the inverse of Phi, NaN outside [0, 1]: a quotient of polynomials of p - 1/2 near the
// middle, and of √(-log p) in the tails, by Wichura (1988), Algorithm AS 241: The Percentage Points of the
// Normal Distribution, Applied Statistics 37, with his coefficients for 16 digits.
func InvPhi(p float64) float64 {
	q := p - 0.5
	switch {
	case math.Abs(q) <= 0.425:
		r := 0.180625 - float64(q*q)
		return q * (polynomial(r, invPhiMiddle[0][:]) / polynomial(r, invPhiMiddle[1][:]))
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return math.Copysign(math.Inf(1), q)
	}
	log := Log(Smaller(p, 1-p))
	r := math.Sqrt(-log) - 1.6
	if r <= 3.4 {
		return math.Copysign(polynomial(r, invPhiTail[0][:])/polynomial(r, invPhiTail[1][:]), q)
	}
	x := polynomial(r-3.4, invPhiFar[0][:]) / polynomial(r-3.4, invPhiFar[1][:])
	value, slope := LogPhiAndSlope(-x) // a step of Newton's method on log Phi for the last two digits
	return math.Copysign(x+(value-log)/slope, q)
}

// The coefficients of the numerators and denominators of InvPhi.
var (
	invPhiMiddle = [2][8]float64{{3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
		13731.693765509461125, 45921.953931549871457, 67265.770927008700853, 33430.575583588128105,
		2509.0809287301226727},
		{1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
			39307.895800092710610, 28729.085735721942674, 5226.4952788528545610}}
	invPhiTail = [2][8]float64{{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
		3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833,
		7.74545014278341407640e-4},
		{1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590,
			0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9}}
	invPhiFar = [2][8]float64{{6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
		0.296560571828504891230, 0.0265321895265761230930, 0.00124266094738807843860,
		2.71155556874348757815e-5, 2.01033439929228813265e-7},
		{1, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
			7.86869131145613259100e-4, 1.84631831751015468180e-5, 1.42151175831644588870e-7,
			2.04426310338993978564e-15}}
)
