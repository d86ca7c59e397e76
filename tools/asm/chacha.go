package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chacha8 computes blocks of ChaCha with 8 rounds, 16 at a time, one in each 32-bit lane: word w of block b
// is word 16w+b of the 256 of a batch, so that no transposition is needed. AVX2 computes a batch in two
// halves.
func chacha8() function {
	k := function{name: "chaCha8", params: "n int, y [128*n]uint64, state *[16]uint32"}
	k.emit = func(g *gen) {
		n, y, state := g.integer("n"), g.ptr("y"), g.ptr("state")
		numbers := make([]uint64, 8)
		for i := range numbers {
			numbers[i] = uint64(2*i+1)<<32 | uint64(2*i)
		}
		first := g.pool.table("blockNumbers", numbers)
		done := g.GP32() // blocks of earlier batches
		g.XORL(done, done)
		loop := g.label("batch")
		g.Label(loop)
		for h := range g.halves() {
			g.chachaBlocks(state, done, first.Offset(32*h), at(y, 32*h))
		}
		g.ADDL(operand.Imm(16), done)
		g.ADDQ(operand.I32(1024), y)
		g.DECQ(n)
		g.JNE(label(loop))
	}
	return k
}

// A chacha is the state of the blocks in the lanes of a register: the third row is in memory for AVX2, which
// has 16 registers.
type chacha struct {
	*gen
	rows [16]vec
	room operand.Mem
}

func (c *chacha) third(i int) bool { return i >= 8 && i < 12 && !c.wide }

func (c *chacha) place(i int) operand.Mem { return c.room.Offset(32 * (i - 8)) }

// chachaBlocks writes the blocks with the numbers counter + done + first, with the counter of the state.
func (g *gen) chachaBlocks(state, done reg.GPVirtual, first, out operand.Mem) {
	c := &chacha{gen: g}
	if !g.wide {
		c.room = g.AllocLocal(128)
	}
	for i := range c.rows {
		v := g.vec()
		c.initial(state, done, first, i, v)
		if c.third(i) {
			g.VMOVDQU(v, c.place(i))
		} else {
			c.rows[i] = v
		}
	}
	left := g.GP32()
	g.MOVL(operand.U32(4), left)
	loop := g.label("rounds")
	g.Label(loop)
	for i := range 4 {
		c.quarter(i, 4+i, 8+i, 12+i)
	}
	for i := range 4 {
		c.quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
	}
	g.DECL(left)
	g.JNE(label(loop))
	for i := range c.rows {
		v := g.vec()
		c.initial(state, done, first, i, v)
		if c.third(i) {
			g.VPADDD(c.place(i), v, v)
		} else {
			g.VPADDD(c.rows[i], v, v)
		}
		g.VMOVUPD(v, out.Offset(64*i))
	}
}

// initial sets d to word i of the initial state, for every block.
func (c *chacha) initial(state, done reg.GPVirtual, first operand.Mem, i int, d vec) {
	c.VPBROADCASTD(at(state, 4*i), d)
	if i != 12 {
		return
	}
	c.VPADDD(first, d, d)
	x, add := c.XMM(), c.vec()
	c.VMOVD(done, x)
	c.VPBROADCASTD(x, add)
	c.VPADDD(add, d, d)
}

// quarter is the quarter-round.
func (c *chacha) quarter(a, b, m, d int) {
	va, vb, vm, vd := c.rows[a], c.rows[b], c.rows[m], c.rows[d]
	if c.third(m) {
		vm = c.vec()
		c.VMOVDQU(c.place(m), vm)
	}
	c.VPADDD(vb, va, va)
	c.mix(va, vd, 16)
	c.VPADDD(vd, vm, vm)
	c.mix(vm, vb, 12)
	c.VPADDD(vb, va, va)
	c.mix(va, vd, 8)
	c.VPADDD(vd, vm, vm)
	c.mix(vm, vb, 7)
	if c.third(m) {
		c.VMOVDQU(vm, c.place(m))
	}
}

// mix sets d = (d xor a) rotated to the left.
func (c *chacha) mix(a, d vec, by uint8) {
	if c.wide {
		c.VPXORD(a, d, d)
		c.VPROLD(operand.U8(by), d, d)
		return
	}
	c.VPXOR(a, d, d)
	if by%8 == 0 {
		c.VPSHUFB(c.turns(int(by)/8), d, d)
		return
	}
	t := c.vec()
	c.VPSRLD(operand.U8(32-by), d, t)
	c.VPSLLD(operand.U8(by), d, d)
	c.VPOR(t, d, d)
}

// turns returns the byte shuffle that rotates each 32-bit lane to the left by whole bytes.
func (c *chacha) turns(bytes int) operand.Mem {
	words := make([]uint64, 4)
	for i := range 32 {
		lane := i % 16 &^ 3
		from := lane + (i%4-bytes+4)%4
		words[i/8] |= uint64(from) << (8 * (i % 8))
	}
	return c.pool.table(map[int]string{1: "turnOne", 2: "turnTwo"}[bytes], words)
}
