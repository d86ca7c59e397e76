package nuts

// A blockVector has one part per block of this process: θ, then the coordinates of auxiliary variables. A momentum's holds beyond them the velocities M⁻¹p of
// the coordinates under a dense metric; those under a diagonal one are cheaper to make again.
type blockVector struct {
	at    [][]float64 // by block
	theta [][]float64 // the leading parts of at that are θ
	extra [][]float64 // velocities
	refs  int
}

// A pool lends vectors, so that a transition allocates nothing and copies nothing: states of a trajectory share what they have in common. The vector
// given back last is lent first, since it is still in the cache.
type pool struct {
	all  []*blockVector
	free []*blockVector
}

// lane is how many numbers a cache line holds, and page how many lie between addresses that caches take for alike.
const (
	lane = 8
	page = 512
)

// newPool makes room for n vectors over the shares, all in one array: blocks begin so that their diagonal part does so at a cache line, and vectors at
// different lines of a page, since several at the same one would drive each other out of the cache.
func newPool(shares []*share, n int) *pool {
	p := &pool{free: make([]*blockVector, 0, n)}
	size := 0
	for _, s := range shares {
		size += s.room()
	}
	stride := (size+page-1)/page*page + 9*lane
	all := aligned(n * stride)
	for k := range n {
		p.all = append(p.all, newVector(shares, all[k*stride:][:size]))
	}
	p.reset()
	return p
}

// room is what a block takes of a vector.
func (s *share) room() int {
	return (s.lead() + s.dim() + s.metric.split() + lane - 1) / lane * lane
}

// lead is how much is left out before a block.
func (s *share) lead() int { return (lane - s.metric.split()%lane) % lane }

func newVector(shares []*share, room []float64) *blockVector {
	v := &blockVector{}
	for _, s := range shares {
		whole := room[s.lead():][:s.dim()+s.metric.split()]
		room = room[s.room():]
		at := whole[:s.dim():s.dim()]
		v.at, v.extra, v.theta = append(v.at, at), append(v.extra, whole[s.dim():]), append(v.theta, at[:s.block.Dim()])
	}
	return v
}

// aligned makes n zeros from the beginning of a cache line on: so does Go with arrays of a page.
func aligned(n int) []float64 { return make([]float64, max(n, page))[:n] }

// reset takes back all vectors but those kept, each of which has one holder afterwards.
func (p *pool) reset(kept ...*blockVector) {
	p.free = p.free[:0]
	for _, v := range p.all {
		v.refs = 0
	}
	for _, v := range kept {
		v.refs = 1
	}
	for _, v := range p.all {
		if v.refs == 0 {
			p.free = append(p.free, v)
		}
	}
}

// get lends a vector to one holder. Its content is arbitrary.
func (p *pool) get() *blockVector {
	last := len(p.free) - 1
	v := p.free[last]
	p.free = p.free[:last]
	v.refs = 1
	return v
}

// hold adds a holder of v.
func (v *blockVector) hold() *blockVector {
	v.refs++
	return v
}

// drop ends one holder's use of each vector.
func (p *pool) drop(vs ...*blockVector) {
	for _, v := range vs {
		if v.refs--; v.refs == 0 {
			p.free = append(p.free, v)
		}
	}
}

// A point is a position with the gradient of its log density. The zero value holds nothing.
type point struct {
	q, g  *blockVector
	lp    float64
	h     float64 // energy, with the momentum that it was reached with
	index int     // in the trajectory, 0 for where it began
}

func (a point) hold() point {
	a.q.hold()
	a.g.hold()
	return a
}

func (p *pool) dropPoint(a point) {
	if a.q != nil {
		p.drop(a.q, a.g)
	}
}

// A run is consecutive states of a trajectory in the order in which they were made: the momenta at its ends and the sum of all.
type run struct{ first, last, sum *blockVector }

// runOf is the run of one state.
func runOf(p *blockVector) run { return run{p.hold(), p.hold(), p.hold()} }

// vectorsFor is how many vectors a tree of the greatest depth needs: positions and gradients of both ends, of two neighbours at the growing end, of the
// start and of two candidates; momenta of both ends and of two neighbours; three vectors for each run of the stack and for three in the making; sums.
func vectorsFor(depth int) int { return 2*7 + 4 + 3*(depth+3) + 2 }
