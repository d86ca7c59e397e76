package portable

import "math"

// Sigmoid returns 1/(1 + e^-x). It is 1/(1+z) or z/(1+z) with z = exp(-|x|); every number has a high and a low part.
func Sigmoid(x float64) float64 {
	z, zl := expMinus(math.Abs(x))
	d := z + 1
	dl := ((1 - d) + z) + zl
	a, al := 1.0, 0.0
	if x < 0 {
		a, al = z, zl
	}
	return quotient(a, al, d, dl, 1/d)
}

// Tanh returns the hyperbolic tangent of x. It is e/(e+2) with e = exp(2|x|) - 1 = (2^k - 1) + 2^k·(exp(r) - 1), corrected for the rounding error of e+2.
func Tanh(x float64) float64 {
	a := Smaller(22, math.Abs(x))
	e2 := a + a
	t := math.FMA(e2, math.Log2E, magic)
	k := t - magic
	r := math.FMA(-k, ln2Low, math.FMA(-k, ln2High, e2))
	square := float64(r * r)
	q := math.FMA(expSeries(r, square), square, r)
	w := math.Float64frombits(math.Float64bits(t)<<52 + oneBits)
	top := math.FMA(w, q, w-1)
	d := top + 2
	dl := (2 - d) + top
	return math.Copysign(ratio(top, d, dl), x)
}

// ratio returns a/(d + dl). It repeats the operations of the assembly, which are faster than a division: an estimate of 1/d from the bits of d, within
// 5.1 %, whose error e becomes e⁴ by the factor (1+e)(1+e²), one step of Newton's method, for the quotient and for 1/d, and the remainder of the
// quotient. d must be far from overflow and underflow.
func ratio(a, d, dl float64) float64 {
	inverse := math.Float64frombits(inverseGuess - math.Float64bits(d))
	e := math.FMA(-inverse, d, 1)
	inverse = math.FMA(inverse, e, inverse)
	inverse = math.FMA(inverse, float64(e*e), inverse)
	e = math.FMA(-inverse, d, 1)
	q := float64(a * inverse)
	q = math.FMA(q, e, q)
	inverse = math.FMA(inverse, e, inverse)
	rest := math.FMA(-q, dl, math.FMA(-q, d, a))
	return math.FMA(rest, inverse, q)
}

const inverseGuess = 0x7fde623822fc16e6
