package portable

import "math"

// Scaled writes x, positive and normal, as 2^k·m with m from 1 to 2.
func Scaled(x float64) (k, m float64) {
	bits := math.Float64bits(x)
	return float64(int64(bits>>52)) - 1023, math.Float64frombits(bits&mantissa | oneBits)
}

// LogOfProduct returns the logarithm of the product of all lanes, each between 1 and 2^1000: of their
// mantissas, and of two to the sum of their exponents.
func LogOfProduct(product []float64) float64 {
	k, m := 0.0, 1.0
	for _, p := range product {
		if !(p < math.Inf(1)) {
			return p
		}
		e, f := Scaled(p)
		k += e
		m = float64(m * f)
	}
	e, f := logSplit(m)
	return logOf(k+e, f)
}
