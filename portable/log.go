package portable

import "math"

const (
	aboveRoot = 0x3fe6a09e00000000 // the bits of √½, rounded to 20
	mantissa  = 0x000fffffffffffff
	signBit   = 1 << 63
)

// logSplit writes x, positive and normal, as 2^k·(1+m) with 1+m between √½ and √2.
func logSplit(x float64) (k, m float64) {
	bits := math.Float64bits(x) + (oneBits - aboveRoot)
	k = float64(int64(bits>>52)) - 1023
	return k, math.Float64frombits(bits&mantissa+aboveRoot) - 1
}

// logSeries returns s = m/(2+m), m²/2, and R(s²) of log(1+m) = m - (m²/2 - s·(m²/2 + R)), the form of
// fdlibm's e_log.c.
func logSeries(m float64) (s, square, r float64) {
	s = m / (m + 2)
	z := float64(s * s)
	return s, float64(float64(m*0.5) * m), float64(polynomial(z, logTail[:]) * z)
}

func logSum(k, m, s, square, r, plus float64) float64 {
	tail := math.FMA(s, square+r, plus)
	return math.FMA(k, ln2High, m-(square-tail))
}

// LogNormal returns the logarithm of a positive normal number.
func LogNormal(x float64) float64 { return logOf(logSplit(x)) }

func logOf(k, m float64) float64 {
	s, square, r := logSeries(m)
	return logSum(k, m, s, square, r, float64(k*ln2Low))
}

// liftTiny returns x with subnormal numbers multiplied by 2^54, and the exponent to add.
func liftTiny(x float64) (lifted, k float64) {
	if x < leastNormal {
		return x * 0x1p54, -54
	}
	return x, 0
}

// logSpecial corrects the result where x is at or below the pole, infinite or NaN.
func logSpecial(x, y, pole float64) float64 {
	switch {
	case x < pole:
		return math.NaN()
	case x == pole:
		return math.Inf(-1)
	case x < math.Inf(1):
		return y
	}
	return x
}

// Log returns the logarithm of x, NaN below 0.
func Log(x float64) float64 {
	lifted, extra := liftTiny(x)
	k, m := logSplit(lifted)
	return logSpecial(x, logOf(k+extra, m), 0)
}

// logParts is the logarithm of a positive normal number, with extra added to its exponent, as the sum of two
// parts, of which the second may be large.
func logParts(x, extra float64) (high, low float64) {
	k, m := logSplit(x)
	k += extra
	s, square, r := logSeries(m)
	tail := math.FMA(s, square+r, float64(k*ln2Low))
	head := float64(k * ln2High)
	high = head + m
	return high, ((head - high) + m) + (tail - square)
}

// near1 returns c/(1+m) to three digits, given s = m/(2+m), since 1/(1+m) = (1-s)/(1+s).
func near1(c, s float64) float64 {
	return float64(c * math.FMA(math.FMA(math.FMA(-2, s, 2), s, -2), s, 1))
}

// logCorrected is log(2^k·(1+m)) where c is to be added to m. 1/(1+m) is taken to be 1-2s, and even and odd
// powers are summed separately.
func logCorrected(k, m, c float64) float64 {
	s := m / (m + 2)
	z, square := float64(s*s), float64(float64(m*0.5)*m)
	z2, t := float64(z*z), logTail[:]
	even := math.FMA(math.FMA(math.FMA(t[6], z2, t[4]), z2, t[2]), z2, t[0])
	odd := math.FMA(math.FMA(t[5], z2, t[3]), z2, t[1])
	r := math.FMA(math.FMA(odd, z, even), z, square)
	tail := math.FMA(s, r, math.FMA(k, ln2Low, math.FMA(-(s+s), c, c)))
	return math.FMA(k, ln2High, m-(square-tail))
}

// Log1p returns log(1 + x), without cancellation: the logarithm of the rounded sum 1+x, corrected for its
// rounding, which is all there is of it where x is small.
func Log1p(x float64) float64 {
	u := x + 1
	k, m := logSplit(u)
	c := (Larger(x, 1) - u) + Smaller(x, 1)
	w := math.Float64frombits(0x7ff<<52 - (math.Float64bits(u)+(oneBits-aboveRoot))>>52<<52) // 2·2^-k
	y := logCorrected(k, m, float64(c*w)*0.5)
	return logSpecial(x, math.Float64frombits(math.Float64bits(y)|math.Float64bits(x)&signBit), -1)
}

// Log1pUnit returns log(1 + z + zl) for z in [0, 1].
func Log1pUnit(z, zl float64) float64 {
	u := z + 1
	k, m, c := 0.0, z, zl
	if z > 0.4142 {
		k, m, c = 1, float64(u*0.5)-1, float64((((1-u)+z)+zl)*0.5)
	}
	s, square, r := logSeries(m)
	return logSum(k, m, s, square, r, math.FMA(k, ln2Low, near1(c, s)))
}

// Log1pExp returns log(1 + e^x), without overflow.
func Log1pExp(x float64) float64 {
	z, zl := expMinus(math.Abs(x))
	return Larger(0, x) + Log1pUnit(z, zl)
}
