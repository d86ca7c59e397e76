package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// A gen writes one assembly function for one instruction set: AVX-512 (wide) or AVX2 with FMA. Bodies are
// written once, over its methods, each of which is one rounding in both sets, so that lanes compute the same
// bits.
type gen struct {
	*build.Context
	wide    bool
	target  target
	once    bool // a body is emitted once for complete and incomplete vectors, where that is not too slow
	pool    *pool
	hoist   map[konst]reg.VecVirtual // constants that live in registers
	seen    map[konst]int            // constants used, with counts
	order   []konst
	partial *mask // the existing lanes of a vector that may be incomplete; nil for other vectors
	// the number of elements left where a vector may be complete; nil where it is not
	left   reg.Register
	labels int
	room   *operand.Mem // in the frame
}

// A vec is a register of 8 or 4 doubles.
type vec = reg.VecVirtual

// A konst is a constant in every lane, as bits.
type konst uint64

// A val is a vec or a konst.
type val any

// A mask selects lanes: a mask register, or a vector of all ones and all zeros.
type mask struct {
	k reg.OpmaskVirtual
	v vec
}

func f(x float64) konst { return konst(math.Float64bits(x)) }

// lanes is the number of doubles in a vector.
func (g *gen) lanes() int {
	if g.wide {
		return 8
	}
	return 4
}

// halves is the number of vectors that hold eight lanes.
func (g *gen) halves() int { return 8 / g.lanes() }

func (g *gen) vec() vec {
	if g.wide {
		return g.ZMM()
	}
	return g.YMM()
}

func (g *gen) label(what string) string {
	g.labels++
	return fmt.Sprintf("%s%d", what, g.labels)
}

// constant returns an operand for k, and whether it is a scalar in memory to be broadcast.
func (g *gen) constant(k konst) (operand.Op, bool) {
	if g.seen[k] == 0 {
		g.order = append(g.order, k)
	}
	g.seen[k]++
	if r, ok := g.hoist[k]; ok {
		return r, false
	}
	return g.pool.at(k, g.wide), g.wide
}

// reg returns x in a register that may be shared, so it must not be written.
func (g *gen) reg(x val) vec {
	k, ok := x.(konst)
	if !ok {
		return x.(vec)
	}
	c, scalar := g.constant(k)
	if r, ok := c.(vec); ok {
		return r
	}
	return g.fetch(c, scalar)
}

func (g *gen) fetch(c operand.Op, scalar bool) vec {
	d := g.vec()
	if scalar {
		g.VBROADCASTSD(c, d)
	} else {
		g.VMOVUPD(c, d)
	}
	return d
}

// copyOf returns a copy of x in a new register.
func (g *gen) copyOf(x val) vec {
	if k, ok := x.(konst); ok {
		c, scalar := g.constant(k)
		return g.fetch(c, scalar)
	}
	d := g.vec()
	g.VMOVAPD(x.(vec), d)
	return d
}

func (g *gen) zero() vec {
	d := g.vec()
	var i *ir.Instruction
	var err error
	if g.wide {
		i, err = x86.VPXORQ(d, d, d)
	} else {
		i, err = x86.VPXOR(d, d, d)
	}
	if err != nil {
		panic(err)
	}
	i.CancellingInputs = true // unknown to avo for VPXORQ: it would keep d alive before
	g.Instruction(i)
	return d
}

type emitter func(...operand.Op)

// apply emits plain, or broadcast for a constant in memory; b is the operand that may be in memory.
func (g *gen) apply(plain, broadcast emitter, b val, rest ...operand.Op) {
	if k, ok := b.(konst); ok {
		c, scalar := g.constant(k)
		if scalar {
			plain = broadcast
		}
		plain(append([]operand.Op{c}, rest...)...)
		return
	}
	plain(append([]operand.Op{b.(operand.Op)}, rest...)...)
}

func (g *gen) binary(plain, broadcast emitter, a, b val) vec {
	x, d := g.reg(a), g.vec()
	g.apply(plain, broadcast, b, x, d)
	return d
}

func (g *gen) add(a, b val) vec { return g.binary(g.VADDPD, g.VADDPD_BCST, a, b) }
func (g *gen) sub(a, b val) vec { return g.binary(g.VSUBPD, g.VSUBPD_BCST, a, b) }
func (g *gen) mul(a, b val) vec { return g.binary(g.VMULPD, g.VMULPD_BCST, a, b) }
func (g *gen) div(a, b val) vec { return g.binary(g.VDIVPD, g.VDIVPD_BCST, a, b) }

// min and max return b where either is NaN.
func (g *gen) min(a, b val) vec { return g.binary(g.VMINPD, g.VMINPD_BCST, a, b) }
func (g *gen) max(a, b val) vec { return g.binary(g.VMAXPD, g.VMAXPD_BCST, a, b) }

func (g *gen) and(a, b val) vec { return g.binary(g.VANDPD, g.VANDPD_BCST, a, b) }
func (g *gen) or(a, b val) vec  { return g.binary(g.VORPD, g.VORPD_BCST, a, b) }
func (g *gen) xor(a, b val) vec { return g.binary(g.VXORPD, g.VXORPD_BCST, a, b) }

func (g *gen) sqrt(a vec) vec {
	d := g.vec()
	g.VSQRTPD(a, d)
	return d
}

// fma adds a·b to acc, with one rounding.
func (g *gen) fma(acc vec, a, b val) { g.apply(g.VFMADD231PD, g.VFMADD231PD_BCST, b, g.reg(a), acc) }

// fnma subtracts a·b from acc, with one rounding.
func (g *gen) fnma(acc vec, a, b val) {
	g.apply(g.VFNMADD231PD, g.VFNMADD231PD_BCST, b, g.reg(a), acc)
}

// horner sets p = p·x + c.
func (g *gen) horner(p vec, x, c val) { g.apply(g.VFMADD213PD, g.VFMADD213PD_BCST, c, g.reg(x), p) }

// fmaOf returns a·b + c.
func (g *gen) fmaOf(a, b, c val) vec {
	d := g.copyOf(c)
	g.fma(d, a, b)
	return d
}

// fnmaOf returns c - a·b.
func (g *gen) fnmaOf(a, b, c val) vec {
	d := g.copyOf(c)
	g.fnma(d, a, b)
	return d
}

// polynomial returns Σ c[i]·x^i by Horner's rule.
func (g *gen) polynomial(x val, c []float64) vec {
	p := g.copyOf(f(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		g.horner(p, x, f(c[i]))
	}
	return p
}

// evenOdd returns Σ c[i]·x^i as two independent polynomials in x²: this halves the latency, which bounds a
// long body.
func (g *gen) evenOdd(x, square val, c []float64) vec {
	var parts [2][]float64
	for i, v := range c {
		parts[i%2] = append(parts[i%2], v)
	}
	sums := [2]vec{g.copyOf(f(parts[0][len(parts[0])-1])), g.copyOf(f(parts[1][len(parts[1])-1]))}
	for i := len(parts[0]) - 2; i >= 0; i-- {
		for s := range sums {
			if j := i - len(parts[0]) + len(parts[s]); j >= 0 {
				g.horner(sums[s], square, f(parts[s][j]))
			}
		}
	}
	g.fma(sums[0], sums[1], x)
	return sums[0]
}

// Integer operations on 64-bit lanes, and on their 32-bit halves.
func (g *gen) addInt(a, b val) vec { return g.binary(g.VPADDQ, g.VPADDQ_BCST, a, b) }
func (g *gen) subInt(a, b val) vec { return g.binary(g.VPSUBQ, g.VPSUBQ_BCST, a, b) }
func (g *gen) subHalf(a, b vec) vec {
	d := g.vec()
	g.VPSUBD(b, a, d)
	return d
}

func (g *gen) shift(op func(...operand.Op), a vec, by uint8) vec {
	d := g.vec()
	op(operand.U8(by), a, d)
	return d
}

func (g *gen) shl(a vec, by uint8) vec       { return g.shift(g.VPSLLQ, a, by) }
func (g *gen) shr(a vec, by uint8) vec       { return g.shift(g.VPSRLQ, a, by) }
func (g *gen) halfShift(a vec, by uint8) vec { return g.shift(g.VPSRAD, a, by) }

// Predicates of comparisons. All but unequal are false where either is NaN.
const (
	equal        = 0
	less         = 17
	lessEqual    = 18
	unequal      = 4
	greaterEqual = 29
	greater      = 30
	unordered    = 3
)

// cmp compares a with b.
func (g *gen) cmp(predicate uint8, a, b val) mask {
	x := g.reg(a)
	emit := func(plain, broadcast emitter, d operand.Op) {
		g.apply(func(ops ...operand.Op) { plain(append([]operand.Op{operand.U8(predicate)}, ops...)...) },
			func(ops ...operand.Op) {
				broadcast(append([]operand.Op{operand.U8(predicate)}, ops...)...)
			}, b, x, d)
	}
	if g.wide {
		k := g.K()
		emit(g.VCMPPD, g.VCMPPD_BCST, k)
		return mask{k: k}
	}
	v := g.vec()
	emit(g.VCMPPD, g.VCMPPD_BCST, v)
	return mask{v: v}
}

// pick returns yes where m, else no.
func (g *gen) pick(m mask, yes, no val) vec {
	d := g.vec()
	n := g.reg(no)
	if g.wide {
		g.apply(g.blend(x86.VBLENDMPD, d), g.blend(x86.VBLENDMPD_BCST, d), yes, n, m.k, d)
		return d
	}
	g.VBLENDVPD(m.v, g.reg(yes), n, d)
	return d
}

// blend emits a blend to d. avo takes d for an operand, as it is of other instructions with a mask, and would
// keep a register for it in all of a loop.
func (g *gen) blend(make func(...operand.Op) (*ir.Instruction, error), d vec) emitter {
	return func(ops ...operand.Op) {
		i, err := make(ops...)
		if err != nil {
			panic(err)
		}
		i.Inputs = slices.DeleteFunc(i.Inputs, func(o operand.Op) bool { return o == d })
		g.Instruction(i)
	}
}

// only returns a where m, else +0.
func (g *gen) only(m mask, a vec) vec {
	d := g.vec()
	if g.wide {
		g.VMOVAPD_Z(a, m.k, d)
	} else {
		g.VANDPD(m.v, a, d)
	}
	return d
}

// load reads a vector. The missing lanes of an incomplete vector are not read, and are +0.
func (g *gen) load(m operand.Mem) vec {
	d := g.vec()
	switch {
	case g.partial == nil:
		g.VMOVUPD(m, d)
	case g.wide:
		g.unlessFull(func() { g.VMOVUPD(m, d) }, func() { g.VMOVUPD_Z(m, g.partial.k, d) })
	default:
		g.unlessFull(func() { g.VMOVUPD(m, d) }, func() { g.VMASKMOVPD(m, g.partial.v, d) })
	}
	return d
}

// unlessFull emits two ways to read or write a vector, for one that is complete and one that is not.
func (g *gen) unlessFull(complete, partial func()) {
	if g.left == nil {
		partial()
		return
	}
	part, done := g.label("part"), g.label("whole")
	g.CMPQ(g.left, operand.Imm(uint64(g.lanes())))
	g.JLT(label(part))
	complete()
	g.JMP(label(done))
	g.Label(part)
	partial()
	g.Label(done)
}

// store writes a vector, and of an incomplete one only the existing lanes.
func (g *gen) store(v vec, m operand.Mem) {
	switch {
	case g.partial == nil:
		g.VMOVUPD(v, m)
	case g.wide:
		g.unlessFull(func() { g.VMOVUPD(v, m) }, func() { g.VMOVUPD(v, g.partial.k, m) })
	default:
		g.unlessFull(func() { g.VMOVUPD(v, m) }, func() { g.VMASKMOVPD(v, g.partial.v, m) })
	}
}

// count adds v to acc in the existing lanes.
func (g *gen) count(acc, v vec) {
	if g.partial != nil {
		v = g.only(*g.partial, v)
	}
	g.VADDPD(v, acc, acc)
}

// broadcast returns the scalar parameter of the given name in all lanes.
func (g *gen) broadcast(name string) vec {
	d := g.vec()
	a, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	g.VBROADCASTSD(a.Addr, d)
	return d
}

// ptr and integer load a parameter.
func (g *gen) ptr(name string) reg.GPVirtual { return g.integer(name) }
func (g *gen) integer(name string) reg.GPVirtual {
	return g.Load(g.Param(name), g.GP64()).(reg.GPVirtual)
}

// at returns the operand at an offset in bytes from a pointer.
func at(p reg.GPVirtual, offset int) operand.Mem { return operand.Mem{Base: p, Disp: offset} }

// element is the address of element i (plus a fixed number of elements) behind p.
func element(p, i reg.Register, plus int) operand.Mem {
	return operand.Mem{Base: p, Index: i, Scale: 8, Disp: 8 * plus}
}
