package main

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Likelihoods of linear predictors: X·b, the likelihood, and Xᵀ times its derivative, for one tile of rows at
// a time, so that X is read from memory once and from a cache once more. X is stored in tiles, the last
// padded with zeros: as numbers, or in half the memory as whole numbers of 32 bits, which are converted each
// time they are multiplied.
//
// Up to mostNarrow columns, a tile is [column][rows], as many of them as let the L1 cache hold two tiles. The
// product of one with b and that of the one before it with its derivatives are computed in one loop over the
// columns, if there are registers: memory is then read all the time, and the likelihood of a tile, which
// neither needs, overlaps with both. Several tiles of few columns have their likelihood at once. Each row is
// a lane of its sum, and the gradient has eight lanes a column.
//
// Wider tiles are [eight columns][row][column of the eight], eight rows: lanes are columns in both products,
// so that the gradient is one number a column and stays in the L1 cache, and a tile is small enough to be
// read again from a near cache. See wide.go.

// The numbers of rows of a tile. Tiles of up to mostLong columns, or of whole numbers, are long, those of
// more than mostNarrow wide.
const (
	shortTile  = 16
	longTile   = 32
	wideTile   = 8
	mostLong   = 32
	mostNarrow = 128
)

// A linear is the function of all likelihoods of linear predictors while it is emitted.
type linear struct {
	*gen
	whole     bool // the products are emitted for a matrix of whole numbers
	converted vec  // a vector of them
	form      slot // whether X is one
	// the next tile, the offset in bytes of its first row in a vector, and the number of rows left
	x, row, left slot
	rows, size   slot // of a whole tile; its size in bytes
	// the first tile whose product with the derivatives is missing, the offset of its first row, and the
	// number of rows from there on that have derivatives
	old, oldRow, ready slot
	fresh, batch       slot // the rows before row that have a predictor alone, and how many may have
	from, count        slot // the offset of the first row whose likelihood is next, and the number of them
	behind             slot // whether the product with the derivatives of the wide tile before x is missing
}

// A linearKind is a likelihood of a linear predictor: the function, which has assembly too, the names of the
// predictor and the observations among its parameters, and its scalars. The kinds of package vector have the
// same order.
type linearKind struct {
	name, predictor, observed string
	scalars                   []string
}

var linearKinds = []linearKind{
	{"bernoulliLogitSigns", "eta", "y", nil},
	{"normal", "mu", "x", []string{"inverse"}},
	{"poissonLog", "eta", "y", nil},
	{"binomialLogit", "eta", "y", []string{"trials"}},
	{"studentT", "mu", "x", []string{"inverse", "slope"}},
	{"negBinomial2Log", "eta", "y", []string{"phi", "logPhi", "inverse"}},
	{"bernoulliProbit", "eta", "y", nil},
}

// linearPredictors is the function that computes, for tiles of rows, their predictor in d, the likelihood of
// a kind, which replaces it by its derivative, and their part of the gradient. A likelihood's sums and
// scalars are the first of those given.
func linearPredictors() []function {
	k := function{name: "linear",
		params: "n int, x [tiled(n,k,false)]?, whole [tiled(n,k,true)]int32?, b [k], k int, grad " +
			"[gradientLength(k)], batch int, c float64, o [n]?, y [n]?, signed [signs(n)]int8?, d [n], " +
			"kind int, sum *[8]float64, second *[8]float64, third *[8]float64, p float64, q float64, " +
			"r float64"}
	k.emit = func(g *gen) {
		l := &linear{gen: g}
		l.arguments()
		l.first()
		wide, likelihood, apart, unitsBehind := g.label("wide"), g.label("likelihood"), g.label("apart"),
			g.label("units")
		loop, drain, done := g.label("tile"), g.label("drain"), g.label("done")
		g.CMPQ(g.take(l.rows), operand.Imm(wideTile))
		g.JEQ(label(wide))
		g.Label(loop)
		l.batchOfTiles(drain)
		l.either(func() { l.units(l.predictUnit) })
		g.Label(likelihood)
		l.likelihood()
		rows, count := g.take(l.rows), g.take(l.count)
		g.CMPQ(rows, operand.Imm(wideTile))
		g.JEQ(label(apart))
		g.CMPQ(count, rows)
		g.JLT(label(unitsBehind))
		g.put(count, l.ready)
		if g.wide {
			g.JMP(label(loop))
		} else {
			g.CMPQ(rows, operand.Imm(shortTile))
			g.JEQ(label(loop))
		}
		g.Label(drain)
		l.drain(loop)
		g.JMP(label(likelihood))
		g.Label(unitsBehind)
		l.either(func() { l.units(l.gradientUnit) })
		g.JMP(label(done))
		g.Label(wide)
		l.wideTiles(likelihood, apart)
		g.Label(done)
	}
	return []function{k}
}

// batchOfTiles computes the predictors of whole tiles, until their likelihood is next, at drain, and at the
// same time the products of those before that have derivatives. At the end it jumps to drain if anything is
// missing there, and else goes on if there are rows of an incomplete tile.
func (l *linear) batchOfTiles(drain string) {
	loop, long, both, bothLong := l.label("predict"), l.label("long"), l.label("both"), l.label("bothLong")
	behind, last, units, done := l.label("behind"), l.label("last"), l.label("units"), l.label("predicted")
	l.Label(loop)
	rows := l.take(l.rows)
	l.CMPQ(l.take(l.left), rows)
	l.JLT(label(last))
	l.CMPQ(rows, operand.Imm(shortTile))
	l.JNE(label(long))
	l.jumpUnlessZero(l.ready, both)
	l.predict(shortTile)
	l.JMP(label(done))
	l.Label(both)
	l.both(shortTile)
	l.JMP(label(behind))
	l.Label(long)
	if l.wide { // AVX2 has too few registers
		l.jumpUnlessZero(l.ready, bothLong)
	}
	l.either(func() { l.predict(longTile) })
	l.JMP(label(done))
	if l.wide {
		l.Label(bothLong)
		l.either(func() { l.both(longTile) })
	}
	l.Label(behind)
	l.advanceOld()
	l.Label(done)
	rows = l.take(l.rows)
	l.advance(rows)
	fresh := l.take(l.fresh)
	l.ADDQ(rows, fresh)
	l.put(fresh, l.fresh)
	l.CMPQ(fresh, l.integer("batch"))
	l.JLT(label(loop))
	l.JMP(label(drain))
	l.Label(last)
	l.jumpUnlessZero(l.fresh, drain)
	l.jumpUnlessZero(l.ready, drain)
	left := l.take(l.left)
	l.TESTQ(left, left)
	l.JNE(label(units))
	l.VZEROUPPER()
	l.RET()
	l.Label(units)
	l.put(left, l.count)
	l.put(l.take(l.row), l.from)
}

// drain does the products of the tiles that have derivatives. Where there are no others it jumps to next,
// else it goes on with their likelihood.
func (l *linear) drain(next string) {
	loop, long, behind, drained := l.label("back"), l.label("backLong"), l.label("behind"), l.label("drained")
	l.Label(loop)
	ready := l.take(l.ready)
	l.TESTQ(ready, ready)
	l.JEQ(label(drained))
	l.CMPQ(l.take(l.rows), operand.Imm(shortTile))
	l.JNE(label(long))
	l.gradient(shortTile)
	l.JMP(label(behind))
	l.Label(long)
	l.either(func() { l.gradient(longTile) })
	l.Label(behind)
	l.advanceOld()
	l.JMP(label(loop))
	l.Label(drained)
	fresh := l.take(l.fresh)
	l.TESTQ(fresh, fresh)
	l.JEQ(label(next))
	l.put(fresh, l.count)
	from := l.take(l.row)
	l.SUBQ(l.bytes(fresh), from)
	l.put(from, l.from)
	l.put(l.number(0), l.fresh)
}

// arguments reserves room for a likelihood's arguments, at the end of the frame, and writes those that stay
// the same.
func (l *linear) arguments() {
	l.AllocLocal(8 * mostArguments)
	end := l.label("arguments")
	l.kinds(end, func(kind linearKind, k *function) {
		sums, scalars := []string{"sum", "second", "third"}, []string{"p", "q", "r"}
		for i, p := range k.list() {
			switch {
			case strings.HasPrefix(p.typ, "*[8]"):
				l.argument(i, l.ptr(sums[0]))
				sums = sums[1:]
			case p.typ == "float64" && p.length == "":
				l.argument(i, l.bits(scalars[slices.Index(kind.scalars, p.name)]))
			}
		}
	})
	l.Label(end)
}

// bits loads a number's bits.
func (l *linear) bits(name string) reg.GPVirtual {
	a, err := l.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := l.GP64()
	l.MOVQ(a.Addr, r)
	return r
}

// mostArguments is the largest number of parameters of a likelihood.
const mostArguments = 9

func (l *linear) argument(i int, v reg.GPVirtual) { l.MOVQ(v, operand.NewStackAddr(8*i)) }

// kinds emits a body for each kind of likelihood and jumps behind them all.
func (l *linear) kinds(end string, body func(kind linearKind, k *function)) {
	functions := map[string]*function{}
	for _, f := range likelihoods() {
		functions[f.name] = &f
	}
	for i, kind := range linearKinds {
		next := l.label("kind")
		l.CMPQ(l.integer("kind"), operand.Imm(uint64(i)))
		l.JNE(label(next))
		body(kind, functions[kind.name])
		l.JMP(label(end))
		l.Label(next)
	}
}

// likelihood calls the likelihood of a tile's rows.
func (l *linear) likelihood() {
	end := l.label("called")
	l.kinds(end, func(kind linearKind, k *function) {
		row := l.take(l.from)
		for i, p := range k.list() {
			switch {
			case p.name == "n":
				l.argument(i, l.take(l.count))
			case p.name == kind.predictor || p.name == "d":
				l.argument(i, l.of("d", row))
			case p.name == kind.observed && p.typ == "int8":
				observed := l.copyReg(row)
				l.SHRQ(operand.U8(3), observed)
				l.argument(i, l.of("signed", observed))
			case p.name == kind.observed:
				l.argument(i, l.of("y", row))
			}
		}
		l.Instruction(&ir.Instruction{Opcode: "CALL",
			Operands: []operand.Op{operand.LabelRef("·" + k.name + l.target.tier() + "(SB)")}})
	})
	l.Label(end)
}

// first moves to the first tile.
func (l *linear) first() {
	l.left = l.keep("n")
	for _, s := range []*slot{&l.x, &l.old, &l.form, &l.rows, &l.size, &l.count, &l.from} {
		*s = slot{l.AllocLocal(8)}
	}
	zero := l.number(0)
	for _, s := range []*slot{&l.row, &l.oldRow, &l.ready, &l.fresh, &l.behind} {
		*s = slot{l.AllocLocal(8)}
		l.put(zero, *s)
	}
	x, whole := l.ptr("x"), l.ptr("whole")
	k, rows, chosen, numbers := l.integer("k"), l.number(wideTile), l.label("chosen"), l.label("numbers")
	l.CMPQ(k, operand.U32(mostNarrow))
	l.JG(label(chosen))
	l.MOVQ(operand.U32(longTile), rows)
	l.TESTQ(whole, whole)
	l.JNE(label(chosen))
	l.CMPQ(k, operand.Imm(mostLong))
	l.JLE(label(chosen))
	l.MOVQ(operand.U32(shortTile), rows)
	l.Label(chosen)
	l.put(rows, l.rows)
	l.IMULQ(rows, k)
	l.SHLQ(operand.U8(2), k)
	l.put(whole, l.form)
	l.TESTQ(whole, whole)
	l.JNE(label(numbers))
	l.SHLQ(operand.U8(1), k)
	l.MOVQ(x, whole)
	l.Label(numbers)
	l.put(k, l.size)
	l.put(whole, l.x)
	l.put(whole, l.old)
}

// either emits a product for both forms of X.
func (l *linear) either(product func()) {
	whole, done := l.label("whole"), l.label("product")
	form := l.take(l.form)
	l.TESTQ(form, form)
	l.JNE(label(whole))
	product()
	l.JMP(label(done))
	l.Label(whole)
	l.whole, l.converted = true, l.vec()
	product()
	l.whole = false
	l.Label(done)
}

// bytesOf is how many bytes some elements of X take.
func (l *linear) bytesOf(elements int) int {
	if l.whole {
		return 4 * elements
	}
	return 8 * elements
}

// entries returns the vector of X that begins so many elements from x: in memory, or converted, in a
// register.
func (l *linear) entries(x reg.GPVirtual, first int) operand.Op {
	m := at(x, l.bytesOf(first))
	if !l.whole {
		return m
	}
	l.VCVTDQ2PD(m, l.converted)
	return l.converted
}

// jumpUnlessZero jumps if a slot is not 0.
func (l *linear) jumpUnlessZero(s slot, to string) {
	v := l.take(s)
	l.TESTQ(v, v)
	l.JNE(label(to))
}

// number returns a constant in a register.
func (g *gen) number(v uint32) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(operand.U32(v), r)
	return r
}

// advance moves to the next tile.
func (l *linear) advance(rows reg.GPVirtual) {
	l.move(l.x, l.take(l.size), 1)
	l.move(l.row, rows, 8)
	left := l.take(l.left)
	l.SUBQ(rows, left)
	l.put(left, l.left)
}

// advanceOld moves to the next tile whose product with the derivatives is missing.
func (l *linear) advanceOld() {
	rows, ready := l.take(l.rows), l.take(l.ready)
	l.move(l.old, l.take(l.size), 1)
	l.move(l.oldRow, rows, 8)
	l.SUBQ(rows, ready)
	l.put(ready, l.ready)
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

// units emits a pass over the last, incomplete tile: eight rows at a time, of which the last may be missing.
func (l *linear) units(unit func(h int, x, d, row reg.GPVirtual)) {
	left, x, row := l.take(l.left), l.take(l.x), l.take(l.row)
	loop := l.label("unit")
	l.Label(loop)
	for h := range l.halves() {
		l.partial = l.rest(l.atMost(left, 8), h)
		unit(h, x, l.of("d", row), row)
		l.partial = nil
	}
	l.ADDQ(operand.Imm(uint64(l.bytesOf(8))), x)
	l.ADDQ(operand.Imm(64), row)
	l.SUBQ(operand.Imm(8), left)
	l.JG(label(loop))
}

// multiply adds to acc the product of u with vector v of a column of X: that at a fixed number of elements
// from x.
func (l *linear) multiply(acc vec, x reg.GPVirtual, first, v int, u vec) {
	l.VFMADD231PD(l.entries(x, first+l.lanes()*v), u, acc)
}

// offset initialises the predictors of some vectors, the first of which is at a row, with o, or with c where
// o is nil.
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

// columns emits a loop over the columns, several at a time: body for the column so many on from the pointers,
// which are left behind the last.
func (l *linear) columns(several int, body func(on int), with ...stride) {
	left := l.integer("k")
	done := l.label("done")
	for _, n := range []int{several, 1} {
		loop, next := l.label("columns"), l.label("next")
		l.SUBQ(operand.Imm(uint64(n)), left)
		l.JLT(label(next))
		l.Label(loop)
		for on := range n {
			body(on)
		}
		for _, s := range with {
			l.ADDQ(operand.I32(int32(n*s.step)), s.p)
		}
		l.SUBQ(operand.Imm(uint64(n)), left)
		l.JGE(label(loop))
		l.Label(next)
		if n > 1 {
			l.ADDQ(operand.Imm(uint64(n)), left)
			l.JEQ(label(done))
		}
	}
	l.Label(done)
}

// each column of the last tile, whose pointers move by its own number of bytes.
func (l *linear) eachColumn(x reg.GPVirtual, body func(), with ...stride) {
	left, step, loop := l.integer("k"), l.take(l.rows), l.label("column")
	l.SHLQ(operand.U8(uint8(l.bytesOf(1)/4+1)), step)
	l.Label(loop)
	body()
	l.ADDQ(step, x)
	for _, s := range with {
		l.ADDQ(operand.I32(int32(s.step)), s.p)
	}
	l.SUBQ(operand.Imm(1), left)
	l.JG(label(loop))
}

// columnsTogether is the number of columns of a whole tile that one iteration of a loop multiplies.
const columnsTogether = 4

// fetchAhead is how far ahead of the columns that are multiplied memory is fetched, in bytes.
func (l *linear) fetchAhead(rows int) int { return 32 * l.bytesOf(rows) }

// A part is some of the rows of a whole tile, whose vectors are in registers together.
type part struct{ first, rows int }

// parts divides the rows of a whole tile: AVX2 has registers for sixteen of a matrix of whole numbers.
func (l *linear) parts(rows int) []part {
	if l.wide || !l.whole {
		return []part{{0, rows}}
	}
	return []part{{0, shortTile}, {shortTile, rows - shortTile}}
}

// predictors returns o, or c, for a part of a tile.
func (l *linear) predictors(p part) []vec {
	acc := l.vectors(p.rows / l.lanes())
	l.offset(acc, p.first/l.lanes(), l.take(l.row))
	return acc
}

// predicted stores the predictors of a part.
func (l *linear) predicted(acc []vec, p part) {
	d := l.of("d", l.take(l.row))
	for v := range acc {
		l.store(acc[v], at(d, 8*p.first+l.row8(v)))
	}
}

// forward adds a column times its coefficient to the predictors.
func (l *linear) forward(acc []vec, x reg.GPVirtual, first int, weight reg.GPVirtual, on int) {
	w := l.vec()
	l.VBROADCASTSD(at(weight, 8*on), w)
	for v := range acc {
		l.multiply(acc[v], x, first, v, w)
	}
}

// reverse adds the product of a column with the derivatives to its lanes.
func (l *linear) reverse(r []vec, x reg.GPVirtual, first int, lanes reg.GPVirtual, on int) {
	l.ontoLanes(lanes, 64*on, func(sums []vec) {
		for v := range r {
			l.multiply(sums[v%len(sums)], x, first, v, r[v])
		}
	})
}

// predict sets d to o + X·b for a whole tile, and fetches what comes later.
func (l *linear) predict(rows int) {
	for _, p := range l.parts(rows) {
		acc := l.predictors(p)
		x, weight := l.take(l.x), l.ptr("b")
		l.columns(columnsTogether, func(on int) {
			if p.first == 0 {
				l.fetchColumn(x, rows, on)
			}
			l.forward(acc, x, rows*on+p.first, weight, on)
		}, stride{weight, 8}, stride{x, l.bytesOf(rows)})
		l.predicted(acc, p)
	}
}

// derivatives loads d of a part of a tile.
func (l *linear) derivatives(d reg.GPVirtual, p part) []vec {
	var r []vec
	for v := range p.rows / l.lanes() {
		r = append(r, l.load(at(d, 8*p.first+l.row8(v))))
	}
	return r
}

// total adds the derivatives to the lanes behind those of the columns.
func (l *linear) total(r []vec, lanes reg.GPVirtual) {
	l.ontoLanes(lanes, 0, func(sums []vec) {
		for v := range r {
			s := sums[v%len(sums)]
			l.VADDPD(r[v], s, s)
		}
	})
}

// gradient adds Xᵀ·d of the tile at old to the lanes of g, and d to the lanes behind them.
func (l *linear) gradient(rows int) {
	for _, p := range l.parts(rows) {
		x, d := l.take(l.old), l.of("d", l.take(l.oldRow))
		r, lanes := l.derivatives(d, p), l.ptr("grad")
		l.columns(columnsTogether, func(on int) {
			l.reverse(r, x, rows*on+p.first, lanes, on)
		}, stride{lanes, 64}, stride{x, l.bytesOf(rows)})
		l.total(r, lanes)
	}
}

// fetchColumn fetches what is as far ahead as memory is fetched.
func (l *linear) fetchColumn(x reg.GPVirtual, rows, on int) {
	l.fetchLines(x, l.fetchAhead(rows)+l.bytesOf(rows*on), l.bytesOf(rows)/64)
}

// both is predict for this tile and gradient for the one at old. It fetches what comes later: where the
// processor's own prefetching stops, at the end of a page and while the likelihood is computed, memory would
// not be read.
func (l *linear) both(rows int) {
	whole := part{0, rows}
	acc := l.predictors(whole)
	x, weight := l.take(l.x), l.ptr("b")
	old, d := l.take(l.old), l.of("d", l.take(l.oldRow))
	r, lanes := l.derivatives(d, whole), l.ptr("grad")
	l.columns(columnsTogether, func(on int) {
		l.fetchColumn(x, rows, on)
		l.forward(acc, x, rows*on, weight, on)
		l.reverse(r, old, rows*on, lanes, on)
	}, stride{weight, 8}, stride{lanes, 64}, stride{x, l.bytesOf(rows)}, stride{old, l.bytesOf(rows)})
	l.total(r, lanes)
	l.predicted(acc, whole)
}

func (l *linear) predictUnit(h int, x, d, row reg.GPVirtual) {
	acc := l.vectors(1)
	l.offset(acc, h, row)
	column, weight := l.copyReg(x), l.ptr("b")
	l.eachColumn(column, func() {
		w := l.vec()
		l.VBROADCASTSD(at(weight, 0), w)
		l.multiply(acc[0], column, 0, h, w)
	}, stride{weight, 8})
	l.store(acc[0], at(d, 32*h))
}

func (l *linear) gradientUnit(h int, x, d, _ reg.GPVirtual) {
	r := l.load(at(d, 32*h))
	onto := func(p reg.GPVirtual, change func(s vec)) {
		s := l.vec()
		l.VMOVUPD(at(p, 32*h), s)
		change(s)
		l.VMOVUPD(s, at(p, 32*h))
	}
	column, lanes := l.copyReg(x), l.ptr("grad")
	l.eachColumn(column, func() {
		onto(lanes, func(s vec) { l.multiply(s, column, 0, h, r) })
	}, stride{lanes, 64})
	onto(lanes, func(s vec) { l.VADDPD(r, s, s) })
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
