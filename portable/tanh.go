package portable

import "math"

// Sigmoid returns 1/(1 + e^-x). It is 1/(1+z) or z/(1+z) with z = exp(-|x|); every number has a high and a
// low part.
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

// Tanh returns the hyperbolic tangent of x. It is e/(e+2) with e = exp(2|x|) - 1 = (2^k - 1) + 2^k·(exp(r) -
// 1), corrected for the rounding errors of e+2, d, and of the quotient q: 1/d is (1-q)/2, of which few digits
// are left near 1.
func Tanh(x float64) float64 {
	a := Smaller(22, math.Abs(x))
	a += a
	t := math.FMA(a, math.Log2E, magic)
	r := math.FMA(-(t - magic), math.Ln2, a)
	square := float64(r * r)
	s := math.FMA(expSeries(r, square), square, r)
	w := math.Float64frombits(math.Float64bits(t)<<52 + oneBits)
	e := math.FMA(w, s, w-1)
	d := e + 2
	low := (2 - d) + e
	q := e / d
	rest := math.FMA(-q, low, math.FMA(-q, d, e))
	return math.Copysign(Smaller(1, math.FMA(rest, math.FMA(-q, 0.5, 0.5), q)), x)
}
