package main

import "math"

// π/2 in three parts, to 160 bits.
const (
	quarterTurn       = 0x1.921fb54442d18p+0
	quarterTurnLow    = 0x1.1a62633145c07p-54
	quarterTurnLowest = -0x1.f1976b7ed8fbcp-110
)

// sine and cosine are those of x minus a multiple n of π/2, in two parts; the last bits of n say which, and
// the sign. Up to 2^20 the first difference is exact.
func (g *gen) sine(x vec) vec {
	y := g.turn(x, konst(0))
	return g.pick(g.cmp(less, g.abs(x), f(0x1p-27)), x, y)
}

func (g *gen) cosine(x vec) vec { return g.turn(x, konst(1)) }

func (g *gen) turn(x vec, ahead konst) vec {
	t := g.fmaOf(x, f(2/math.Pi), f(magic))
	n := g.sub(t, f(magic))
	rest := g.fnmaOf(n, f(quarterTurn), x)
	p := g.mul(n, f(quarterTurnLow))
	high := g.sub(rest, p)
	back := g.sub(high, rest)
	low := g.sub(g.sub(rest, g.sub(high, back)), g.add(p, back))
	low = g.sub(low, g.lost(n, g.reg(f(quarterTurnLow)), p))
	g.fnma(low, n, f(quarterTurnLowest))
	z := g.mul(high, high)
	s := g.add(high, g.fmaOf(g.mul(high, z), g.polynomial(z, sineTail), low))
	half := g.mul(z, f(0.5))
	w := g.sub(oneBits, half)
	tail := g.sub(g.sub(oneBits, w), half)
	c := g.mul(g.mul(z, z), g.polynomial(z, cosineTail))
	g.fnma(c, high, low)
	c = g.add(w, g.add(tail, c))
	quadrant := g.addInt(t, ahead)
	odd := g.cmp(less, g.or(g.shl(quadrant, 63), oneBits), konst(0))
	sign := g.and(g.shl(quadrant, 62), signBit)
	return g.xor(g.pick(odd, c, s), sign)
}
