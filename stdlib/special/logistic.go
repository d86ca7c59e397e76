// Package special holds the scalar functions that densities, functions and bijectors are built from, each
// accurate in its tails.
package special

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// InvLogit returns 1/(1+exp(-x)) with full relative accuracy on both sides.
func InvLogit(x float64) float64 {
	z := portable.Exp(-math.Abs(x))
	if x < 0 {
		return z / (1 + z)
	}
	return 1 / (1 + z)
}

// Log1pExp returns log(1+exp(x)), the softplus, without overflow for large x and with full relative accuracy
// for very negative x.
func Log1pExp(x float64) float64 {
	if x > 0 {
		return x + portable.Log1p(portable.Exp(-x))
	}
	return portable.Log1p(portable.Exp(x))
}

// Log1pSquare returns log(1+w²) and w/(1+w²), without overflow.
func Log1pSquare(w float64) (value, ratio float64) {
	if math.Abs(w) > 1e8 { // 1 is below half an ulp of w²
		return 2 * portable.Log(math.Abs(w)), 1 / w
	}
	return portable.Log1p(w * w), w / (1 + float64(w*w))
}

// Log1mExp returns log(1-exp(x)) for x ≤ 0, NaN for x > 0. Mächler (2012), Accurately computing log(1 -
// exp(-|a|)).
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return portable.Log(-portable.Expm1(x))
	}
	return portable.Log1p(-portable.Exp(x))
}
