package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// A lookup selects one of eight numbers for each lane.
type lookup struct {
	index vec
	upper mask
}

// lookup prepares a selection by the low three bits of index.
func (g *gen) lookup(index vec) lookup {
	if g.wide {
		return lookup{index: index}
	}
	pairs := g.or(g.shl(index, 1), g.shl(index, 33))
	return lookup{index: g.or(pairs, konst(1)<<32), upper: mask{v: g.shl(index, 61)}}
}

// choose returns the selected number of the row for each lane.
func (g *gen) choose(l lookup, name string, row [8]float64) vec {
	words := make([]uint64, 8)
	for i, x := range row {
		words[i] = math.Float64bits(x)
	}
	m := g.pool.table(name, words)
	d := g.vec()
	if g.wide {
		g.VPERMPD(m, l.index, d)
		return d
	}
	upper := g.vec()
	g.VPERMPS(m, l.index, d)
	g.VPERMPS(m.Offset(32), l.index, upper)
	g.VBLENDVPD(l.upper.v, upper, d, d)
	return d
}

// pieces returns d·P(u). The constant of P has a high and a low part, its linear coefficient is nearly exact,
// and apart from small terms the product is rounded once.
func (g *gen) pieces(l lookup, name string, rows [][8]float64, d, u vec) vec {
	row := func(i int) vec { return g.choose(l, name+string(rune('a'+i)), rows[i]) }
	const linear, from = 2, 3
	square := g.mul(u, u)
	last := len(rows) - 1
	sums := [2]vec{row(last), row(last - 1)} // of every second power
	for i := last - 2; i >= from; i-- {
		p := sums[(last-i)%2]
		g.VFMADD213PD(row(i), square, p)
	}
	even, odd := sums[(last-from)%2], sums[(last-from+1)%2]
	g.fma(even, odd, u)
	p := row(1)
	g.fma(p, even, square)
	g.fma(p, u, row(linear))
	y := g.mul(d, p)
	g.fma(y, d, row(0))
	return y
}

// octave returns 2·exponent(x) plus the first bit of its fraction, minus from.
func (g *gen) octave(x vec, from uint64) vec { return g.subInt(g.shr(x, 51), konst(from)) }

// belowOne replaces 1 in 1+x when the piece is looked up, so that the sum is not rounded up into the next
// piece, which belongs to another root.
const belowOne = 0x1.fffffffffffffp-1

func (g *gen) lgamma(x vec) vec {
	small := g.cmp(less, x, f(0.5))
	one := g.only(small, g.reg(oneBits))
	l := g.lookup(g.octave(g.add(x, g.only(small, g.reg(f(belowOne)))), 2*0x3fe))
	root := g.pick(g.cmp(less, x, f(1.5)), oneBits, f(2))
	d := g.sub(x, g.sub(root, one))
	u := g.sub(x, g.sub(g.choose(l, "lgammaCentre", lgammaPiecesCentre), one))
	y := g.add(g.pieces(l, "lgamma", lgammaPieces, d, u), konst(0)) // +0 at the roots
	lifted, extra := g.liftTiny(x)
	high, low := g.logParts(lifted, extra)
	below := g.sub(g.sub(y, low), high)
	y = g.pick(small, below, y)
	y = g.pick(g.cmp(less, x, f(8)), y, g.stirling(x, high, low))
	y = g.pick(g.cmp(equal, x, konst(0)), infinity, y)
	return g.pick(g.cmp(less, x, konst(0)), nanBits, y)
}

// stirling returns (x-½)(log x - 1) + (log(2π) - 1)/2 + S(1/x²)/x for x ≥ 8.
func (g *gen) stirling(x, high, low vec) vec {
	l := g.sub(high, oneBits)
	low = g.add(low, g.sub(g.sub(high, l), oneBits))
	a := g.sub(x, f(0.5))
	p := g.mul(a, l)
	rest := g.mul(a, low)
	rest = g.add(rest, g.lost(a, l, p))
	w := g.div(oneBits, x)
	s := g.polynomial(g.mul(w, w), stirlingTail)
	g.horner(s, w, f(halfLog2Pi-0.5))
	y := g.add(p, g.add(s, rest))
	return g.pick(g.cmp(less, p, infinity), y, p)
}

const halfLog2Pi = 0.91893853320467274178

// lost returns the rounding error a·b - p of p = a·b.
func (g *gen) lost(a, b, p vec) vec {
	d := g.copyOf(p)
	g.VFMSUB231PD(operand.Op(b), a, d)
	return d
}

func (g *gen) digamma(x vec) vec {
	small := g.cmp(less, x, oneBits)
	one := g.only(small, g.reg(oneBits))
	l := g.lookup(g.octave(g.add(x, one), 2*0x3ff))
	d := g.sub(g.sub(x, g.sub(f(digammaRoot), one)), f(digammaRootLow))
	u := g.sub(x, g.sub(g.choose(l, "digammaCentre", digammaPiecesCentre), one))
	y := g.pieces(l, "digamma", digammaPieces, d, u)
	inverse := g.div(oneBits, x)
	rest := g.mul(g.fnmaOf(inverse, x, oneBits), inverse)
	y = g.pick(small, g.sub(g.sub(y, rest), inverse), y)
	y = g.pick(g.cmp(less, x, f(0x1p-60)), g.xor(inverse, signBit), y)
	high, low := g.logParts(x, nil)
	w := g.mul(inverse, inverse)
	s := g.mul(g.polynomial(w, digammaTail), w)
	g.fma(s, inverse, f(0.5))
	y = g.pick(g.cmp(less, x, f(16)), y, g.add(high, g.sub(low, s)))
	y = g.pick(g.cmp(less, x, infinity), y, x)
	return g.pick(g.cmp(less, x, konst(0)), nanBits, y)
}

// risingValue is log Γ(a+k)/Γ(a) for a of 16 or more: with x = a+k, k·(log a - 1) + (x-½)·log(1+k/a) + S(x) -
// S(a).
func (g *gen) risingValue(a, k vec) vec {
	log1 := g.sub(g.log(a), oneBits)
	l := g.log1p(g.mul(k, g.div(oneBits, a)))
	x := g.add(a, k)
	rest := g.sub(g.stirlingRest(a), g.stirlingRest(x))
	v := g.fnmaOf(g.sub(x, f(0.5)), l, rest)
	v = g.xor(v, signBit)
	g.fma(v, k, log1)
	return v
}

// stirlingRest is S(x), what the leading terms of Stirling's formula leave out.
func (g *gen) stirlingRest(x vec) vec {
	w := g.div(oneBits, x)
	return g.mul(g.polynomial(g.mul(w, w), stirlingTail), w)
}

// risingSlope is its derivative in a, ψ(a+k) - ψ(a).
func (g *gen) risingSlope(a, k vec) vec {
	l := g.log1p(g.mul(k, g.div(oneBits, a)))
	return g.sub(l, g.sub(g.digammaRest(g.add(a, k)), g.digammaRest(a)))
}

// digammaRest is log x - ψ(x).
func (g *gen) digammaRest(x vec) vec {
	w := g.div(oneBits, x)
	square := g.mul(w, w)
	q := g.mul(g.polynomial(square, digammaTail), square)
	g.fma(q, w, f(0.5))
	return q
}
