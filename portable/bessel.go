package portable

import (
	"math"
)

// LogBesselI0 returns log I0(x) for x ≥ 0, I0 the modified Bessel function of the first kind and order 0, and
// its derivative I1(x)/I0(x): the power series NIST DLMF 10.25.2, and from 30 on the asymptotic one, 10.40.1.
func LogBesselI0(x float64) (value, slope float64) {
	if x > 30 {
		i0, i1 := besselTail(x, 0), besselTail(x, 4)
		return x - float64(0.5*Log(2*math.Pi*x)) + Log(i0), i1 / i0
	}
	q := 0.25 * x * x
	term0, term1 := 1.0, 1.0
	i0, i1 := term0, term1
	for k := 1.0; term0 > 1e-17*i0; k++ {
		term0 = float64(term0 * (q / (k * k)))
		term1 = float64(term1 * (q / (k * (k + 1))))
		i0 += term0
		i1 += term1
	}
	return Log(i0), 0.5 * x * i1 / i0
}

// besselTail is the sum of the asymptotic series of order ν with mu = 4ν², to the relative size of rounding.
func besselTail(x, mu float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 40 && math.Abs(term) > 1e-17; k++ {
		odd := float64(2*k) - 1
		term = float64(term * ((float64(odd*odd) - mu) / (8 * k * x)))
		sum += term
	}
	return sum
}
