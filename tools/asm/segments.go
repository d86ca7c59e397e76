package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// segments lists the functions over n segments of rows. A segment is three integers: its first row, the row
// after its last, and its element of the table.
func segments() []function {
	const params = "n int, segments [3*n]int32, y [rows], rows int, table [levels], levels int"
	return []function{
		{name: "segmentFill", params: params, emit: func(g *gen) {
			g.segments(func(y, length reg.GPVirtual, level operand.Mem) {
				v := g.vec()
				g.VBROADCASTSD(level, v)
				g.each(length, func(i reg.GPVirtual) { g.store(v, element(y, i, 0)) })
			})
		}},
		{name: "segmentSumsAdd", params: params, emit: func(g *gen) {
			g.segments(func(y, length reg.GPVirtual, level operand.Mem) {
				const unroll = 4
				sums := g.accumulators(1, unroll)
				g.reduce(length, unroll, sums, func(b *block) {
					v := g.load(b.element(y))
					g.VADDPD(v, b.acc[0], b.acc[0])
				})
				s := g.fold(sums[0])
				g.VADDSD(level, s, s)
				g.VMOVSD(s, level)
			})
		}},
	}
}

// segments emits body for every segment, with the address of its rows, their number, and its element of the
// table.
func (g *gen) segments(body func(y, length reg.GPVirtual, level operand.Mem)) {
	at, y, table, left := g.ptr("segments"), g.ptr("y"), g.ptr("table"), g.integer("n")
	loop := g.label("segment")
	g.Label(loop)
	first, length, level := g.GP64(), g.GP64(), g.GP64()
	g.MOVLQSX(operand.Mem{Base: at}, first)
	g.MOVLQSX(operand.Mem{Base: at, Disp: 4}, length)
	g.MOVLQSX(operand.Mem{Base: at, Disp: 8}, level)
	g.SUBQ(first, length)
	g.LEAQ(operand.Mem{Base: y, Index: first, Scale: 8}, first)
	body(first, length, operand.Mem{Base: table, Index: level, Scale: 8})
	g.ADDQ(operand.Imm(12), at)
	g.DECQ(left)
	g.JNE(label(loop))
}
