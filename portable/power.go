package portable

import "math"

const (
	log10Of2e    = 0x1.bcb7b1526e50ep-2 // 1/log 10, in two parts
	log10Of2eLow = 0x1.95355baaafad3p-57
)

// Log2 returns the logarithm of x to base 2, exact for powers of 2.
func Log2(x float64) float64 {
	lifted, extra := liftTiny(x)
	k, m := logSplit(lifted)
	return logSpecial(x, math.FMA(logOf(0, m), math.Log2E, k+extra), 0)
}

// Log10 returns the logarithm of x to base 10.
func Log10(x float64) float64 {
	high, low := logParts(liftTiny(x))
	p := float64(high * log10Of2e)
	rest := math.FMA(high, log10Of2e, -p) + math.FMA(high, log10Of2eLow, float64(low*log10Of2e))
	return logSpecial(x, p+rest, 0)
}

// Pow returns x^y, with the special values of math.Pow: by the logarithm in two parts.
func Pow(x, y float64) float64 {
	whole := math.Trunc(y) == y
	a := math.Abs(x)
	switch {
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case x != x || y != y || x < 0 && !whole && a < math.Inf(1):
		return math.NaN()
	case y == 2:
		return x * x
	case y == -1:
		return 1 / x
	case y == 0.5 && a < math.Inf(1) && x != 0:
		return math.Sqrt(x)
	}
	v := powOf(a, y)
	if math.Signbit(x) && whole && math.Abs(y) < 0x1p53 && int64(y)&1 == 1 {
		return -v
	}
	return v
}

// powOf is a^y for a ≥ 0.
func powOf(a, y float64) float64 {
	switch {
	case a == 1:
		return 1
	case a == 0 || a == math.Inf(1) || math.Abs(y) == math.Inf(1):
		return Where(a > 1 == (y > 0), math.Inf(1), 0)
	}
	high, low := logParts(liftTiny(a))
	sum := high + low
	low -= sum - high
	p := float64(y * sum)
	if math.Abs(p) > 1000 {
		return Where(p > 0, math.Inf(1), 0)
	}
	low = math.FMA(y, sum, -p) + float64(y*low)
	e := split(Larger(expLeast, Smaller(expMost, p)))
	return ldexp(1+(e.r+math.FMA(low, 1+(e.r+e.s), e.s)), e.t)
}

// PowSlope is ∂a^b/∂a.
func PowSlope(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return b * Pow(a, b-1)
}

// PowLog is ∂a^b/∂b = y·log a for y = a^b, with its limit 0 where y is 0.
func PowLog(a, y float64) float64 {
	if y == 0 {
		return 0
	}
	return y * Log(a)
}

// Hypot returns √(p² + q²) without overflow.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	switch {
	case p == math.Inf(1) || q == math.Inf(1):
		return math.Inf(1)
	case p < q:
		p, q = q, p
	}
	if p == 0 || q != q {
		return q
	}
	q /= p
	return p * math.Sqrt(1+float64(q*q))
}

// Sinh returns (e^x - e^-x)/2.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if a > 709 {
		e := Exp(a / 2)
		return math.Copysign(float64(0.5*e)*e, x)
	}
	e := Expm1(a)
	return math.Copysign(0.5*(e+e/(e+1)), x)
}

// Cosh returns (e^x + e^-x)/2.
func Cosh(x float64) float64 {
	e := Exp(math.Abs(x) / 2)
	return float64(float64(0.5*e)*e) + 0.5/e/e
}

// Asinh returns the inverse of Sinh.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	if a > 0x1p28 {
		return math.Copysign(Log(a)+math.Ln2, x)
	}
	square := float64(a * a)
	return math.Copysign(Log1p(a+square/(1+math.Sqrt(1+square))), x)
}
