package nuts

// A jointVector is a vector over the coordinates of all parties of this process, a position, gradient or momentum, with one part per block: θ, then the
// coordinates of auxiliary variables. A momentum also holds the velocities M⁻¹p of the coordinates under a dense metric; those under a diagonal one are
// cheaper to compute again. Momenta and gradients hold their products with the ridges of a metric.
type jointVector struct {
	at    [][]float64 // by block
	theta [][]float64 // the leading parts of at that are θ
	extra [][]float64 // velocities, or products
	whole [][]float64 // at and extra
	means [][]float64 // of the contributions that levels follow, where the gradient is one
	refs  int
}

// A pool allocates all vectors of a chain once, so that a transition allocates nothing and copies nothing: states of a trajectory share vectors, which
// count their holders. The vector freed last is the next one used, since it is still in the cache.
type pool struct {
	free []*jointVector
	low  int            // how many of them have not been used since the last reset, at the front
	used []*jointVector // the others
}

// lane is how many numbers a cache line holds, and page how many a memory page holds: addresses a page apart share a set of the cache.
const (
	lane = 8
	page = 512
)

// newPool allocates n vectors over the parties, all in one array: the diagonal part of every block begins at a cache line, and vectors begin at
// different lines of a page, since several at the same one would evict each other from the cache.
func newPool(parties []*party, n int) *pool {
	p := &pool{free: make([]*jointVector, 0, n), used: make([]*jointVector, 0, n), low: n}
	size := 0
	for _, s := range parties {
		size += s.room()
	}
	stride := (size+page-1)/page*page + 9*lane
	all := aligned(n * stride)
	for k := range n {
		p.free = append(p.free, newVector(parties, all[k*stride:][:size]))
	}
	return p
}

// room is how many numbers a block takes of a vector, padding included.
func (s *party) room() int {
	return (s.lead() + s.dim() + s.metric.extra() + lane - 1) / lane * lane
}

// lead is the padding before a block.
func (s *party) lead() int { return (lane - s.metric.split()%lane) % lane }

func newVector(parties []*party, room []float64) *jointVector {
	v := &jointVector{}
	for _, s := range parties {
		whole := room[s.lead():][:s.dim()+s.metric.extra()]
		room = room[s.room():]
		at := whole[:s.dim():s.dim()]
		v.at, v.extra, v.theta = append(v.at, at), append(v.extra, whole[s.dim():]), append(v.theta, at[:s.block.Dim()])
		v.whole = append(v.whole, whole)
		var means []float64
		if s.levels != nil {
			means = make([]float64, len(s.levels.at))
		}
		v.means = append(v.means, means)
	}
	return v
}

// aligned returns n zeros that begin at a cache line: Go aligns arrays of a page or more.
func aligned(n int) []float64 { return make([]float64, max(n, page))[:n] }

// reset frees all vectors but those kept, each of which has one holder afterwards.
func (p *pool) reset(kept ...*jointVector) {
	for _, v := range p.used {
		v.refs = 0
	}
	for _, v := range kept {
		v.refs = 1
	}
	p.free = p.free[:p.low]
	for i := len(p.used) - 1; i >= 0; i-- { // those used first are the next ones used
		if v := p.used[i]; v.refs == 0 {
			p.free = append(p.free, v)
		}
	}
	held := 0
	for _, v := range p.used {
		if v.refs > 0 {
			p.used[held], held = v, held+1
		}
	}
	p.used, p.low = p.used[:held], len(p.free)
}

// get returns a free vector, with one holder. Its content is arbitrary.
func (p *pool) get() *jointVector {
	last := len(p.free) - 1
	v := p.free[last]
	p.free = p.free[:last]
	if last < p.low {
		p.low, p.used = last, append(p.used, v)
	}
	v.refs = 1
	return v
}

// hold adds a holder of v.
func (v *jointVector) hold() *jointVector {
	v.refs++
	return v
}

// drop ends one holder's use of each vector.
func (p *pool) drop(vs ...*jointVector) {
	for _, v := range vs {
		if v.refs--; v.refs == 0 {
			p.free = append(p.free, v)
		}
	}
}

// A point is a position with the gradient of its log density, and with v of the reference. The zero value holds nothing.
type point struct {
	q, g, v *jointVector
	lp      float64
	h       float64 // energy, with the momentum that it was reached with
	index   int     // in the trajectory, 0 for where it began
}

func (a point) hold() point {
	a.q.hold()
	a.g.hold()
	a.v.hold()
	return a
}

func (p *pool) dropPoint(a point) {
	if a.q != nil {
		p.drop(a.q, a.g, a.v)
	}
}

func (p *pool) point() point { return point{q: p.get(), g: p.get(), v: p.get()} }

// A subtree is consecutive states of a trajectory in the order of their making: the momenta of the first and the last, and the sum of all momenta, which
// the generalised U-turn criterion takes in place of the difference of positions (Betancourt 2017).
type subtree struct{ first, last, sum *jointVector }

// leaf is the subtree of one state with momentum p.
func leaf(p *jointVector) subtree { return subtree{p.hold(), p.hold(), p.hold()} }

// vectorsFor is how many vectors a tree of the greatest depth needs: positions, gradients and v of both ends, of the newest and the next state, of the
// start, the sample and the proposal; momenta of both ends, of the newest and the next state; three vectors for each waiting subtree and for three in the
// making; sums.
func vectorsFor(depth int) int { return 3*7 + 4 + 3*(depth+3) + 2 }
