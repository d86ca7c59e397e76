package main

import (
	"strings"

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
// columns: memory is then read all the time, and the likelihood of a tile, which neither needs, overlaps with
// both. Each row is a lane of its sum, and the gradient has eight lanes a column.
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

// A linear is a likelihood of a linear predictor while it is emitted.
type linear struct {
	*gen
	whole     bool // the products are emitted for a matrix of whole numbers
	converted vec  // a vector of them
	form      slot // whether X is one
	// the next tile, the offset in bytes of its first row in a vector, and the number of rows left
	x, row, left slot
	rows, size   slot // of a whole tile; its size in bytes
	count        slot // the rows of the tile whose likelihood is next
	// whether the product with the derivatives of the tile before x is still missing
	behind  slot
	start   [][][]vec      // sums
	names   []string       // of the sums
	scalars map[string]vec // parameters
}

// linearPredictor returns the function of a likelihood. more lists its parameters other than those of the
// predictor, the observations y, and the derivative d, which holds the predictor in between. together is the
// number of vectors of the likelihood for which AVX-512 has registers. as has the names of the predictor and
// the observations in the body of the likelihood.
func linearPredictor(name, more string, together int, as [2]string, body func(s *site)) function {
	y, each := "[n]", 8 // bytes of an observation
	if as[1] == "signs" {
		y, each = "[signs(n)]int8", 1
	}
	k := function{name: name,
		params: "n int, x [tiled(n,k,false)]?, whole [tiled(n,k,true)]int32?, b [k], k int, grad " +
			"[gradientLength(k)], c float64, o [n]?, y " + y + ", d [n], " + more}
	k.apart = true
	k.emit = func(g *gen) {
		l := &linear{gen: g, scalars: map[string]vec{}}
		l.begin(k.list()[10:])
		l.first()
		loop, long, both, bothLong, likelihood := g.label("tile"), g.label("long"), g.label("both"),
			g.label("bothLong"), g.label("likelihood")
		back, backLong, finish, rest, wide, done := g.label("back"), g.label("backLong"), g.label("finish"),
			g.label("rest"), g.label("wide"), g.label("done")
		g.CMPQ(g.take(l.rows), operand.Imm(wideTile))
		g.JEQ(label(wide))
		g.Label(loop)
		left, rows := g.take(l.left), g.take(l.rows)
		g.CMPQ(left, rows)
		g.JLT(label(finish))
		g.put(rows, l.count)
		l.ifBehind(both)
		g.CMPQ(rows, operand.Imm(shortTile))
		g.JNE(label(long))
		l.predict(shortTile, false)
		g.JMP(label(likelihood))
		g.Label(long)
		l.either(func() { l.predict(longTile, false) })
		g.JMP(label(likelihood))
		g.Label(both)
		g.CMPQ(rows, operand.Imm(shortTile))
		g.JNE(label(bothLong))
		l.both(shortTile)
		g.JMP(label(likelihood))
		g.Label(bothLong)
		l.either(func() { l.both(longTile) })
		g.Label(likelihood)
		likely := func(together int) {
			row := g.take(l.row)
			observed := row
			if each == 1 {
				observed = l.copyReg(row)
				l.SHRQ(operand.U8(3), observed)
			}
			pointers := map[string]reg.GPVirtual{as[0]: l.of("d", row), as[1]: l.of("y", observed)}
			pointers["d"] = pointers[as[0]]
			l.likelihood(together, func(b *block) { body(l.site(b, pointers)) })
		}
		likely(together)
		rows = g.take(l.rows)
		g.CMPQ(rows, g.take(l.count))
		g.JNE(label(rest))
		l.advance(rows)
		g.put(g.number(1), l.behind)
		g.JMP(label(loop))
		g.Label(back)
		g.CMPQ(g.take(l.rows), operand.Imm(shortTile))
		g.JNE(label(backLong))
		l.gradient(shortTile)
		g.JMP(label(loop))
		g.Label(backLong)
		l.either(func() { l.gradient(longTile) })
		g.JMP(label(loop))
		g.Label(finish)
		l.ifBehind(back)
		left = g.take(l.left)
		g.TESTQ(left, left)
		g.JEQ(label(done))
		g.put(left, l.count)
		l.either(func() { l.units(l.predictUnit) })
		g.JMP(label(likelihood))
		g.Label(rest)
		l.either(func() { l.units(l.gradientUnit) })
		g.JMP(label(done))
		g.Label(wide)
		l.wideTiles(func() { likely(1) })
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

// tiles returns a function that does one product for each tile of rows, on its own: the last is of fewer
// rows, and a wide one has a way of its own.
func tiles(name, params string, whole func(l *linear, rows int),
	last func(l *linear, h int, x, d, row reg.GPVirtual), wide func(l *linear)) function {
	k := function{name: name, params: "n int, x [tiled(n,k,false)]?, whole [tiled(n,k,true)]int32?, k int, " +
		params}
	k.emit = func(g *gen) {
		l := &linear{gen: g}
		l.first()
		loop, long, finish, wideLoop, done := g.label("tile"), g.label("long"), g.label("finish"),
			g.label("wide"), g.label("done")
		g.CMPQ(g.take(l.rows), operand.Imm(wideTile))
		g.JEQ(label(wideLoop))
		g.Label(loop)
		g.CMPQ(g.take(l.left), g.take(l.rows))
		g.JLT(label(finish))
		g.CMPQ(g.take(l.rows), operand.Imm(shortTile))
		g.JNE(label(long))
		whole(l, shortTile)
		g.JMP(label(loop))
		g.Label(long)
		l.either(func() { whole(l, longTile) })
		g.JMP(label(loop))
		g.Label(finish)
		left := g.take(l.left)
		g.TESTQ(left, left)
		g.JEQ(label(done))
		l.either(func() { l.units(func(h int, x, d, row reg.GPVirtual) { last(l, h, x, d, row) }) })
		g.JMP(label(done))
		g.Label(wideLoop)
		left = g.take(l.left)
		g.CMPQ(left, operand.Imm(0))
		g.JLE(label(done))
		g.put(l.atMost(left, wideTile), l.count)
		wide(l)
		g.JMP(label(wideLoop))
		g.Label(done)
	}
	return k
}

// predictTiles sets d to o or c, plus X·b.
func predictTiles() function {
	return tiles("predictTiles", "b [k], c float64, o [n]?, d [n]",
		func(l *linear, rows int) {
			l.predict(rows, true)
			l.advance(l.take(l.rows))
		}, (*linear).predictUnit,
		func(l *linear) {
			l.either(l.predictWide)
			l.advance(l.take(l.rows))
		})
}

// gradientTiles adds Xᵀ·d and Σ d to the gradient.
func gradientTiles() function {
	return tiles("gradientTiles", "grad [gradientLength(k)], d [n]",
		func(l *linear, rows int) {
			l.advance(l.take(l.rows))
			l.gradient(rows)
		}, (*linear).gradientUnit,
		func(l *linear) {
			l.derived()
			l.advance(l.take(l.rows))
			l.either(l.gradientWide)
		})
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

// first moves to the first tile.
func (l *linear) first() {
	l.left = l.keep("n")
	for _, s := range []*slot{&l.x, &l.form, &l.row, &l.rows, &l.size, &l.count, &l.behind} {
		*s = slot{l.AllocLocal(8)}
	}
	zero := l.number(0)
	l.put(zero, l.row)
	l.put(zero, l.behind)
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

// ifBehind jumps if the product with the derivatives of the tile before this one is missing.
func (l *linear) ifBehind(to string) {
	behind := l.take(l.behind)
	l.TESTQ(behind, behind)
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

// before returns the addresses of the tile before this one, and of its derivatives.
func (l *linear) before(rows int) (x, d reg.GPVirtual) {
	x, d = l.take(l.x), l.of("d", l.take(l.row))
	l.SUBQ(l.take(l.size), x)
	l.SUBQ(operand.U32(uint32(8*rows)), d)
	return x, d
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

// likelihood emits the likelihood of a tile's rows. In a whole tile, the bodies of several vectors are woven
// where there are enough registers.
func (l *linear) likelihood(together int, body func(b *block)) {
	few, done := l.label("few"), l.label("done")
	count := l.take(l.count)
	if l.wide && together > 1 {
		l.CMPQ(count, l.take(l.rows))
		l.JNE(label(few))
		i, loop := l.number(0), l.label("woven")
		l.Label(loop)
		l.weave(together, func(u int) { body(&block{i: i, plus: 8 * u, acc: l.sums()}) })
		l.ADDQ(operand.Imm(uint64(8*together)), i)
		l.CMPQ(i, count)
		l.JLT(label(loop))
		l.JMP(label(done))
		l.Label(few)
	}
	l.reduce(count, 1, l.start, body)
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

// predict sets d to o + X·b for a whole tile. It fetches what comes later where that is wanted.
func (l *linear) predict(rows int, fetch bool) {
	for _, p := range l.parts(rows) {
		acc := l.predictors(p)
		x, weight := l.take(l.x), l.ptr("b")
		l.columns(columnsTogether, func(on int) {
			if fetch && p.first == 0 {
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

// gradient adds Xᵀ·d of the tile before this one to the lanes of g, and d to the lanes behind them.
func (l *linear) gradient(rows int) {
	for _, p := range l.parts(rows) {
		x, d := l.before(rows)
		r, lanes := l.derivatives(d, p), l.ptr("grad")
		l.columns(columnsTogether, func(on int) {
			l.reverse(r, x, rows*on+p.first, lanes, on)
		}, stride{lanes, 64}, stride{x, l.bytesOf(rows)})
		l.total(r, lanes)
	}
	l.put(l.number(0), l.behind)
}

// fetchColumn fetches what is as far ahead as memory is fetched.
func (l *linear) fetchColumn(x reg.GPVirtual, rows, on int) {
	l.fetchLines(x, l.fetchAhead(rows)+l.bytesOf(rows*on), l.bytesOf(rows)/64)
}

// both is predict for this tile and gradient for the one before it. It fetches what comes later: where the
// processor's own prefetching stops, at the end of a page and while the likelihood is computed, memory would
// not be read.
func (l *linear) both(rows int) {
	if !l.wide && rows == longTile { // more vectors than there are registers
		l.predict(rows, true)
		l.gradient(rows)
		return
	}
	whole := part{0, rows}
	acc := l.predictors(whole)
	x, weight := l.take(l.x), l.ptr("b")
	old, d := l.before(rows)
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

func linearPredictors() []function {
	eta := [2]string{"eta", "y"}
	return []function{
		linearPredictor("bernoulliLogitLinear", "sum *[8]float64, product *[8]float64", 2,
			[2]string{"eta", "signs"}, bernoulliLogitSigned("signs")),
		linearPredictor("binomialLogitLinear", "sum *[8]float64, product *[8]float64, trials float64", 2, eta,
			binomialLogit),
		linearPredictor("poissonLogLinear", "sum *[8]float64", 2, eta, poissonLog),
		linearPredictor("bernoulliProbitLinear", "sum *[8]float64", 1, eta, bernoulliProbit),
		linearPredictor("negBinomial2LogLinear",
			"sum *[8]float64, dphi *[8]float64, phi float64, logPhi float64, inverse float64", 1, eta,
			negBinomial2Log),
		linearPredictor("studentTLinear",
			"sum *[8]float64, product *[8]float64, share *[8]float64, inverse float64, slope float64", 2,
			[2]string{"mu", "x"}, studentT),
		linearPredictor("normalLinear", "squares *[8]float64, inverse float64", 2, [2]string{"mu", "x"},
			normalDensity),
	}
}

// tileFunctions are what likelihoods of predictors are put together of on arm64.
func tileFunctions() []function {
	return []function{
		predictTiles(),
		gradientTiles(),
		summing("bernoulliLogitSigns",
			"sum *[8]float64, product *[8]float64, eta [n], y [signs(n)]int8, d [n]?",
			bernoulliLogitSigned("y")),
	}
}
