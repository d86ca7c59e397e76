package noise

import (
	"math"

	"github.com/vflc/vflc/posterior"
)

// weights are those of the polynomial through points at x in its value at 0: Lagrange's.
func weights(x []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = 1
		for k := range x {
			if k != i {
				out[i] *= x[k] / (x[k] - x[i])
			}
		}
	}
	return out
}

// monteCarlo is the number of Monte Carlo standard errors in the error of an extrapolation. With three of
// them the error covers all of a few dozen parameters, of which 1.5 leave out one in twenty.
const monteCarlo = 3

// An Estimate is a value at rho = 0 with a bound of its error.
type Estimate struct{ Value, Error posterior.Number }

// atZero extrapolates values with standard errors, at variances in descending order, by the polynomial
// through all of them. Its error is the distance to the polynomial without the largest variance, and three
// Monte Carlo standard errors of the value.
func atZero(variances, values, errors []float64) Estimate {
	all, fewer := weights(variances), weights(variances[1:])
	value, without, square := 0.0, 0.0, 0.0
	for i, w := range all {
		value += float64(w * values[i])
		square += float64(w * w * errors[i] * errors[i])
		if i > 0 {
			without += float64(fewer[i-1] * values[i])
		}
	}
	return Estimate{posterior.Number(value),
		posterior.Number(math.Abs(value-without) + float64(monteCarlo*math.Sqrt(square)))}
}
