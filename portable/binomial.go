package portable

import (
	"math"
)

// LogBinomial returns the log probability of x successes among n trials of probability p = 1 - q, for whole
// numbers 0 ≤ x ≤ n, by Loader, Fast and accurate computation of binomial probabilities (2000): no large
// terms cancel.
func LogBinomial(x, n, p, q float64) float64 {
	switch {
	case x == 0 && p < q:
		return n * Log1p(-p)
	case x == 0:
		return n * Log(q)
	case x == n && q < p:
		return n * Log1p(-q)
	case x == n:
		return n * Log(p)
	}
	rest := n - x
	return factorialError(n) - factorialError(x) - factorialError(rest) - deviance(x, n*p) - deviance(rest,
		n*q) -
		(halfLogTwoPi + float64(0.5*(Log(x)+Log1p(-x/n))))
}

// LogPoisson returns the log probability of x events for a rate of m > 0, for whole numbers x ≥ 0, likewise.
func LogPoisson(x, m float64) float64 {
	if x == 0 {
		return -m
	}
	return -factorialError(x) - deviance(x, m) - halfLogTwoPi - float64(0.5*Log(x))
}

// factorialError is stirlingError for any whole number above 0.
func factorialError(x float64) float64 {
	if x >= large {
		return stirlingError(x)
	}
	return LogAbsGamma(x) - float64((x-0.5)*Log(x)) + x - halfLogTwoPi
}

// deviance is x log(x/m) + m - x, by a series where x is near m.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return float64(x*Log(x/m)) + m - x
	}
	v := (x - m) / (x + m)
	sum, term := (x-m)*v, 2*x*v
	for j := 3.0; ; j += 2 {
		term *= v * v
		next := sum + term/j
		if next == sum {
			return sum
		}
		sum = next
	}
}
