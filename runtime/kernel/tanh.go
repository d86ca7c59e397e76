package kernel

import "math"

// Sigmoid sets y = 1/(1 + e^-a).
func Sigmoid(n int, y, a []float64) { sigmoid(active, n, y, a) }

// Tanh sets y = tanh a.
func Tanh(n int, y, a []float64) { tanh(active, n, y, a) }

// sigmoidOf is 1/(1+z) or z/(1+z) with z = exp(-|x|), all in two parts.
func sigmoidOf(x float64) float64 {
	z, zl := expMinus(math.Abs(x))
	d := z + 1
	dl := ((1 - d) + z) + zl
	a, al := 1.0, 0.0
	if x < 0 {
		a, al = z, zl
	}
	return quotient(a, al, d, dl, 1/d)
}

func sigmoidGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = sigmoidOf(x)
	}
}

// tanhOf is e/(2-e) with e = 1 - exp(-2|x|), all in two parts.
func tanhOf(x float64) float64 {
	a := -smaller(22, math.Abs(x))
	e := split(a + a)
	w := math.Float64frombits(math.Float64bits(e.t)<<52 + oneBits)
	one := 1 - w
	b := float64(w * e.r)
	high := one - b
	low := math.FMA(-w, e.s, (one-high)-b)
	top := high + low
	topLow := (high - top) + low
	d := 2 - top
	dl := ((2 - d) - top) - topLow
	return math.Copysign(quotient(top, topLow, d, dl, 1/d), x)
}

func tanhGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = tanhOf(x)
	}
}
