package portable

import "math"

const (
	// the low bits of x + magic are x, below 2^31, rounded to an integer
	magic       = 0x1.8p52
	ln2High     = 6.93147180369123816490e-01 // 33 bits, so that its product with an exponent is exact
	ln2Low      = 1.90821492927058770002e-10
	expMost     = 710.0
	expLeast    = -746.0
	leastNormal = 0x1p-1022 // the smallest normal number
	oneBits     = 0x3ff << 52
	halfBits    = 0x3fe << 52
)

// Smaller returns the smaller of two numbers, and b if a or b is NaN.
func Smaller(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

// Larger returns the larger of two numbers, and b if a or b is NaN.
func Larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// An exponential is 2^k·e^(r+s): t is k + magic, and s is the rounding error of r.
type exponential struct {
	t, k, r, s float64
}

// split reduces a bounded x by multiples of log 2 (Cody and Waite).
func split(x float64) exponential {
	t := math.FMA(x, math.Log2E, magic)
	k := t - magic
	high := math.FMA(-k, ln2High, x)
	r := math.FMA(-k, ln2Low, high)
	c := math.FMA(-k, ln2Low, high-r)
	square := float64(r * r)
	return exponential{t, k, r, math.FMA(square, expSeries(r, square), c)}
}

// polynomial returns Σ c[i]·x^i by Horner's rule.
func polynomial(x float64, c []float64) float64 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = math.FMA(p, x, c[i])
	}
	return p
}

// expSeries returns (exp(r) - 1 - r)/r². Even and odd powers are summed separately, so that a processor
// computes them in parallel.
func expSeries(r, square float64) float64 {
	c := expTail[:]
	even := math.FMA(math.FMA(math.FMA(math.FMA(c[8], square, c[6]), square, c[4]), square, c[2]), square,
		c[0])
	odd := math.FMA(math.FMA(math.FMA(math.FMA(c[9], square, c[7]), square, c[5]), square, c[3]), square,
		c[1])
	return math.FMA(odd, r, even)
}

// ldexp returns p·2^k, rounded once, for p near 1 and t = k + magic. It multiplies twice, since 2^k may
// overflow where the product does not.
func ldexp(p, t float64) float64 {
	k := int32(math.Float64bits(t))
	half := k >> 1
	return float64(p*power(half)) * power(k-half)
}

func power(k int32) float64 { return math.Float64frombits(uint64(int64(k)+1023) << 52) }

// Exp returns e^x.
func Exp(x float64) float64 {
	x = Larger(expLeast, Smaller(expMost, x))
	t := math.FMA(x, math.Log2E, magic)
	k := t - magic
	r := math.FMA(-k, ln2Low, math.FMA(-k, ln2High, x))
	square := float64(r * r)
	return ldexp(math.FMA(expSeries(r, square), square, r)+1, t)
}

// Expm1 returns e^x - 1, without cancellation. It adds 2^k - 1 and 2^k·r exactly, all halved so that 2^1024
// is in range.
func Expm1(x float64) float64 {
	e := split(Larger(-40, Smaller(expMost, x)))
	w := math.Float64frombits(math.Float64bits(e.t)<<52 + halfBits)
	a := w - 0.5
	b := float64(w * e.r)
	high := a + b
	low := math.FMA(w, e.s, (a-high)+b)
	y := high + low
	return Where(math.Abs(x) < 0x1p-54, x, y+y)
}

// expMinus returns e^-a for a ≥ 0 in two parts.
func expMinus(a float64) (z, low float64) {
	e := split(-Smaller(-expLeast, a))
	u := e.r + e.s
	h := u + 1
	return ldexp(h, e.t), ldexp(u-(h-1), e.t)
}

// quotient returns (a + al)/(d + dl), given 1/d: the quotient of the high parts and a correction to it.
func quotient(a, al, d, dl, inverse float64) float64 {
	q := float64(a * inverse)
	rest := math.FMA(-q, d, a)
	low := math.FMA(-q, dl, al)
	return math.FMA(rest+low, inverse, q)
}
