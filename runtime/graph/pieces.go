package graph

import (
	"github.com/vflc/vflc/runtime/vector"
)

// Pieces. A loop with much work is cut into pieces of consecutive blocks. A piece has tiles, scratch vectors
// and sums of its own, so that pieces can be computed at the same time; afterwards the sums are added up in
// the order of the pieces. How many pieces a loop has follows from the graph alone, and one goroutine
// computes them like several: every number is the same for any number of cores.
const (
	LeastWork  = 1 << 16 // of a piece: about 10 µs
	mostPieces = 16
	sumsShare  = 8 // adding up the sums of the pieces is at most 1/sumsShare of the work
)

// The work of one row, in products of a matrix with a vector: 0.15 ns each on a processor with AVX-512.
const (
	moveWork     = 1 // a column that is read or written
	functionWork = 4 // the same of a function or a density
	inRegisters  = 4 // products of matrices in the time of one with a vector
)

// pieces is into how many pieces a loop is cut.
func (g *Graph) pieces(l *loopSpec) int {
	if l.global || l.rows <= l.block {
		return 1
	}
	row, own := 0, 0
	for i := range l.calls {
		row += g.work(&l.calls[i])
	}
	for _, r := range l.summed(g) {
		own += r.len
	}
	work := row * l.rows
	n := min(mostPieces, work/LeastWork, (l.rows+l.block-1)/l.block)
	if own > 0 {
		n = min(n, work/(sumsShare*own))
	}
	return max(1, n)
}

// Work is about the time of a value with its gradient, in the unit of LeastWork.
func (g *Graph) Work() int {
	work := 0
	for _, p := range []program{g.forward, g.target, g.pull} {
		for k := range p.loops {
			l := &p.loops[k]
			for i := range l.calls {
				work += g.work(&l.calls[i]) * l.rows
			}
		}
	}
	return work
}

// work is that of a step in one row.
func (g *Graph) work(s *callSpec) int {
	n := &g.nodes[s.id]
	columns := n.width
	for k, l := range n.links {
		if l.rows && s.verb != doClear {
			columns += g.nodes[n.in[k]].shape.cols()
		}
	}
	switch n.op {
	case opMatMul, opLayer:
		return columns + g.products(n, s)
	case opActive:
		return columns + n.width*functionWork + g.products(n, s)
	case opLinear, opLevels:
		return columns + g.nodes[n.in[n.linear.x]].shape.cols() + 2*functionWork // forward and back
	}
	if n.fn != nil || n.kind == term || n.bij != nil {
		return columns * functionWork
	}
	return columns * moveWork
}

// products is the work of a row of a matrix in a product: of the value, or of each derivative that is wanted.
// With a matrix it stays in registers.
func (g *Graph) products(n *node, s *callSpec) int {
	times := 0
	for _, o := range s.in[:min(2, len(s.in))] { // a step that clears has none
		if o.adj.space != nowhere {
			times++
		}
	}
	if s.verb == doForward {
		times = 1
	}
	products := times * n.width * g.nodes[n.in[0]].shape.cols()
	if n.width > 1 {
		return products / inRegisters
	}
	return products
}

// summed lists what the steps of a loop add up over the rows, each once.
func (l *loopSpec) summed(g *Graph) []ref {
	var out []ref
	seen := map[place]bool{}
	add := func(r ref) {
		if r.space != nowhere && !seen[r.place()] {
			seen[r.place()] = true
			out = append(out, r)
		}
	}
	for i := range l.calls {
		s := &l.calls[i]
		for _, o := range s.in {
			if !o.link.rows {
				add(o.adj)
			}
		}
		if s.verb == doForward && g.nodes[s.id].kind == reduction {
			add(s.out.val)
		}
		if s.sum >= 0 {
			add(ref{space: inSum, off: s.sum, len: 1})
		}
	}
	return out
}

// A place is a part of an array of an Exec: two parameters side by side may be read as one vector, and each
// by itself.
type place struct {
	space    space
	off, len int
}

func (r ref) place() place { return place{r.space, r.off, r.len} }

// A site is what the steps of a loop, or of a piece of it, write to beside the arrays of the Exec: its sums
// are nil where these are in those arrays.
type site struct {
	tile    []float64
	scratch [][]float64
	sums    map[place][]float64
	lent    [][]float64 // to one step after another
}

// A split is a loop in pieces.
type split struct {
	e      *Exec
	step   int // rows
	pieces []piece
	pass   *pass // nil where the loop reads few data
}

// A piece is some blocks of a loop.
type piece struct {
	from, to int // rows
	calls    []call
	frames   []*call
	sums     []float64
	totals   []total
}

// A total is where a sum of a piece is added.
type total struct{ to, from []float64 }

// split cuts a loop into pieces.
func (e *Exec) split(l *loopSpec, n int) *split {
	s := &split{e: e, step: l.step(e.g), pieces: make([]piece, n)}
	s.pass = newPass(s, l)
	blocks := (l.rows + l.block - 1) / l.block
	for k := range s.pieces {
		p := &s.pieces[k]
		p.from, p.to = k*blocks/n*l.block, min(l.rows, (k+1)*blocks/n*l.block)
		own := site{tile: make([]float64, e.g.layout.tile), scratch: scratchVectors(e.g.scratch),
			sums: map[place][]float64{}}
		summed, length := l.summed(e.g), 0
		for _, r := range summed {
			length += r.len
		}
		p.sums = make([]float64, length)
		for rest := p.sums; len(summed) > 0; summed = summed[1:] {
			r := summed[0]
			t := total{to: e.arrays[r.space][r.off:][:r.len], from: rest[:r.len:r.len]}
			p.totals, own.sums[r.place()], rest = append(p.totals, t), t.from, rest[r.len:]
		}
		p.calls, p.frames = e.bindCalls(l, &own)
	}
	if s.pass != nil {
		s.pass.divide()
	}
	return s
}

// run computes all pieces and adds up their sums.
func (s *split) run() {
	if s.pass != nil && s.e.group.Travels() && s.e.loaded == nil {
		s.e.group.Pass(s.pass.data, s.pass, len(s.pass.stretches))
	} else {
		s.e.group.Do(s, len(s.pieces))
	}
	first := &s.pieces[0]
	for i, c := range first.frames {
		for k := range s.pieces[1:] {
			c.sums.join(s.pieces[k+1].frames[i].sums)
		}
		c.node.op.end(c)
	}
	for k := range s.pieces {
		for _, t := range s.pieces[k].totals {
			vector.Accumulate(len(t.to), t.to, t.from)
		}
	}
}

// Part computes one piece.
func (s *split) Part(k int) {
	p := &s.pieces[k]
	p.begin()
	p.rows(p.from, p.to, s.step)
}

func (p *piece) begin() {
	clear(p.sums)
	for _, c := range p.frames {
		c.node.op.begin(c)
	}
}

// rows computes some rows, so many at a time.
func (p *piece) rows(from, to, step int) {
	for row := from; row < to; row += step {
		steps(p.calls, row, min(step, to-row))
	}
}

// join adds the sums of the rows of another step.
func (s *rowSums) join(o *rowSums) {
	s.logs.Join(&o.logs)
	s.sum.Join(&o.sum)
	s.dphi.Join(&o.dphi)
	vector.Accumulate(len(s.predictor.Gradient), s.predictor.Gradient, o.predictor.Gradient)
}

// Splits reports whether a loop of the value or the gradient is in several pieces, which helpers may compute.
func (e *Exec) Splits() bool {
	for _, loops := range [][]loop{e.forward, e.target, e.pull} {
		for i := range loops {
			if loops[i].split != nil {
				return true
			}
		}
	}
	return false
}

// Use lets helpers compute pieces of long loops; nil for none. It changes no number.
func (e *Exec) Use(g *vector.Team) { e.group = g }
