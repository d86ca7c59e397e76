package portable

import (
	"math"
)

// Log1pSquare returns log(1+w²) and w/(1+w²), without overflow.
func Log1pSquare(w float64) (value, ratio float64) {
	if math.Abs(w) > 1e8 { // 1 is below half an ulp of w²
		return 2 * Log(math.Abs(w)), 1 / w
	}
	return Log1p(w * w), w / (1 + float64(w*w))
}

// Log1mExp returns log(1-exp(x)) for x ≤ 0, NaN for x > 0. Mächler (2012), Accurately computing log(1 -
// exp(-|a|)).
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return Log(-Expm1(x))
	}
	return Log1p(-Exp(x))
}
