package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gather loads whole vectors by index and returns the number of elements done. It stops before a vector with
// an index out of range, and before the last incomplete vector.
func gather() function {
	k := function{name: "gather", params: "n int, y [n], table [rows], rows int, index [n]int32",
		result: "int"}
	k.emit = func(g *gen) {
		y, table, index, last := g.ptr("y"), g.ptr("table"), g.ptr("index"), g.integer("n")
		rows := g.vec()
		a, err := g.Param("rows").Resolve()
		if err != nil {
			panic(err)
		}
		g.VPBROADCASTQ(a.Addr, rows)
		i := g.GP64()
		loop, done := g.label("loop"), g.label("done")
		g.XORQ(i, i)
		g.SUBQ(operand.Imm(uint64(g.lanes())), last)
		g.Label(loop)
		g.CMPQ(i, last)
		g.JGT(label(done))
		at := g.vec()
		g.VPMOVSXDQ(operand.Mem{Base: index, Index: i, Scale: 4}, at)
		v := g.vec()
		if g.wide {
			g.gatherWide(v, at, rows, table, done)
		} else {
			g.gatherNarrow(v, at, rows, table, done)
		}
		g.VMOVUPD(v, element(y, i, 0))
		g.ADDQ(operand.Imm(uint64(g.lanes())), i)
		g.JMP(label(loop))
		g.Label(done)
		g.Store(i, g.Return("r"))
	}
	return k
}

func (g *gen) gatherWide(v, at, rows vec, table reg.GPVirtual, done string) {
	outside, all := g.K(), g.K()
	g.VPCMPUQ(operand.U8(5), rows, at, outside) // at ≥ rows, without a sign
	g.KORTESTB(outside, outside)
	g.JNE(label(done))
	g.KXNORB(all, all, all)
	g.VPXORQ(v, v, v)
	g.VGATHERQPD(operand.Mem{Base: table, Index: at, Scale: 8}, all, v)
}

func (g *gen) gatherNarrow(v, at, rows vec, table reg.GPVirtual, done string) {
	inside, all, bits := g.vec(), g.vec(), g.GP32()
	g.VPCMPGTQ(at, rows, inside) // rows > at
	g.VPANDN(inside, at, inside) // and not negative: the sign bit of at is clear
	g.VMOVMSKPD(inside, bits)
	g.CMPL(bits, operand.Imm(15))
	g.JNE(label(done))
	g.VPCMPEQD(all, all, all)
	g.VPXOR(v, v, v)
	g.VGATHERQPD(all, operand.Mem{Base: table, Index: at, Scale: 8}, v)
}
