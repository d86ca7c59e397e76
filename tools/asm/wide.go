package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Wide tiles: eight rows of k columns, k a multiple of eight. A group is eight columns of them, in
// consecutive memory for each row.
const group = 8 * 8

// groupsAhead is how far ahead of the group that is multiplied memory is fetched where two tiles are done in
// one loop. Whole numbers are multiplied faster than they come from memory.
func (l *linear) groupsAhead() int {
	if l.whole {
		return 24
	}
	return 8
}

// With AVX-512 and leastFar columns or more, of whole numbers leastFarWhole, a tile is done in one loop with
// the one before it, which comes from the L2 cache. Fewer are read twice from the L1 cache, or nearly: the
// second time from the last column to the first, while the next tile is fetched.
const (
	leastFar      = 768
	leastFarWhole = 1024
)

// wideTiles emits the loop over all tiles: it jumps to the likelihood of one, and continues at a label.
func (l *linear) wideTiles(likelihood, behind string) {
	both, apart, finish := l.label("both"), l.label("apart"), l.label("finish")
	loop := l.label("tile")
	l.Label(loop)
	left := l.take(l.left)
	l.CMPQ(left, operand.Imm(0))
	l.JLE(label(finish))
	l.put(l.atMost(left, wideTile), l.count)
	l.put(l.take(l.row), l.from)
	if l.wide {
		l.jumpUnlessZero(l.behind, both)
	}
	l.either(l.predictWide)
	l.JMP(label(likelihood))
	if l.wide {
		l.Label(both)
		l.either(l.bothWide)
		l.JMP(label(likelihood))
	}
	l.Label(behind)
	l.derived()
	l.advance(l.take(l.rows))
	if l.wide {
		l.put(l.number(1), l.behind)
		l.either(func() {
			l.CMPQ(l.integer("k"), operand.U32(uint32(l.far())))
			l.JGE(label(loop))
		})
	}
	l.Label(apart)
	l.either(l.gradientWide)
	l.put(l.number(0), l.behind)
	l.JMP(label(loop))
	l.Label(finish)
	if l.wide {
		l.jumpUnlessZero(l.behind, apart)
	}
}

// far is the least number of columns of which two tiles are done in one loop.
func (l *linear) far() int {
	if l.whole {
		return leastFarWhole
	}
	return leastFar
}

// groups emits a loop over the groups of a tile, whose pointers move by their steps.
func (l *linear) groups(body func(), with ...stride) {
	left, loop := l.integer("k"), l.label("group")
	l.Label(loop)
	body()
	for _, s := range with {
		l.ADDQ(operand.I32(int32(s.step)), s.p)
	}
	l.SUBQ(operand.Imm(8), left)
	l.JG(label(loop))
}

// fetchLines fetches some lines of memory into the L1 cache.
func (l *linear) fetchLines(from reg.GPVirtual, disp, lines int) {
	for line := range lines {
		l.PREFETCHT0(at(from, disp+64*line))
	}
}

// fetchGroup fetches a group so far ahead that it is there when its turn comes. Numbers are fetched into the
// L2 cache: their tile and the one before both come from outside of the L1 cache, whose few buffers for lines
// on their way are left to what is loaded. Whole numbers are multiplied as soon as they come.
func (l *linear) fetchGroup(from reg.GPVirtual) {
	ahead, lines := l.groupsAhead()*l.bytesOf(group), l.bytesOf(group)/64
	if l.whole {
		l.fetchLines(from, ahead, lines)
		return
	}
	for line := range lines {
		l.PREFETCHT1(at(from, ahead+64*line))
	}
}

// rowSums returns zeroed sums of some rows, [row][half].
func (l *linear) rowSums(rows int) [][]vec { return l.accumulators(1, rows)[0] }

// addRows adds the product of a group with its coefficients to the sums of the rows from first on.
func (l *linear) addRows(acc [][]vec, x, weight reg.GPVirtual, first int) {
	for h := range l.halves() {
		w := l.load(at(weight, 32*h))
		for r := range acc {
			l.VFMADD231PD(l.entries(x, 8*(first+r)+4*h), w, acc[r][h])
		}
	}
}

// addUp sets d of some rows, from row 4·half on, to o or c, plus the sums of their lanes.
func (l *linear) addUp(acc [][]vec, half int) {
	var sum vec
	if l.wide {
		sum = l.foldEight(acc)
	} else {
		sum = l.foldFour(acc)
	}
	l.partial = l.rest(l.take(l.count), half)
	o := l.vectors(1)
	row := l.take(l.row)
	l.offset(o, half, row)
	l.VADDPD(o[0], sum, sum)
	l.store(sum, at(l.of("d", row), 32*half))
	l.partial = nil
}

// predictWide sets d to o + X·b for a tile, and fetches the first half of the next.
func (l *linear) predictWide() {
	step := 8 / l.halves() // rows whose sums are in registers together
	for half := range l.halves() {
		acc := l.rowSums(step)
		x, weight, next := l.take(l.x), l.ptr("b"), l.take(l.x)
		l.ADDQ(l.take(l.size), next)
		l.groups(func() {
			if half == 0 {
				l.fetchLines(next, 0, l.bytesOf(group/2)/64)
			}
			l.addRows(acc, x, weight, step*half)
		}, stride{x, l.bytesOf(group)}, stride{weight, 64}, stride{next, l.bytesOf(group / 2)})
		l.addUp(acc, half)
	}
}

// derived keeps the derivatives of a tile, 0 for missing rows, and adds them to the lanes behind the
// gradient's columns.
func (l *linear) derived() {
	total, k := l.ptr("grad"), l.integer("k")
	l.ADDQ(l.bytes(k), total)
	for h := range l.halves() {
		l.partial = l.rest(l.take(l.count), h)
		d := l.load(at(l.of("d", l.take(l.row)), 32*h))
		l.partial = nil
		l.VMOVUPD(d, l.scratch().Offset(32*h))
		sum := l.load(at(total, 32*h))
		l.VADDPD(d, sum, sum)
		l.store(sum, at(total, 32*h))
	}
}

// weights returns the derivatives that derived kept, each in all lanes.
func (l *linear) weights() []vec {
	w := l.vectors(wideTile)
	for r := range w {
		l.VBROADCASTSD(l.scratch().Offset(8*r), w[r])
	}
	return w
}

// addGroup adds a group's rows, times their weights, to its columns of the gradient.
func (l *linear) addGroup(w []vec, x, g reg.GPVirtual) {
	for h := range l.halves() {
		sum := l.load(at(g, 32*h))
		for r := range w {
			l.VFMADD231PD(l.entries(x, 8*r+4*h), w[r], sum)
		}
		l.store(sum, at(g, 32*h))
	}
}

// gradientWide adds Xᵀ·d of the tile before x, from the last column to the first, and fetches the second half
// of the tile at x.
func (l *linear) gradientWide() {
	w := l.weights()
	x, next, g, half := l.take(l.x), l.take(l.x), l.ptr("grad"), l.take(l.size)
	l.SUBQ(operand.U32(uint32(l.bytesOf(group))), x)
	l.SHRQ(operand.U8(1), half)
	l.ADDQ(half, next)
	l.ADDQ(l.bytes(l.integer("k")), g)
	l.SUBQ(operand.Imm(64), g)
	l.groups(func() {
		l.fetchLines(next, 0, l.bytesOf(group/2)/64)
		l.addGroup(w, x, g)
	}, stride{x, -l.bytesOf(group)}, stride{g, -64}, stride{next, l.bytesOf(group / 2)})
}

// bothWide is predictWide for the tile at x and gradientWide for the one before it, from the first column to
// the last.
func (l *linear) bothWide() {
	w, acc := l.weights(), l.rowSums(wideTile)
	x, old, weight, g := l.take(l.x), l.take(l.x), l.ptr("b"), l.ptr("grad")
	l.SUBQ(l.take(l.size), old)
	l.groups(func() {
		l.fetchGroup(x)
		l.addRows(acc, x, weight, 0)
		l.addGroup(w, old, g)
	}, stride{x, l.bytesOf(group)}, stride{old, l.bytesOf(group)}, stride{weight, 64}, stride{g, 64})
	l.addUp(acc, 0)
}
