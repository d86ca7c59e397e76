package special

import "math"

const halfLogTwoPi = 0.91893853320467274178032973640562

// large is where Stirling's series below reach full precision.
const large = 10

// Lgamma returns log |Γ(x)|, to two units in the last place for x > 0.
func Lgamma(x float64) float64 {
	switch {
	case x > 1.19 && x < 1.232:
		return lgammaNear(x)
	case x > 0.19 && x < 0.232:
		return lgammaNear(x+1) - math.Log(x)
	}
	v, _ := math.Lgamma(x)
	return v
}

// lgammaNear is the Taylor series of log Γ where the polynomial of math.Lgamma is used beyond its interval and errs by 5e-15.
func lgammaNear(x float64) float64 {
	d, sum := x-lgammaCentre, 0.0
	for i := len(lgammaTaylor) - 1; i >= 0; i-- {
		sum = sum*d + lgammaTaylor[i]
	}
	return sum
}

const lgammaCentre = 1.2109375

var lgammaTaylor = [...]float64{-0.08845997679664583, -0.27526566471842623, 0.6257015401784729, -0.24052432204294355, 0.1306553150041365, -0.08143126631629143,
	0.05448139895718397, -0.038017235823176114, 0.02726717822447851, -0.019936892291299517, 0.014786436756275216}

// stirlingError returns lgamma(x) - (x-1/2)log x + x - log(2π)/2 for x ≥ large (NIST DLMF 5.11.1).
func stirlingError(x float64) float64 {
	r := 1 / x
	s := r * r
	return r * (1./12 + s*(-1./360+s*(1./1260+s*(-1./1680+s*(1./1188+s*(-691./360360+s*(1./156-s*(3617./122400))))))))
}

// LgammaDiff returns lgamma(x+a) - lgamma(x) for x > 0 and a ≥ 0. For large x the two nearly cancel; Stirling's series is then
// subtracted term by term, so the absolute error stays near that of a·log(x).
func LgammaDiff(x, a float64) float64 {
	if x < large {
		return Lgamma(x+a) - Lgamma(x)
	}
	return (x+a-0.5)*math.Log1p(a/x) + a*math.Log(x) - a + (stirlingError(x+a) - stirlingError(x))
}

// LogBeta returns log B(a, b) for a, b > 0. It stays accurate where one argument is large and the other small, where the sum of three
// lgamma loses most digits.
func LogBeta(a, b float64) float64 {
	p, q := min(a, b), max(a, b)
	if p < large {
		return Lgamma(p) - LgammaDiff(q, p)
	}
	return halfLogTwoPi - 0.5*math.Log(q) + (p-0.5)*math.Log(p/(p+q)) - q*math.Log1p(p/q) +
		(stirlingError(p) + stirlingError(q) - stirlingError(p+q))
}
