package portable

import "math"

// LogOfProduct returns the logarithm of the product of all lanes, each between 1 and 2^1000: of their mantissas, and of two to the sum of their
// exponents.
func LogOfProduct(product []float64) float64 {
	k, m := 0.0, 1.0
	for _, p := range product {
		if !(p < math.Inf(1)) {
			return p
		}
		bits := math.Float64bits(p)
		k += float64(int64(bits>>52)) - 1023
		m = float64(m * math.Float64frombits(bits&mantissa|oneBits))
	}
	e, f := logSplit(m)
	return logOf(k+e, f)
}
