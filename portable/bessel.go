package portable

import (
	"math"
)

// LogBesselI0 returns log I0(x) for x ≥ 0, I0 the modified Bessel function of the first kind and order 0: the
// power series NIST DLMF 10.25.2, and from 30 on the asymptotic one, 10.40.1.
func LogBesselI0(x float64) float64 {
	if x > 30 {
		return x - float64(0.5*Log(2*math.Pi*x)) + Log(besselTail(x, 0))
	}
	return Log(besselSeries(x, 0))
}

// BesselRatio returns I1(x)/I0(x) for x ≥ 0, the derivative of log I0(x).
func BesselRatio(x float64) float64 {
	if x > 30 {
		return besselTail(x, 4) / besselTail(x, 0)
	}
	return 0.5 * x * besselSeries(x, 1) / besselSeries(x, 0)
}

// besselSeries is the sum of the power series of order ν, 0 or 1, over its first term.
func besselSeries(x, order float64) float64 {
	q, sum, term := 0.25*x*x, 1.0, 1.0
	for k := 1.0; term > 1e-17*sum; k++ {
		term = float64(term * (q / (k * (k + order))))
		sum += term
	}
	return sum
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
