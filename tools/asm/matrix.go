package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func label(l string) operand.LabelRef { return operand.LabelRef(l) }

// bytes multiplies a number of elements by their size.
func (g *gen) bytes(r reg.GPVirtual) reg.GPVirtual {
	g.SHLQ(operand.U8(3), r)
	return r
}

func (g *gen) copyReg(r reg.GPVirtual) reg.GPVirtual {
	d := g.GP64()
	g.MOVQ(r, d)
	return d
}

// rowTiles emits body for n rows: in tiles of each of the given numbers of vectors, largest first and 1 last,
// then for an incomplete vector. The pointers advance with the rows.
func (g *gen) rowTiles(n reg.GPVirtual, sizes []int, pointers []reg.GPVirtual, body func(vectors int)) {
	left := g.copyReg(n)
	done := g.label("done")
	for _, v := range sizes {
		rows := v * g.lanes()
		loop, next := g.label("tile"), g.label("next")
		g.Label(loop)
		g.CMPQ(left, operand.Imm(uint64(rows)))
		g.JLT(label(next))
		body(v)
		for _, p := range pointers {
			g.ADDQ(operand.I32(int32(8*rows)), p)
		}
		g.SUBQ(operand.Imm(uint64(rows)), left)
		g.JMP(label(loop))
		g.Label(next)
	}
	g.CMPQ(left, operand.Imm(0))
	g.JLE(label(done))
	g.partial = g.rest(left, 0)
	body(1)
	g.partial = nil
	g.Label(done)
}

// fmaMem adds x·b to acc, with x in memory; only existing lanes are read.
func (g *gen) fmaMem(acc vec, x operand.Mem, b vec) {
	if g.partial != nil {
		g.VFMADD231PD(g.load(x), b, acc)
		return
	}
	g.VFMADD231PD(x, b, acc)
}

func (g *gen) row(v int) int { return 8 * g.lanes() * v }

// tileRows lists the numbers of vectors in the tiles of a product: enough independent sums to hide the
// latency of an addition.
var tileRows = []int{8, 4, 1}

// matVec sets y = X·b: the sums of a tile of rows stay in registers over all columns.
func matVec() function {
	k := function{name: "matVec",
		params: "n int, y [n], x [(k-1)*stride+n], stride int, b [(k-1)*step+1], step int, k int"}
	k.emit = func(g *gen) {
		y, x, b := g.ptr("y"), g.ptr("x"), g.ptr("b")
		stride, step, count := g.bytes(g.integer("stride")), g.bytes(g.integer("step")), g.integer("k")
		g.rowTiles(g.integer("n"), tileRows, []reg.GPVirtual{y, x}, func(vectors int) {
			acc := make([]vec, vectors)
			for v := range acc {
				acc[v] = g.zero()
			}
			column, weight, left := g.copyReg(x), g.copyReg(b), g.copyReg(count)
			loop := g.label("column")
			g.Label(loop)
			w := g.vec()
			g.VBROADCASTSD(at(weight, 0), w)
			for v := range acc {
				g.fmaMem(acc[v], at(column, g.row(v)), w)
			}
			g.ADDQ(stride, column)
			g.ADDQ(step, weight)
			g.DECQ(left)
			g.JNE(label(loop))
			for v := range acc {
				g.store(acc[v], at(y, g.row(v)))
			}
		})
	}
	return k
}

// strided addresses eight columns from a moving pointer by three registers: 1, 3 and 5 or 7 times the stride.
type strided struct {
	one, three, five, seven reg.GPVirtual
}

func (g *gen) strided(stride reg.GPVirtual, columns int) strided {
	s := strided{one: stride}
	multiple := func(base, index reg.GPVirtual, scale uint8) reg.GPVirtual {
		d := g.GP64()
		g.LEAQ(operand.Mem{Base: base, Index: index, Scale: scale}, d)
		return d
	}
	if columns > 3 {
		s.three = multiple(stride, stride, 2)
	}
	if columns > 4 {
		s.five = multiple(stride, stride, 4)
		s.seven = multiple(s.three, stride, 4)
	}
	return s
}

// column returns the address of column j.
func (s strided) column(p reg.GPVirtual, j, disp int) operand.Mem {
	m := operand.Mem{Base: p, Disp: disp}
	switch j {
	case 0:
	case 1, 2, 4:
		m.Index, m.Scale = s.one, uint8(j)
	case 3:
		m.Index, m.Scale = s.three, 1
	case 5:
		m.Index, m.Scale = s.five, 1
	case 6:
		m.Index, m.Scale = s.three, 2
	case 7:
		m.Index, m.Scale = s.seven, 1
	}
	return m
}

// matTVec adds Xᵀ·r to b: columns in groups whose sums stay in registers, each with eight lanes over the
// rows.
func matTVec() function {
	k := function{name: "matTVecAdd",
		params: "n int, b [(k-1)*step+1], step int, x [(k-1)*stride+n], stride int, r [n], k int"}
	k.emit = func(g *gen) {
		groups := []int{4, 2, 1}
		if g.wide {
			groups = []int{8, 4, 2, 1}
		}
		b, x, r := g.ptr("b"), g.ptr("x"), g.ptr("r")
		step, left, n := g.bytes(g.integer("step")), g.integer("k"), g.integer("n")
		s := g.strided(g.bytes(g.integer("stride")), groups[0])
		for _, c := range groups {
			loop, next := g.label("group"), g.label("next")
			g.Label(loop)
			g.CMPQ(left, operand.Imm(uint64(c)))
			g.JLT(label(next))
			sums := g.columnDots(n, x, r, s, c)
			g.addSums(sums, b, step)
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

// columnDots returns the accumulators of c columns times r: [column][half].
func (g *gen) columnDots(n, x, r reg.GPVirtual, s strided, c int) [][]vec {
	sums := g.accumulators(1, c)[0]
	column, weights := g.copyReg(x), g.copyReg(r)
	g.eights(n, func(half func(h int)) {
		for h := range g.halves() {
			half(h)
			u := g.load(at(weights, 32*h))
			for j := range c {
				g.fmaMem(sums[j][h], s.column(column, j, 32*h), u)
			}
		}
		g.ADDQ(operand.Imm(64), column)
		g.ADDQ(operand.Imm(64), weights)
	})
	return sums
}

// eights emits body for every eight rows, and for an incomplete eight at the end. Body calls half before it
// works on lanes 4h to 4h+3.
func (g *gen) eights(n reg.GPVirtual, body func(half func(h int))) {
	left := g.copyReg(n)
	loop, tail, done := g.label("rows"), g.label("tail"), g.label("done")
	g.SUBQ(operand.Imm(8), left)
	g.JLT(label(tail))
	g.Label(loop)
	body(func(int) {})
	g.SUBQ(operand.Imm(8), left)
	g.JGE(label(loop))
	g.Label(tail)
	g.ADDQ(operand.Imm(8), left)
	g.JLE(label(done))
	var masks []*mask
	for h := range g.halves() {
		masks = append(masks, g.rest(left, h))
	}
	body(func(h int) { g.partial = masks[h] })
	g.partial = nil
	g.Label(done)
}

// addSums folds the lanes of each accumulator in the order of fold, adds the sums to b, b+step, …, and
// advances b.
func (g *gen) addSums(acc [][]vec, b, step reg.GPVirtual) {
	if len(acc) < 4 {
		for _, a := range acc {
			s := g.foldLanes(a)
			g.VADDSD(at(b, 0), s, s)
			g.VMOVSD(s, at(b, 0))
			g.ADDQ(step, b)
		}
		return
	}
	fold := g.foldFour
	if len(acc) == 8 {
		fold = g.foldEight
	}
	sums := fold(acc)
	apart, done := g.label("apart"), g.label("done")
	g.CMPQ(step, operand.Imm(8))
	g.JNE(label(apart))
	g.VADDPD(at(b, 0), sums, sums)
	g.VMOVUPD(sums, at(b, 0))
	g.ADDQ(operand.Imm(uint64(8*len(acc))), b)
	g.JMP(label(done))
	g.Label(apart)
	place := g.scratch()
	g.VMOVUPD(sums, place)
	for j := range acc {
		s := g.XMM()
		g.VMOVSD(place.Offset(8*j), s)
		g.VADDSD(at(b, 0), s, s)
		g.VMOVSD(s, at(b, 0))
		g.ADDQ(step, b)
	}
	g.Label(done)
}

// scratch returns memory for eight numbers in the stack frame.
func (g *gen) scratch() operand.Mem {
	if g.room == nil {
		m := g.AllocLocal(64)
		g.room = &m
	}
	return *g.room
}

func (g *gen) sumOf(a, b, d vec) vec {
	g.VADDPD(b, a, d)
	return d
}

// foldFour folds four accumulators into the four lanes of a register; each lane is the same sum as that of
// foldLanes.
func (g *gen) foldFour(acc [][]vec) vec {
	var four [4]vec // lanes l and l+4
	for i := range four {
		four[i] = g.YMM()
		if g.wide {
			high := g.YMM()
			g.VEXTRACTF64X4(operand.U8(1), acc[i][0], high)
			g.VADDPD(high, acc[i][0].AsY(), four[i])
		} else {
			g.VADDPD(acc[i][1], acc[i][0], four[i])
		}
	}
	pair := func(a, c vec) vec { // lanes l and l+2 of both
		low, high := g.YMM(), g.YMM()
		if g.wide {
			g.VSHUFF64X2(operand.U8(0), c, a, low)
			g.VSHUFF64X2(operand.U8(3), c, a, high)
		} else {
			g.VPERM2F128(operand.U8(0x20), c, a, low)
			g.VPERM2F128(operand.U8(0x31), c, a, high)
		}
		return g.sumOf(low, high, low)
	}
	ac, bd := pair(four[0], four[2]), pair(four[1], four[3])
	even, odd := g.YMM(), g.YMM()
	g.VUNPCKLPD(bd, ac, even)
	g.VUNPCKHPD(bd, ac, odd)
	return g.sumOf(even, odd, even)
}

// foldEight is foldFour for eight accumulators of AVX-512.
func (g *gen) foldEight(acc [][]vec) vec {
	pair := func(a, b vec, low, high uint8) vec {
		x, y := g.ZMM(), g.ZMM()
		g.VSHUFF64X2(operand.U8(low), b, a, x)
		g.VSHUFF64X2(operand.U8(high), b, a, y)
		return g.sumOf(x, y, x)
	}
	quad := func(a, b, c, d vec) vec {
		return pair(pair(a, b, 0x44, 0xee), pair(c, d, 0x44, 0xee), 0x88, 0xdd)
	}
	left := quad(acc[0][0], acc[2][0], acc[4][0], acc[6][0])
	right := quad(acc[1][0], acc[3][0], acc[5][0], acc[7][0])
	even, odd := g.ZMM(), g.ZMM()
	g.VUNPCKLPD(right, left, even)
	g.VUNPCKHPD(right, left, odd)
	return g.sumOf(even, odd, even)
}

func matrices() []function {
	return []function{
		matVec(),
		matTVec(),
		dense("dense", overwrite),
		dense("denseRelu", rectify),
		dense("denseAdd", addOnto),
		dense("denseTanhBack", tanhBack),
		denseGradient(),
	}
}
