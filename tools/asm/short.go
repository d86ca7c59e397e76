package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products with a matrix stored as float32: loads widen, arithmetic is that of the products in float64. Columns are read to the end of a vector
// of eight rows, so that no load needs a mask.

// fmaShort adds x·b to acc, x being floats in memory.
func (g *gen) fmaShort(acc vec, x operand.Mem, b vec) {
	d := g.vec()
	g.VCVTPS2PD(x, d)
	g.VFMADD231PD(d, b, acc)
}

// half halves a number of bytes.
func (g *gen) half(r reg.GPVirtual) reg.GPVirtual {
	g.SHRQ(operand.U8(1), r)
	return r
}

const shortMatrix = "x [(k-1)*stride+(n+7)/8*8]float32, stride int"

func matVecAddShort() kernel {
	k := kernel{name: "matVecAddShort", params: "n int, y [n], " + shortMatrix + ", b [k], k int"}
	k.emit = func(g *gen) {
		y, x, b := g.ptr("y"), g.ptr("x"), g.ptr("b")
		stride, count := g.half(g.bytes(g.integer("stride"))), g.integer("k")
		g.rowTiles(g.integer("n"), tileRows, []reg.GPVirtual{y}, func(vectors int) {
			acc := make([]vec, vectors)
			for v := range acc {
				acc[v] = g.load(at(y, g.row(v)))
			}
			column, weight, left := g.copyReg(x), g.copyReg(b), g.copyReg(count)
			loop := g.label("column")
			g.Label(loop)
			w := g.vec()
			g.VBROADCASTSD(at(weight, 0), w)
			for v := range acc {
				g.fmaShort(acc[v], at(column, g.row(v)/2), w)
			}
			g.ADDQ(stride, column)
			g.ADDQ(operand.Imm(8), weight)
			g.DECQ(left)
			g.JNE(label(loop))
			for v := range acc {
				g.store(acc[v], at(y, g.row(v)))
			}
			g.ADDQ(operand.I32(int32(g.row(vectors)/2)), x)
		})
	}
	return k
}

func matTVecAddShort() kernel {
	k := kernel{name: "matTVecAddShort", params: "n int, b [k], " + shortMatrix + ", r [n], k int"}
	k.emit = func(g *gen) {
		groups := []int{4, 2, 1}
		b, x, r := g.ptr("b"), g.ptr("x"), g.ptr("r")
		left, n := g.integer("k"), g.integer("n")
		step := g.GP64()
		g.MOVQ(operand.U32(8), step)
		s := g.strided(g.half(g.bytes(g.integer("stride"))), groups[0])
		ahead := g.copyReg(left) // bytes from here to the next tile
		g.IMULQ(s.one, ahead)
		for _, c := range groups {
			loop, next := g.label("group"), g.label("next")
			g.Label(loop)
			g.CMPQ(left, operand.Imm(uint64(c)))
			g.JLT(label(next))
			g.addSums(g.shortDots(n, x, r, ahead, s, c), b, step)
			g.SUBQ(operand.Imm(uint64(c)), left)
			for range c {
				g.ADDQ(s.one, x)
			}
			g.JMP(label(loop))
			g.Label(next)
		}
	}
	return k
}

// shortDots is columnDots for columns of floats. It fetches the same place of the next tile on the way: such matrices lie in memory, and the second
// pass over a tile is when memory has nothing else to do.
func (g *gen) shortDots(n, x, r, ahead reg.GPVirtual, s strided, c int) [][]vec {
	sums := g.accumulators(1, c)[0]
	column, weights, next := g.copyReg(x), g.copyReg(r), g.copyReg(x)
	g.ADDQ(ahead, next)
	g.eights(n, func(half func(h int)) {
		for h := range g.halves() {
			half(h)
			u := g.load(at(weights, 32*h))
			for j := range c {
				g.fmaShort(sums[j][h], s.column(column, j, 16*h), u)
			}
		}
		for j := range c {
			g.PREFETCHT0(s.column(next, j, 0))
		}
		g.ADDQ(operand.Imm(32), column)
		g.ADDQ(operand.Imm(32), next)
		g.ADDQ(operand.Imm(64), weights)
	})
	return sums
}
