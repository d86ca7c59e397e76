package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An ending is how a dense layer stores its sums.
type ending int

const (
	overwrite ending = iota // Y = c + X·W; a nil c is zero
	rectify                 // Y = max(c + X·W, 0)
	addOnto                 // Y += X·W
	tanhBack                // Y = X·W times 1 - t²
)

// dense multiplies n rows of X, k columns, by W into m columns of Y: tiles of rows by four columns of Y stay
// in registers.
func dense(name string, end ending) function {
	k := function{name: name,
		params: "n int, y [(m-1)*ys+n], ys int, x [(k-1)*xs+n], xs int, w [(k-1)*wk+(m-1)*wm+1], wk " +
			"int, wm int, k int, m int"}
	switch end {
	case overwrite, rectify:
		k.params += ", c [m]?"
	case tanhBack:
		k.params += ", t [(m-1)*ys+n]"
	}
	k.emit = func(g *gen) {
		l := layer{end: end, y: g.keep("y"), w: g.keep("w"), last: slot{}}
		outs := g.keep("m")
		switch end {
		case overwrite, rectify:
			l.last = g.keep("c")
		case tanhBack:
			l.last = slot{g.AllocLocal(8)} // from Y to t
			apart := g.ptr("t")
			g.SUBQ(g.ptr("y"), apart)
			g.put(apart, l.last)
		}
		for _, wide := range []int{4, 1} {
			g.whileAtLeast(outs, wide, func() {
				g.denseColumns(l, wide)
				g.move(l.y, g.scaled("ys"), wide)
				g.move(l.w, g.scaled("wm"), wide)
				if end == overwrite || end == rectify {
					g.moveUnlessNil(l.last, wide)
				}
			})
		}
	}
	return k
}

// A layer holds the values that all columns of a dense layer share: the ending, the current addresses in Y
// and W, and operands of the ending.
type layer struct {
	end        ending
	y, w, last slot
}

// A slot is a variable in the stack frame, where registers are scarce.
type slot struct{ operand.Mem }

// keep copies a parameter to a slot.
func (g *gen) keep(name string) slot {
	s := slot{g.AllocLocal(8)}
	g.put(g.integer(name), s)
	return s
}

func (g *gen) put(r reg.GPVirtual, s slot) { g.MOVQ(r, s.Mem) }

func (g *gen) take(s slot) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(s.Mem, r)
	return r
}

// move advances a pointer in a slot.
func (g *gen) move(s slot, by reg.GPVirtual, times int) {
	p := g.take(s)
	for range times {
		g.ADDQ(by, p)
	}
	g.put(p, s)
}

func (g *gen) moveUnlessNil(s slot, elements int) {
	without, p := g.label("without"), g.take(s)
	g.TESTQ(p, p)
	g.JEQ(label(without))
	g.ADDQ(operand.Imm(uint64(8*elements)), p)
	g.put(p, s)
	g.Label(without)
}

// scaled loads an integer parameter times eight.
func (g *gen) scaled(name string) reg.GPVirtual { return g.bytes(g.integer(name)) }

// denseColumns computes m columns of Y over all rows.
func (g *gen) denseColumns(l layer, m int) {
	sizes := []int{4, 1}
	if !g.wide {
		sizes = []int{2, 1}
	}
	y, x := g.take(l.y), g.ptr("x")
	g.rowTiles(g.integer("n"), sizes, []reg.GPVirtual{y, x}, func(vectors int) {
		acc := g.denseStart(y, l, m, vectors)
		column, weight, left := g.copyReg(x), g.take(l.w), g.integer("k")
		wk, xs := g.scaled("wk"), g.scaled("xs")
		wm := g.strided(g.scaled("wm"), m)
		loop := g.label("inner")
		g.Label(loop)
		var in []vec
		for v := range vectors {
			in = append(in, g.load(at(column, g.row(v))))
		}
		for o := range acc {
			u := g.vec()
			g.VBROADCASTSD(wm.column(weight, o, 0), u)
			for v := range in {
				g.VFMADD231PD(in[v], u, acc[o][v])
			}
		}
		g.ADDQ(xs, column)
		g.ADDQ(wk, weight)
		g.DECQ(left)
		g.JNE(label(loop))
		ys := g.strided(g.scaled("ys"), m)
		switch l.end {
		case rectify:
			zero := g.zero()
			for o := range acc {
				for _, v := range acc[o] {
					g.VMAXPD(v, zero, v)
				}
			}
		case tanhBack:
			g.denseTanhBack(acc, y, ys, l.last)
		}
		for o := range acc {
			for v := range vectors {
				g.store(acc[o][v], ys.column(y, o, g.row(v)))
			}
		}
	})
}

// denseTanhBack multiplies the sums of a tile by 1 - t²; apart is the distance in memory from Y to t.
func (g *gen) denseTanhBack(acc [][]vec, y reg.GPVirtual, ys strided, apart slot) {
	t := g.take(apart)
	g.ADDQ(y, t)
	for o := range acc {
		for v := range acc[o] {
			a := g.load(ys.column(t, o, g.row(v)))
			acc[o][v] = g.mul(acc[o][v], g.fnmaOf(a, a, oneBits))
		}
	}
}

// denseStart initialises the sums of a tile: with Y, with c, or with zero.
func (g *gen) denseStart(y reg.GPVirtual, l layer, m, vectors int) [][]vec {
	acc := make([][]vec, m)
	for o := range acc {
		for range vectors {
			acc[o] = append(acc[o], g.zero())
		}
	}
	switch l.end {
	case tanhBack:
		return acc
	case addOnto:
		ys := g.strided(g.scaled("ys"), m)
		for o := range acc {
			for v := range vectors {
				acc[o][v] = g.load(ys.column(y, o, g.row(v)))
			}
		}
		return acc
	}
	without, constant := g.label("without"), g.take(l.last)
	g.TESTQ(constant, constant)
	g.JEQ(label(without))
	for o := range acc {
		g.VBROADCASTSD(at(constant, 8*o), acc[o][0])
		for v := 1; v < vectors; v++ {
			g.VMOVAPD(acc[o][0], acc[o][v])
		}
	}
	g.Label(without)
	return acc
}

// denseGradient adds Xᵀ·D to the k×m matrix at w. The sums of a tile of its elements are in registers, with
// eight lanes over the rows.
func denseGradient() function {
	k := function{name: "denseGradient",
		params: "n int, w [(k-1)*wk+(m-1)*wm+1], wk int, wm int, x [(k-1)*xs+n], xs int, d " +
			"[(m-1)*ds+n], ds int, k int, m int"}
	k.emit = func(g *gen) {
		tile := 2
		if g.wide {
			tile = 4
		}
		w, x, ins := g.keep("w"), g.keep("x"), g.keep("k")
		to, d, outs := g.keep("w"), g.keep("d"), g.keep("m")
		for _, a := range []int{tile, 1} {
			g.whileAtLeast(ins, a, func() {
				g.put(g.take(w), to)
				g.put(g.ptr("d"), d)
				g.put(g.integer("m"), outs)
				for _, b := range []int{tile, 1} {
					g.whileAtLeast(outs, b, func() {
						g.gradientTile(to, x, d, a, b)
						g.move(d, g.scaled("ds"), b)
						g.move(to, g.scaled("wm"), b)
					})
				}
				g.move(x, g.scaled("xs"), a)
				g.move(w, g.scaled("wk"), a)
			})
		}
	}
	return k
}

// whileAtLeast emits a loop that subtracts step from a count while the count is at least step.
func (g *gen) whileAtLeast(count slot, step int, body func()) {
	loop, next := g.label("loop"), g.label("next")
	g.Label(loop)
	left := g.take(count)
	g.CMPQ(left, operand.Imm(uint64(step)))
	g.JLT(label(next))
	g.SUBQ(operand.Imm(uint64(step)), left)
	g.put(left, count)
	body()
	g.JMP(label(loop))
	g.Label(next)
}

func (g *gen) gradientTile(w, x0, d0 slot, a, b int) {
	sums := g.accumulators(a, b)
	x, d := g.take(x0), g.take(d0)
	xs, ds := g.strided(g.scaled("xs"), a), g.strided(g.scaled("ds"), b)
	g.eights(g.integer("n"), func(half func(h int)) {
		for h := range g.halves() {
			half(h)
			var out []vec
			for j := range b {
				out = append(out, g.load(ds.column(d, j, 32*h)))
			}
			for i := range a {
				in := g.load(xs.column(x, i, 32*h))
				for j := range b {
					g.VFMADD231PD(out[j], in, sums[i][j][h])
				}
			}
		}
		g.ADDQ(operand.Imm(64), x)
		g.ADDQ(operand.Imm(64), d)
	})
	g.addTile(w, sums)
}

// addTile adds the sums of a tile to the matrix at w: along the inputs where those are contiguous, else along
// the outputs.
func (g *gen) addTile(w slot, sums [][][]vec) {
	along, done := g.label("along"), g.label("done")
	add := func(line [][]vec, i int, across, step string) {
		to := g.take(w)
		for range i {
			g.ADDQ(g.scaled(across), to)
		}
		g.addSums(line, to, g.scaled(step))
	}
	g.CMPQ(g.scaled("wk"), operand.Imm(8))
	g.JNE(label(along))
	for j := range sums[0] {
		var line [][]vec
		for i := range sums {
			line = append(line, sums[i][j])
		}
		add(line, j, "wm", "wk")
	}
	g.JMP(label(done))
	g.Label(along)
	for i := range sums {
		add(sums[i], i, "wk", "wm")
	}
	g.Label(done)
}
