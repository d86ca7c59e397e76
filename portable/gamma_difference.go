package portable

import (
	"math"
)

const halfLogTwoPi = 0.91893853320467274178032973640562

// large is where Stirling's series below reach full precision.
const large = 10

// LogAbsGamma returns log |Γ(x)|, to two units in the last place for x > 0, and below by the reflection
// Γ(x)Γ(1-x) = π/sin(πx).
func LogAbsGamma(x float64) float64 {
	if !(x < 0) {
		return Lgamma(x)
	}
	rest := x - float64(2*math.Floor(x/2))
	if rest == 0 || rest == 1 || math.IsInf(x, -1) {
		return math.Inf(1)
	}
	return Log(math.Pi/math.Abs(Sin(math.Pi*rest))) - Lgamma(1-x)
}

// stirlingError returns lgamma(x) - (x-1/2)log x + x - log(2π)/2 for x ≥ large (NIST DLMF 5.11.1).
func stirlingError(x float64) float64 {
	r := 1 / x
	s := r * r
	return float64(r * (1./12 +
		float64(s*(-1./360+
			float64(s*(1./1260+
				float64(s*(-1./1680+
					float64(s*(1./1188+
						float64(s*(-691./360360+float64(s*(1./156-float64(s*(3617./122400))))))))))))))))
}

// LgammaDiff returns lgamma(x+a) - lgamma(x) for x > 0 and a ≥ 0. For large x the two nearly cancel;
// Stirling's series is then subtracted term by term, so the absolute error stays near that of a·log(x).
func LgammaDiff(x, a float64) float64 {
	if x < large {
		return LogAbsGamma(x+a) - LogAbsGamma(x)
	}
	return float64((x+a-0.5)*Log1p(a/x)) + float64(a*Log(x)) - a +
		(stirlingError(x+a) - stirlingError(x))
}

// LogBeta returns log B(a, b) for a, b > 0. It stays accurate where one argument is large and the other
// small, where the sum of three lgamma loses most digits.
func LogBeta(a, b float64) float64 {
	p, q := min(a, b), max(a, b)
	if p < large {
		return LogAbsGamma(p) - LgammaDiff(q, p)
	}
	return halfLogTwoPi - float64(0.5*Log(q)) + float64((p-0.5)*Log(p/(p+q))) -
		float64(q*Log1p(p/q)) +
		(stirlingError(p) + stirlingError(q) - stirlingError(p+q))
}
