package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rest returns the mask of the lanes l < r, of lanes 4·half to 4·half+3 in AVX2. r is at most 8.
func (g *gen) rest(r reg.GPVirtual, half int) *mask {
	if g.wide {
		t := g.GP64()
		g.MOVQ(operand.I32(-1), t)
		g.BZHIQ(r, t, t)
		k := g.K()
		g.KMOVB(t.As32(), k)
		return &mask{k: k}
	}
	if g.target == wasm {
		return g.restByComparison(r, half)
	}
	words := make([]uint64, 16)
	for i := range 8 {
		words[i] = ^uint64(0)
	}
	table := g.pool.table("lanesBelow", words)
	t, minus := g.GP64(), g.GP64()
	g.LEAQ(table, t)
	g.MOVQ(r, minus)
	g.NEGQ(minus)
	v := g.vec()
	g.VMOVUPD(element(t, minus, 8+4*half), v)
	return &mask{v: v}
}

// restByComparison is rest without a table, of which a module of WebAssembly has none.
func (g *gen) restByComparison(r reg.GPVirtual, half int) *mask {
	numbers := make([]uint64, 4)
	for i := range numbers {
		numbers[i] = uint64(4*half + i)
	}
	table := g.pool.table(fmt.Sprintf("lanes%d", half), numbers)
	x, v := g.XMM(), g.vec()
	g.VMOVQ(r, x)
	g.VPBROADCASTQ(x, v)
	g.VPCMPGTQ(table, v, v)
	return &mask{v: v}
}

// each emits body for every vector of n elements, the last of which may be incomplete. i counts elements.
func (g *gen) each(n reg.GPVirtual, body func(i reg.GPVirtual)) {
	if g.once {
		g.vectorsFrom(g.number(0), n, body)
		return
	}
	i, last := g.GP64(), g.GP64()
	loop, tail, done := g.label("loop"), g.label("tail"), g.label("done")
	w := g.lanes()
	g.XORQ(i, i)
	g.LEAQ(operand.Mem{Base: n, Disp: -w}, last)
	g.CMPQ(i, last)
	g.JGT(operand.LabelRef(tail))
	g.Label(loop)
	body(i)
	g.ADDQ(operand.Imm(uint64(w)), i)
	g.CMPQ(i, last)
	g.JLE(operand.LabelRef(loop))
	g.Label(tail)
	r := g.GP64()
	g.MOVQ(n, r)
	g.SUBQ(i, r)
	g.JLE(operand.LabelRef(done))
	g.partial = g.rest(r, 0)
	body(i)
	g.partial = nil
	g.Label(done)
}

// vectorsFrom emits body once, for every vector of n elements from i on: the last may be incomplete, and a
// mask selects the lanes that exist. Loads and stores branch, on the number of elements left: those with
// masks are slower.
func (g *gen) vectorsFrom(i, n reg.GPVirtual, body func(i reg.GPVirtual)) {
	loop, last, done := g.label("loop"), g.label("last"), g.label("done")
	w := g.lanes()
	left := g.copyReg(n)
	g.SUBQ(i, left)
	m := g.all()
	if g.target == wasm { // which has no jumps into a loop
		g.vectorsOf(i, left, m, body)
		return
	}
	g.CMPQ(left, operand.Imm(uint64(w)))
	g.JLT(label(last))
	g.Label(loop)
	g.partial, g.left = m, left
	body(i)
	g.partial, g.left = nil, nil
	g.ADDQ(operand.Imm(uint64(w)), i)
	g.SUBQ(operand.Imm(uint64(w)), left)
	g.CMPQ(left, operand.Imm(uint64(w)))
	g.JGE(label(loop))
	g.Label(last)
	g.CMPQ(left, operand.Imm(0))
	g.JLE(label(done))
	g.limit(m, left)
	g.JMP(label(loop))
	g.Label(done)
}

// vectorsOf is vectorsFrom with one way into the loop.
func (g *gen) vectorsOf(i, left reg.GPVirtual, m *mask, body func(i reg.GPVirtual)) {
	loop, full, done := g.label("loop"), g.label("full"), g.label("done")
	w := uint64(g.lanes())
	g.Label(loop)
	g.CMPQ(left, operand.Imm(0))
	g.JLE(label(done))
	g.CMPQ(left, operand.Imm(w))
	g.JGE(label(full))
	g.limit(m, left)
	g.Label(full)
	g.partial, g.left = m, left
	body(i)
	g.partial, g.left = nil, nil
	g.ADDQ(operand.Imm(w), i)
	g.SUBQ(operand.Imm(w), left)
	g.JMP(label(loop))
	g.Label(done)
}

// all returns a mask of all lanes.
func (g *gen) all() *mask {
	if g.wide {
		k := g.K()
		g.KXNORB(k, k, k)
		return &mask{k: k}
	}
	return g.rest(g.number(4), 0)
}

// limit makes a mask that of the lanes l < r, fewer than all.
func (g *gen) limit(m *mask, r reg.GPVirtual) {
	now := g.rest(r, 0)
	if g.wide {
		g.KMOVB(now.k, m.k)
		return
	}
	g.VMOVAPD(now.v, m.v)
}

// sumVectors is vectorsFrom for a reduction with one accumulator of eight lanes for each sum: in AVX2 they
// change places from one half to the other.
func (g *gen) sumVectors(i, n reg.GPVirtual, start [][][]vec, body func(*block)) {
	var acc []vec
	for _, s := range start {
		acc = append(acc, s[0][0])
	}
	swap := func() {
		for _, s := range start {
			first := g.copyOf(s[0][0])
			g.VMOVAPD(s[0][1], s[0][0])
			g.VMOVAPD(first, s[0][1])
		}
	}
	g.vectorsFrom(i, n, func(i reg.GPVirtual) {
		body(&block{i: i, acc: acc})
		if !g.wide {
			swap()
		}
	})
	if g.wide {
		return
	}
	even, odd := g.label("even"), g.copyReg(i)
	g.SHLQ(operand.U8(61), odd)
	g.TESTQ(odd, odd)
	g.JEQ(label(even))
	swap()
	g.Label(even)
}

// A block is eight lanes of a reduction, or half of them; element(p) is their address in p.
type block struct {
	i    reg.GPVirtual
	plus int
	acc  []vec
}

func (b *block) element(p reg.GPVirtual) operand.Mem { return element(p, b.i, b.plus) }

// reduce emits body for every eight of n elements and returns the accumulators: [sum][unroll][half]. Elements
// 8u…8u+7 of every 8·unroll go to accumulator u, and in it by their index modulo 8 to a lane. start gives the
// initial accumulators.
func (g *gen) reduce(n reg.GPVirtual, unroll int, start [][][]vec, body func(*block)) {
	if g.once && unroll == 1 && len(start) > 0 {
		g.sumVectors(g.number(0), n, start, body)
		return
	}
	i, last := g.GP64(), g.GP64()
	loop, tail, done := g.label("loop"), g.label("tail"), g.label("done")
	step := 8 * unroll
	of := func(u, half int) []vec {
		var acc []vec
		for _, s := range start {
			acc = append(acc, s[u][half])
		}
		return acc
	}
	g.XORQ(i, i)
	g.LEAQ(operand.Mem{Base: n, Disp: -step}, last)
	g.CMPQ(i, last)
	g.JGT(operand.LabelRef(tail))
	g.Label(loop)
	for u := range unroll {
		for h := range g.halves() {
			body(&block{i: i, plus: 8*u + 4*h, acc: of(u, h)})
		}
	}
	g.ADDQ(operand.Imm(uint64(step)), i)
	g.CMPQ(i, last)
	g.JLE(operand.LabelRef(loop))
	g.Label(tail)
	r, eight, most := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(n, r)
	g.SUBQ(i, r)
	if unroll > 1 {
		g.MOVQ(operand.U32(8), eight)
	}
	for u := range unroll {
		g.CMPQ(r, operand.Imm(0))
		g.JLE(operand.LabelRef(done))
		g.MOVQ(r, most)
		if unroll > 1 {
			g.CMPQ(r, eight)
			g.CMOVQGT(eight, most)
		}
		for h := range g.halves() {
			g.partial = g.rest(most, h)
			body(&block{i: i, plus: 8*u + 4*h, acc: of(u, h)})
			g.partial = nil
		}
		if unroll > 1 && u < unroll-1 {
			g.SUBQ(operand.Imm(8), r)
		}
	}
	g.Label(done)
}

// accumulators returns unroll·8 lanes, set to zero, for each of several sums.
func (g *gen) accumulators(sums, unroll int) [][][]vec {
	out := make([][][]vec, sums)
	for s := range out {
		out[s] = make([][]vec, unroll)
		for u := range out[s] {
			for range g.halves() {
				out[s][u] = append(out[s][u], g.zero())
			}
		}
	}
	return out
}

// fold adds up a sum: accumulators in pairs, then lanes l and l+4, l and l+2, l and l+1.
func (g *gen) fold(acc [][]vec) reg.VecVirtual {
	for n := len(acc); n > 1; n /= 2 {
		for u := range n / 2 {
			for h := range acc[u] {
				g.VADDPD(acc[2*u+1][h], acc[2*u][h], acc[2*u][h])
				acc[u][h] = acc[2*u][h]
			}
		}
	}
	return g.foldLanes(acc[0])
}

func (g *gen) foldLanes(acc []vec) reg.VecVirtual {
	four := g.YMM()
	if g.wide {
		high := g.YMM()
		g.VEXTRACTF64X4(operand.U8(1), acc[0], high)
		g.VADDPD(high, acc[0].AsY(), four)
	} else {
		g.VADDPD(acc[1], acc[0], four)
	}
	two, high := g.XMM(), g.XMM()
	if g.wide {
		g.VEXTRACTF64X2(operand.U8(1), four, high)
	} else {
		g.VEXTRACTF128(operand.U8(1), four, high)
	}
	g.VADDPD(high, four.AsX(), two)
	one, odd := g.XMM(), g.XMM()
	g.VUNPCKHPD(two, two, odd)
	g.VADDSD(odd, two, one)
	return one
}

// result makes the lowest lane of v the result of the function.
func (g *gen) result(v reg.VecVirtual) {
	a, err := g.Return("r").Resolve()
	if err != nil {
		panic(err)
	}
	g.VMOVSD(v, a.Addr)
}
