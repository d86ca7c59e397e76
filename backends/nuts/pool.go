package nuts

import (
	"slices"

	"github.com/vflc/vflc/runtime/vector"
)

// A jointVector is a vector over the coordinates of all parties of this process, a position, gradient or
// momentum, with one part per block: θ, then the coordinates of auxiliary variables. A momentum also holds
// the velocities M⁻¹p of the coordinates under a dense metric; those under a diagonal one are cheaper to
// compute again. Momenta and gradients hold their products with the ridges of a metric.
type jointVector struct {
	at    [][]float64 // by block
	theta [][]float64 // the leading parts of at that are θ
	extra [][]float64 // velocities, or products
	whole [][]float64 // at and extra
	noise []float64   // coordinates of noise with unit masses, or their momenta
	means [][]float64 // of what intercepts follow, where the gradient is one
	// where the gradient is one: adjoints of the sums that noise enters, instead of its gradient
	adjoints []float64
	refs     int
}

// A pool allocates all vectors and points of a chain once, so that a transition allocates nothing and copies
// nothing: subtrees of a trajectory share momenta, and its ends, its proposal and others share points; both
// count their holders. What was freed last is the next one used, since it is still in the cache.
type pool struct {
	vectors, free []*jointVector // all, and those without a holder
	points, spare []*point       // the same for points, whose vectors are none of these
}

// line is how many numbers a cache line holds, and page how many a memory page holds: addresses a page apart
// share a set of the cache. Vectors of few lines follow one another, all within a cache.
const (
	line   = 8
	page   = 512
	packed = 8 * line
)

// newPool allocates points and further vectors over the parties, all in one array: the diagonal part of every
// block begins at a cache line, and vectors begin at different lines of a page, since several at the same one
// would evict each other from the cache.
func newPool(parties []*party, adjoints, points, vectors int) *pool {
	p := &pool{}
	size, noise := 0, 0
	for _, s := range parties {
		size += s.room()
		noise += lines(s.noise.len)
	}
	all := aligned((points+vectors)*strideOf(size+noise) + points*(strideOf(size+adjoints)+strideOf(size)))
	next := func(beside int) (v *jointVector, rest []float64) {
		v, rest = newVector(parties, all[:size]), all[size:size+beside]
		all = all[strideOf(size+beside):]
		return v, rest
	}
	position := func() *jointVector {
		v, rest := next(noise)
		v.noise = rest
		return v
	}
	for range vectors {
		p.vectors = append(p.vectors, position())
	}
	for range points {
		q := position()
		g, sums := next(adjoints)
		g.adjoints = sums
		v, _ := next(0)
		p.points = append(p.points, &point{q: q, g: g, v: v})
	}
	p.free, p.spare = slices.Clone(p.vectors), slices.Clone(p.points)
	return p
}

// lines is n, and what is missing to whole cache lines.
func lines(n int) int { return (n + line - 1) / line * line }

// strideOf is how far a vector of so many numbers is from the next.
func strideOf(size int) int {
	if size <= packed {
		return size
	}
	return (size+page-1)/page*page + 9*line
}

// room is how many numbers a block takes of a vector, padding included, noise of unit masses not.
func (s *party) room() int { return lines(s.lead() + s.dim() + s.metric.extra()) }

// lead is the padding before a block.
func (s *party) lead() int { return (line - s.metric.split()%line) % line }

func newVector(parties []*party, room []float64) *jointVector {
	v := &jointVector{}
	for _, s := range parties {
		whole := room[s.lead():][:s.dim()+s.metric.extra()]
		room = room[s.room():]
		at := whole[:s.dim():s.dim()]
		v.at, v.extra, v.theta = append(v.at, at), append(v.extra, whole[s.dim():]),
			append(v.theta, at[:s.block.Dim()])
		v.whole = append(v.whole, whole)
		var means []float64
		if s.intercepts != nil {
			means = make([]float64, len(s.intercepts.at))
		}
		v.means = append(v.means, means)
	}
	return v
}

// aligned returns n zeros that begin at a cache line: Go aligns arrays of a page or more. Vectors of many
// clients are on more small pages than a processor remembers.
func aligned(n int) []float64 {
	v := make([]float64, max(n, page))[:n]
	vector.OnHugePages(v)
	return v
}

// reset frees all but one point, which has one holder afterwards.
func (p *pool) reset(kept *point) {
	p.free, p.spare = append(p.free[:0], p.vectors...), p.spare[:0]
	for _, a := range p.points {
		if a != kept {
			p.spare = append(p.spare, a)
		}
	}
	kept.refs = 1
}

// get returns a free vector, with one holder. Its content is arbitrary.
func (p *pool) get() *jointVector {
	last := len(p.free) - 1
	v := p.free[last]
	p.free = p.free[:last]
	v.refs = 1
	return v
}

// hold adds a holder of v.
func (v *jointVector) hold() *jointVector {
	v.refs++
	return v
}

// drop ends one holder's use of a vector.
func (p *pool) drop(v *jointVector) {
	if v.refs--; v.refs == 0 {
		p.free = append(p.free, v)
	}
}

// A point is a position with the gradient of its log density, and with v of the reference.
type point struct {
	q, g, v *jointVector
	lp      float64
	h       float64 // energy, with the momentum that it was reached with
	index   int     // in the trajectory, 0 for where it began
	refs    int
}

// hold adds a holder of a point.
func (a *point) hold() *point {
	a.refs++
	return a
}

// dropPoint ends one holder's use of a point.
func (p *pool) dropPoint(a *point) {
	if a.refs--; a.refs == 0 {
		p.spare = append(p.spare, a)
	}
}

// point returns a free point, with one holder. Its content is arbitrary.
func (p *pool) point() *point {
	last := len(p.spare) - 1
	a := p.spare[last]
	p.spare = p.spare[:last]
	a.refs = 1
	return a
}

// A subtree is consecutive states of a trajectory in the order of their making: the momenta of the first and
// the last, and the sum of all momenta, which the generalised U-turn criterion takes in place of the
// difference of positions (Betancourt 2017).
type subtree struct{ first, last, sum *jointVector }

// leaf is the subtree of one state with momentum p.
func leaf(p *jointVector) subtree { return subtree{p.hold(), p.hold(), p.hold()} }

// mostPoints is how many points a tree needs: both ends, the newest and the next state, the start, the sample
// and the proposal.
const mostPoints = 7

// vectorsFor is how many vectors a tree of the greatest depth needs beside those of points: momenta of both
// ends, of the newest and the next state; three vectors for each waiting subtree and for three in the making;
// sums.
func vectorsFor(depth int) int { return 4 + 3*(depth+3) + 2 }
