package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Likelihoods of linear predictors: X·b, the likelihood, and Xᵀ times its derivative, for one tile of rows at a time, so that X is read from memory once and
// from the L1 cache once more. X is stored in tiles, [tile][column][tileLength rows], the last padded with zeros. The predictors of a tile are computed
// before the likelihood of the previous tile: the two are independent, so the processor overlaps them. Tiles of which the L1 cache does not hold two are done
// one after another instead.

// tileLength is the number of rows in a tile.
const tileLength = 32

// A linear is a likelihood of a linear predictor while it is emitted.
type linear struct {
	*gen
	ahead   place          // the tile whose predictors are next
	here    place          // the tile whose likelihood is next, one behind
	start   [][][]vec      // sums
	names   []string       // of the sums
	scalars map[string]vec // parameters
}

// A place is a position at a tile: the address of its part of X, the offset in bytes of its first row in a vector, and the number of rows left.
type place struct{ x, row, left slot }

// linearPredictor returns the function of a likelihood. more lists its parameters other than those of the predictor, the observations y, and the
// derivative d, which holds the predictor in between. together is the number of vectors of the likelihood for which AVX-512 has registers. as has the
// names of the predictor and the observations in the body of the likelihood.
func linearPredictor(name, more string, together int, as [2]string, body func(s *site)) function {
	k := function{name: name, params: "n int, x [(n+31)/32*32*k], b [k], k int, grad [8*(k+1)], c float64, o [n]?, y [n], d [n], " + more}
	k.emit = func(g *gen) {
		l := &linear{gen: g, scalars: map[string]vec{}}
		l.begin(k.list()[9:])
		l.ahead, l.here = l.first(), l.first()
		behind := slot{g.AllocLocal(8)}
		loop, finish, done := g.label("tile"), g.label("finish"), g.label("done")
		started := g.number(0)
		l.ifLarge(func() { g.MOVQ(operand.U32(1), started) })
		g.put(started, behind)
		g.Label(loop)
		l.skipUnlessRows(l.ahead, finish)
		l.wholeOrUnits(l.ahead, l.predict, l.predictUnit)
		l.advance(l.ahead)
		started = g.take(behind)
		g.TESTQ(started, started)
		g.put(g.number(1), behind)
		g.JEQ(label(loop))
		g.Label(finish)
		l.skipUnlessRows(l.here, done)
		row := g.take(l.here.row)
		pointers := map[string]reg.GPVirtual{as[0]: l.of("d", row), as[1]: l.of("y", row)}
		pointers["d"] = pointers[as[0]]
		l.likelihood(together, func(b *block) { body(l.site(b, pointers)) })
		l.wholeOrUnits(l.here, l.gradient, l.gradientUnit)
		l.advance(l.here)
		g.JMP(label(loop))
		g.Label(done)
		for i, name := range l.names {
			p := g.ptr(name)
			for h := range g.halves() {
				g.store(l.start[i][0][h], at(p, 32*h))
			}
		}
	}
	return k
}

// begin loads the sums and scalars of the likelihood.
func (l *linear) begin(params []param) {
	for _, p := range params {
		if !strings.HasPrefix(p.typ, "*[8]") {
			if l.wide {
				l.scalars[p.name] = l.broadcast(p.name)
			}
			continue
		}
		from := l.ptr(p.name)
		var acc []vec
		for h := range l.halves() {
			acc = append(acc, l.load(at(from, 32*h)))
		}
		l.names, l.start = append(l.names, p.name), append(l.start, [][]vec{acc})
	}
}

// first returns the place of the first tile.
func (l *linear) first() place {
	p := place{x: l.keep("x"), row: slot{l.AllocLocal(8)}, left: l.keep("n")}
	l.put(l.number(0), p.row)
	return p
}

// number returns a constant in a register.
func (g *gen) number(v uint32) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(operand.U32(v), r)
	return r
}

// advance moves to the next tile.
func (l *linear) advance(p place) {
	l.move(p.x, l.size(), 1)
	l.move(p.row, l.number(8*tileLength), 1)
	left := l.take(p.left)
	l.SUBQ(operand.Imm(tileLength), left)
	l.put(left, p.left)
}

func (l *linear) skipUnlessRows(p place, to string) {
	left := l.take(p.left)
	l.CMPQ(left, operand.Imm(0))
	l.JLE(label(to))
}

// ifLarge emits code for large tiles only.
func (l *linear) ifLarge(code func()) {
	size, end := l.size(), l.label("end")
	l.CMPQ(size, operand.U32(largeTile))
	l.JLE(label(end))
	code()
	l.Label(end)
}

// size returns the size of a tile of X in bytes.
func (l *linear) size() reg.GPVirtual {
	k := l.integer("k")
	l.IMUL3Q(operand.U32(8*tileLength), k, k)
	return k
}

// of returns the address of an array parameter's element at a row.
func (l *linear) of(name string, row reg.GPVirtual) reg.GPVirtual {
	p := l.ptr(name)
	l.ADDQ(row, p)
	return p
}

// atMost returns the smaller of a number and a constant.
func (g *gen) atMost(r reg.GPVirtual, most uint32) reg.GPVirtual {
	d, end := g.copyReg(r), g.label("atMost")
	g.CMPQ(d, operand.Imm(uint64(most)))
	g.JLE(label(end))
	g.MOVQ(operand.U32(most), d)
	g.Label(end)
	return d
}

// likelihood emits the likelihood of a tile's rows. In a whole tile, the bodies of several vectors are woven where there are enough registers.
func (l *linear) likelihood(together int, body func(b *block)) {
	few, done := l.label("few"), l.label("done")
	left := l.atMost(l.take(l.here.left), tileLength)
	if l.wide && together > 1 {
		l.CMPQ(left, operand.Imm(tileLength))
		l.JLT(label(few))
		i, loop := l.number(0), l.label("woven")
		l.Label(loop)
		l.weave(together, func(u int) { body(&block{i: i, plus: 8 * u, acc: l.sums()}) })
		l.ADDQ(operand.Imm(uint64(8*together)), i)
		l.CMPQ(i, operand.Imm(tileLength))
		l.JLT(label(loop))
		l.JMP(label(done))
		l.Label(few)
	}
	l.reduce(left, 1, l.start, body)
	l.Label(done)
}

// sums returns the accumulators of AVX-512.
func (l *linear) sums() []vec {
	var acc []vec
	for _, s := range l.start {
		acc = append(acc, s[0][0])
	}
	return acc
}

// site returns the site of a likelihood for eight rows.
func (l *linear) site(b *block, pointers map[string]reg.GPVirtual) *site {
	sums := map[string]vec{}
	for i, name := range l.names {
		sums[name] = b.acc[i]
	}
	return &site{l.gen, b, pointers, l.scalars, sums, true}
}

// wholeOrUnits emits a pass over a tile: whole for a tile that is complete, else unit for eight rows at a time, of which the last may be missing.
func (l *linear) wholeOrUnits(p place, whole func(x, row reg.GPVirtual), unit func(h int, x, row reg.GPVirtual)) {
	units, done := l.label("units"), l.label("done")
	left, x, row := l.take(p.left), l.take(p.x), l.take(p.row)
	l.CMPQ(left, operand.Imm(tileLength))
	l.JLT(label(units))
	whole(x, row)
	l.JMP(label(done))
	l.Label(units)
	loop := l.label("unit")
	l.Label(loop)
	for h := range l.halves() {
		l.partial = l.rest(l.atMost(left, 8), h)
		unit(h, x, row)
		l.partial = nil
	}
	l.ADDQ(operand.Imm(64), x)
	l.ADDQ(operand.Imm(64), row)
	l.SUBQ(operand.Imm(8), left)
	l.JG(label(loop))
	l.Label(done)
}

// multiply adds to acc the product of u with vector v of a column of X: that at x, moved by a fixed number of columns.
func (l *linear) multiply(acc vec, x reg.GPVirtual, on, v int, u vec) {
	l.VFMADD231PD(at(x, 8*(tileLength*on+l.lanes()*v)), u, acc)
}

// offset initialises the predictors of some vectors, the first of which is at a row, with o, or with c where o is nil.
func (l *linear) offset(acc []vec, first int, row reg.GPVirtual) {
	same, done := l.label("same"), l.label("done")
	from := l.ptr("o")
	l.TESTQ(from, from)
	l.JEQ(label(same))
	l.ADDQ(row, from)
	for v := range acc {
		m := at(from, l.row8(first+v))
		switch {
		case l.partial == nil:
			l.VMOVUPD(m, acc[v])
		case l.wide:
			l.VMOVUPD_Z(m, l.partial.k, acc[v])
		default:
			l.VMASKMOVPD(m, l.partial.v, acc[v])
		}
	}
	l.JMP(label(done))
	l.Label(same)
	a, err := l.Param("c").Resolve()
	if err != nil {
		panic(err)
	}
	for v := range acc {
		l.VBROADCASTSD(a.Addr, acc[v])
	}
	l.Label(done)
}

// row8 returns the address of a vector of rows.
func (l *linear) row8(v int) int { return 8 * l.lanes() * v }

func (l *linear) vectors(n int) []vec {
	out := make([]vec, n)
	for i := range out {
		out[i] = l.vec()
	}
	return out
}

// A stride is a pointer that moves by so many bytes for each column.
type stride struct {
	p    reg.GPVirtual
	step int
}

// columns emits a loop over the columns of X from x on, several at a time: body for the column so many on from the pointers, which are left behind the last.
func (l *linear) columns(x reg.GPVirtual, several int, body func(column reg.GPVirtual, on int), with ...stride) {
	column, left := l.copyReg(x), l.integer("k")
	done := l.label("done")
	for _, n := range []int{several, 1} {
		loop, next := l.label("columns"), l.label("next")
		l.SUBQ(operand.Imm(uint64(n)), left)
		l.JLT(label(next))
		l.Label(loop)
		for on := range n {
			body(column, on)
		}
		for _, s := range append(with, stride{column, 8 * tileLength}) {
			l.ADDQ(operand.I32(int32(n*s.step)), s.p)
		}
		l.SUBQ(operand.Imm(uint64(n)), left)
		l.JGE(label(loop))
		l.Label(next)
		if n == 1 {
			break
		}
		l.ADDQ(operand.Imm(uint64(n)), left)
		l.JEQ(label(done))
	}
	l.Label(done)
}

// columnsTogether is the number of columns of a whole tile that one iteration of a loop multiplies.
const columnsTogether = 4

// Sizes of a tile of X in bytes. Of small ones the L1 cache holds another, and of large ones it does not hold two.
const (
	smallTile = 8 << 10
	largeTile = 14 << 10
)

// predict sets d to o + X·b for a whole tile, and prefetches the next tile, or the one after it if tiles are small. Large ones are left to
// the processor, whose own prefetching keeps more lines on their way than instructions can.
func (l *linear) predict(x, row reg.GPVirtual) {
	acc := l.vectors(tileLength / l.lanes())
	l.offset(acc, 0, row)
	weight, size := l.ptr("b"), l.size()
	multiply := func(column reg.GPVirtual, on int) {
		w := l.vec()
		l.VBROADCASTSD(at(weight, 8*on), w)
		for v := range acc {
			l.multiply(acc[v], column, on, v, w)
		}
	}
	large, near, done := l.label("large"), l.label("near"), l.label("done")
	l.CMPQ(size, operand.U32(largeTile))
	l.JG(label(large))
	l.CMPQ(size, operand.U32(smallTile))
	l.JG(label(near))
	l.ADDQ(size, size)
	l.Label(near)
	l.columns(x, columnsTogether, func(column reg.GPVirtual, on int) {
		multiply(column, on)
		for line := range 8 * tileLength / 64 {
			l.PREFETCHT0(operand.Mem{Base: column, Index: size, Scale: 1, Disp: 8*tileLength*on + 64*line})
		}
	}, stride{weight, 8})
	l.JMP(label(done))
	l.Label(large)
	l.columns(x, columnsTogether, multiply, stride{weight, 8})
	l.Label(done)
	d := l.of("d", row)
	for v := range acc {
		l.store(acc[v], at(d, l.row8(v)))
	}
}

func (l *linear) predictUnit(h int, x, row reg.GPVirtual) {
	acc := l.vectors(1)
	l.offset(acc, h, row)
	weight := l.ptr("b")
	l.columns(x, 1, func(column reg.GPVirtual, _ int) {
		w := l.vec()
		l.VBROADCASTSD(at(weight, 0), w)
		l.multiply(acc[0], column, 0, h, w)
	}, stride{weight, 8})
	l.store(acc[0], at(l.of("d", row), 32*h))
}

// gradient adds Xᵀ·d of a whole tile to the lanes of g, and d to the lanes behind them.
func (l *linear) gradient(x, row reg.GPVirtual) {
	var r []vec
	d := l.of("d", row)
	for v := range tileLength / l.lanes() {
		r = append(r, l.load(at(d, l.row8(v))))
	}
	lanes := l.ptr("grad")
	l.columns(x, columnsTogether, func(column reg.GPVirtual, on int) {
		l.ontoLanes(lanes, 64*on, func(sums []vec) {
			for v := range r {
				l.multiply(sums[v%len(sums)], column, on, v, r[v])
			}
		})
	}, stride{lanes, 64})
	l.ontoLanes(lanes, 0, func(sums []vec) {
		for v := range r {
			s := sums[v%len(sums)]
			l.VADDPD(r[v], s, s)
		}
	})
}

// ontoLanes loads eight lanes, calls a function that changes them, and stores them.
func (l *linear) ontoLanes(p reg.GPVirtual, disp int, change func(sums []vec)) {
	var sums []vec
	for h := range l.halves() {
		s := l.vec()
		l.VMOVUPD(at(p, disp+32*h), s)
		sums = append(sums, s)
	}
	change(sums)
	for h, s := range sums {
		l.VMOVUPD(s, at(p, disp+32*h))
	}
}

func (l *linear) gradientUnit(h int, x, row reg.GPVirtual) {
	r := l.load(at(l.of("d", row), 32*h))
	onto := func(p reg.GPVirtual, change func(s vec)) {
		s := l.vec()
		l.VMOVUPD(at(p, 32*h), s)
		change(s)
		l.VMOVUPD(s, at(p, 32*h))
	}
	lanes := l.ptr("grad")
	l.columns(x, 1, func(column reg.GPVirtual, _ int) {
		onto(lanes, func(s vec) { l.multiply(s, column, 0, h, r) })
	}, stride{lanes, 64})
	onto(lanes, func(s vec) { l.VADDPD(r, s, s) })
}

func linearPredictors() []function {
	eta := [2]string{"eta", "y"}
	return []function{
		linearPredictor("bernoulliLogitLinear", "sum *[8]float64, product *[8]float64", 2, eta, bernoulliLogit),
		linearPredictor("binomialLogitLinear", "sum *[8]float64, product *[8]float64, trials float64", 2, eta, binomialLogit),
		linearPredictor("poissonLogLinear", "sum *[8]float64", 2, eta, poissonLog),
		linearPredictor("bernoulliProbitLinear", "sum *[8]float64", 1, eta, bernoulliProbit),
		linearPredictor("negBinomial2LogLinear", "sum *[8]float64, dphi *[8]float64, phi float64, logPhi float64, inverse float64", 1, eta, negBinomial2Log),
		linearPredictor("studentTLinear", "sum *[8]float64, product *[8]float64, share *[8]float64, inverse float64, slope float64", 2, [2]string{"mu", "x"}, studentT),
		linearPredictor("normalLinear", "squares *[8]float64, inverse float64", 4, [2]string{"mu", "x"}, normalDensity),
	}
}
