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

// Log1mExp returns log(1-exp(x)) for x ≤ 0, NaN for x > 0.
func Log1mExp(x float64) float64 {
	y, _ := Log1mExpOdds(x)
	return y
}

const (
	expNormal = -708.0 // from here on exp(x) is a normal number
	belowRoot = -1.2279471772995158
)

// Log1mExpOdds returns log(1-exp(x)) and exp(x)/(1-exp(x)), the negative of its slope. Below log(1-√½) the
// first is log(1+m) with m = -exp(x), above it the logarithm of 1-exp(x) (Mächler 2012, Accurately computing
// log(1 - exp(-|a|))), each with a correction for the rounding of m and of 1-exp(x).
func Log1mExpOdds(x float64) (y, odds float64) {
	e := split(Larger(expNormal, x))
	w := Where(x >= expNormal, math.Float64frombits(math.Float64bits(e.t)<<52+oneBits), 0) // 2^k
	a, b := 1-w, float64(w*(e.r+e.s))
	z, u := w+b, a-b
	k, m := logSplit(float64(u * 0x1p54))
	k -= 54
	c := (a - u) - b
	c += c // right where it counts, between ½ and √½
	if x < belowRoot {
		k, m, c = 0, -z, -((w - z) + b)
	}
	y = logCorrected(k, m, c)
	if !(x < 0) {
		y = Where(x == 0, math.Inf(-1), math.NaN())
	}
	return y, z / u
}
