package main

import "math"

const (
	magic    = 0x1.8p52 // the low bits of x + magic are x, below 2^31, rounded to an integer
	log2e    = math.Log2E
	ln2High  = 6.93147180369123816490e-01 // 33 bits, so that its product with an exponent is exact
	ln2Low   = 1.90821492927058770002e-10
	expMost  = 710.0
	expLeast = -746.0
	expGone  = -1076.0 // expLeast / log 2, rounded
	normal   = 0x1p-1022
	// of log1mExp
	expNormal = -708.0
	belowRoot = -1.2279471772995158 // log(1-√½)
)

const (
	oneBits   = konst(0x3ff) << 52
	halfBits  = konst(0x3fe) << 52
	signBit   = konst(1) << 63
	magnitude = ^signBit
	infBits   = konst(0x7ff) << 52
	nanBits   = konst(0x7ff8000000000001)
)

var infinity = f(math.Inf(1))

func (g *gen) abs(x vec) vec { return g.and(x, magnitude) }

// An exponential is 2^k·e^(r+s): t is k + magic, and s is the rounding error of r.
type exponential struct {
	t, k, r, s vec
}

// expSplit reduces a bounded x by multiples of log 2.
func (g *gen) expSplit(x vec) exponential {
	t := g.fmaOf(x, f(log2e), f(magic))
	k := g.sub(t, f(magic))
	high := g.fnmaOf(k, f(ln2High), x)
	r := g.fnmaOf(k, f(ln2Low), high)
	c := g.sub(high, r)
	g.fnma(c, k, f(ln2Low))
	square := g.mul(r, r)
	g.fma(c, square, g.evenOdd(r, square, expTail))
	return exponential{t, k, r, c}
}

// scale returns p·2^k for each p, rounded once; 0 where k is that of expLeast. Nothing is computed there: a
// product that underflows takes processors a hundred cycles.
func (g *gen) scale(t, k vec, p ...vec) []vec {
	some := g.cmp(unequal, k, f(expGone))
	if g.wide {
		for i, x := range p {
			p[i] = g.vec()
			g.VSCALEFPD_Z(k, x, some.k, p[i])
		}
		return p
	}
	a := g.halfShift(t, 1)
	b := g.subHalf(t, a)
	first, second := g.addInt(g.shl(a, 52), oneBits), g.addInt(g.shl(b, 52), oneBits)
	for i, x := range p {
		p[i] = g.mul(g.mul(g.only(some, x), first), second)
	}
	return p
}

// exp returns e^x: 1 + (r + r²·q) scaled.
func (g *gen) exp(x vec) vec {
	x = g.max(f(expLeast), g.min(f(expMost), x))
	return g.expBounded(x)
}

func (g *gen) expBounded(x vec) vec {
	t := g.fmaOf(x, f(log2e), f(magic))
	k := g.sub(t, f(magic))
	r := g.fnmaOf(k, f(ln2High), x)
	g.fnma(r, k, f(ln2Low))
	square := g.mul(r, r)
	q := g.evenOdd(r, square, expTail)
	g.horner(q, square, r)
	return g.scale(t, k, g.add(q, oneBits))[0]
}

// expMinus returns e^-a for a ≥ 0 in two parts.
func (g *gen) expMinus(a vec) (z, low vec) {
	x := g.or(g.min(f(-expLeast), a), signBit)
	e := g.expSplit(x)
	u := g.add(e.r, e.s)
	h := g.add(u, oneBits)
	l := g.sub(u, g.sub(h, oneBits))
	two := g.scale(e.t, e.k, h, l)
	return two[0], two[1]
}

// quotient returns (a + al)/(d + dl), given 1/d.
func (g *gen) quotient(a, al, d, dl val, inverse vec) vec {
	q := g.mul(a, inverse)
	rest := g.fnmaOf(q, d, a)
	low := g.fnmaOf(q, dl, al)
	g.fma(q, g.add(rest, low), inverse)
	return q
}

func (g *gen) sigmoid(x vec) vec {
	z, zl := g.expMinus(g.abs(x))
	d := g.add(z, oneBits)
	dl := g.add(g.add(g.sub(oneBits, d), z), zl)
	negative := g.cmp(less, x, konst(0))
	a := g.pick(negative, z, oneBits)
	al := g.only(negative, zl)
	return g.quotient(a, al, d, dl, g.div(oneBits, d))
}

func (g *gen) expm1(x vec) vec {
	e := g.expSplit(g.max(f(-40), g.min(f(expMost), x)))
	w := g.addInt(g.shl(e.t, 52), halfBits) // 2^(k-1)
	a := g.sub(w, f(0.5))
	b := g.mul(w, e.r)
	high := g.add(a, b)
	low := g.add(g.sub(a, high), b)
	g.fma(low, w, e.s)
	y := g.add(high, low)
	y = g.add(y, y)
	return g.pick(g.cmp(less, g.abs(x), f(0x1p-54)), x, y)
}

// tanh is e/(e+2) with e = exp(2|x|) - 1 = (2^k - 1) + 2^k·(exp(r) - 1), corrected for the rounding errors of
// e+2, d, and of the quotient q: 1/d is (1-q)/2, of which few digits are left near 1.
func (g *gen) tanh(x vec) vec {
	a := g.min(f(22), g.abs(x))
	a = g.add(a, a)
	t := g.fmaOf(a, f(log2e), f(magic))
	r := g.fnmaOf(g.sub(t, f(magic)), f(math.Ln2), a)
	square := g.mul(r, r)
	s := g.evenOdd(r, square, expTail)
	g.horner(s, square, r)
	w := g.addInt(g.shl(t, 52), oneBits)
	e := g.fmaOf(w, s, g.sub(w, oneBits))
	two := f(2)
	d := g.add(e, two)
	low := g.add(g.sub(two, d), e)
	q := g.div(e, d)
	rest := g.fnmaOf(q, d, e)
	g.fnma(rest, q, low)
	g.fma(q, rest, g.fnmaOf(q, halfBits, halfBits))
	return g.or(g.min(oneBits, q), g.and(x, signBit))
}

const (
	aboveRoot = 0x3fe6a09e00000000 // √½, rounded to 20 bits
	mantissa  = 0x000fffffffffffff
	exponent0 = 0x4330000000000000 // 2^52
)

// logSplit writes x, positive and normal, as 2^k·(1+f) with 1+f between √½ and √2.
func (g *gen) logSplit(x vec) (k, m vec) {
	bits := g.addInt(x, konst(uint64(oneBits)-aboveRoot))
	k = g.sub(g.or(g.shr(bits, 52), konst(exponent0)), f(0x1p52+1023))
	m = g.addInt(g.and(bits, konst(mantissa)), konst(aboveRoot))
	return k, g.sub(m, oneBits)
}

// logSeries returns f²/2 and s·(f²/2 + R) with s = f/(2+f): log(1+f) = f - (f²/2 - s·(f²/2+R)). plus is added
// to the product.
func (g *gen) logSeries(m vec, plus val) (square, tail vec) {
	s := g.div(m, g.add(m, f(2)))
	z := g.mul(s, s)
	r := g.mul(g.polynomial(z, logTail), z)
	square = g.mul(g.mul(m, f(0.5)), m)
	return square, g.fmaOf(s, g.add(square, r), plus)
}

// logNormal is the logarithm of a positive normal number.
func (g *gen) logNormal(x vec) vec {
	k, m := g.logSplit(x)
	return g.logOf(k, m)
}

func (g *gen) logOf(k, m vec) vec {
	square, tail := g.logSeries(m, g.mul(k, f(ln2Low)))
	y := g.sub(m, g.sub(square, tail))
	g.fma(y, k, f(ln2High))
	return y
}

// liftTiny returns x with subnormal numbers multiplied by 2^54, and the exponent to add.
func (g *gen) liftTiny(x vec) (lifted, k vec) {
	tiny := g.cmp(less, x, f(normal))
	return g.pick(tiny, g.mul(x, f(0x1p54)), x), g.only(tiny, g.reg(f(-54)))
}

// logSpecial returns y where x is positive and finite, else the special values of the logarithm.
func (g *gen) logSpecial(x, y vec, at val) vec {
	y = g.pick(g.cmp(less, x, infinity), y, x)
	y = g.pick(g.cmp(equal, x, at), f(math.Inf(-1)), y)
	return g.pick(g.cmp(less, x, at), nanBits, y)
}

func (g *gen) log(x vec) vec {
	lifted, extra := g.liftTiny(x)
	k, m := g.logSplit(lifted)
	return g.logSpecial(x, g.logOf(g.add(k, extra), m), konst(0))
}

// logParts is the logarithm of a positive number in two parts, the lower of which may be large.
func (g *gen) logParts(x, extra vec) (high, low vec) {
	k, m := g.logSplit(x)
	if extra != nil {
		k = g.add(k, extra)
	}
	square, tail := g.logSeries(m, g.mul(k, f(ln2Low)))
	head := g.mul(k, f(ln2High))
	high = g.add(head, m)
	low = g.add(g.sub(head, high), m)
	return high, g.add(low, g.sub(tail, square))
}

// near1 returns c/(1+f) to three digits, given s = f/(2+f), since 1/(1+f) = (1-s)/(1+s).
func (g *gen) near1(c, s vec) vec {
	return g.mul(c, g.polynomial(s, []float64{1, -2, 2, -2}))
}

// logCorrected is log(2^k·(1+m)) where c is to be added to m. 1/(1+m) is taken to be 1-2s.
func (g *gen) logCorrected(k, m, c vec) vec {
	s := g.div(m, g.add(m, f(2)))
	c = g.fnmaOf(g.add(s, s), c, c)
	z := g.mul(s, s)
	square := g.mul(g.mul(m, f(0.5)), m)
	r := g.evenOdd(z, g.mul(z, z), logTail)
	g.horner(r, z, square)
	tail := g.fmaOf(s, r, g.fmaOf(k, f(ln2Low), c))
	y := g.sub(m, g.sub(square, tail))
	g.fma(y, k, f(ln2High))
	return y
}

func (g *gen) log1p(x vec) vec {
	u := g.add(x, oneBits)
	c := g.add(g.sub(g.max(x, oneBits), u), g.min(x, oneBits))
	bits := g.addInt(u, konst(uint64(oneBits)-aboveRoot))
	biased := g.shr(bits, 52)
	c = g.mul(g.mul(c, g.subInt(infBits, g.shl(biased, 52))), f(0.5)) // 2·2^-k, which is 0 or more
	k := g.sub(g.or(biased, konst(exponent0)), f(0x1p52+1023))
	m := g.sub(g.addInt(g.and(bits, konst(mantissa)), konst(aboveRoot)), oneBits)
	y := g.logCorrected(k, m, c)
	return g.logSpecial(x, g.or(y, g.and(x, signBit)), f(-1))
}

// log1mExp returns log(1-e^x), and gives e^x and 1-e^x to a function.
func (g *gen) log1mExp(x vec, odds func(z, u vec)) vec {
	e := g.expSplit(g.max(f(expNormal), x))
	w := g.only(g.cmp(greaterEqual, x, f(expNormal)), g.addInt(g.shl(e.t, 52), oneBits)) // 2^k
	b := g.mul(w, g.add(e.r, e.s))
	a := g.sub(oneBits, w)
	z, u := g.add(w, b), g.sub(a, b)
	odds(z, u)
	far := g.cmp(less, x, f(belowRoot))
	low := g.sub(g.sub(a, u), b)
	c := g.pick(far, g.xor(g.add(g.sub(w, z), b), signBit), g.add(low, low))
	bits := g.addInt(g.mul(u, f(0x1p54)), konst(uint64(oneBits)-aboveRoot))
	k := g.sub(g.or(g.shr(bits, 52), konst(exponent0)), f(0x1p52+1023+54))
	m := g.sub(g.addInt(g.and(bits, konst(mantissa)), konst(aboveRoot)), oneBits)
	y := g.logCorrected(g.pick(far, konst(0), k), g.pick(far, g.xor(z, signBit), m), c)
	special := g.pick(g.cmp(equal, x, konst(0)), f(math.Inf(-1)), g.reg(nanBits))
	return g.pick(g.cmp(less, x, konst(0)), y, special)
}

// log1pOf returns log(1 + z + zl) for z in [0, 1].
func (g *gen) log1pOf(z, zl vec) vec {
	u := g.add(z, oneBits)
	far := g.cmp(greater, z, f(0.4142))
	c := g.add(g.add(g.sub(oneBits, u), z), zl)
	c = g.pick(far, g.mul(c, f(0.5)), zl)
	m := g.pick(far, g.sub(g.mul(u, f(0.5)), oneBits), z)
	k := g.only(far, g.reg(oneBits))
	s := g.div(m, g.add(m, f(2)))
	c = g.near1(c, s)
	w := g.mul(s, s)
	r := g.mul(g.polynomial(w, logTail), w)
	square := g.mul(g.mul(m, f(0.5)), m)
	tail := g.fmaOf(s, g.add(square, r), g.fmaOf(k, f(ln2Low), c))
	y := g.sub(m, g.sub(square, tail))
	g.fma(y, k, f(ln2High))
	return y
}

func (g *gen) log1pExp(x vec) vec {
	z, zl := g.expMinus(g.abs(x))
	return g.add(g.max(konst(0), x), g.log1pOf(z, zl))
}
