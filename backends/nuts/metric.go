package nuts

import (
	"math"

	"github.com/vflc/vflc/density"

	"github.com/vflc/vflc/runtime/vector"
)

// The least and greatest inverse mass.
const (
	leastMass = 1e-20
	mostMass  = 1e20
)

// A metric is one party's block of M⁻¹: diagonal, but for its first coordinates where it is dense, or where a matrix of low rank is added.
type metric struct {
	inverse []float64 // diagonal of M⁻¹; of the dense part, that of the diagonal estimate
	whole   []float64 // inverse, followed by the masses of the coordinates that the ridges add
	root    []float64 // sds of momenta: M^½ of the diagonal part
	full    *dense    // nil: none is dense
	ridges  *ridges   // nil: nothing is added
}

// A shape is which of a party's parameters are under which metric: their number under a dense one, or under one with ridges, the others under a diagonal one.
type shape struct {
	dense, ridged int
	long          bool // ridges are only directions along which the inverse mass is greater
}

func newMetric(dim int, of shape) metric {
	most := ridgesFor(of.ridged)
	v := make([]float64, 2*dim+most)
	m := metric{inverse: v[:dim:dim], whole: v[:dim+most], root: v[dim+most:]}
	if of.dense > 0 {
		m.full = newDense(of.dense)
	}
	if of.ridged > 0 {
		m.ridges = newRidges(of.ridged, of.long, m.whole[dim:])
	}
	m.identity()
	return m
}

// identity is the unit metric.
func (m *metric) identity() {
	for i := range m.inverse {
		m.inverse[i], m.root[i] = 1, 1
	}
	m.diagonal()
}

// level leaves no ridges.
func (m *metric) level() {
	if m.ridges != nil {
		m.ridges.rank = 0
	}
}

// diagonal makes the metric that of the diagonal estimate.
func (m *metric) diagonal() {
	m.level()
	if m.full == nil {
		return
	}
	clear(m.full.inverse)
	clear(m.full.root)
	for i := range m.full.n {
		m.full.inverse[i*m.full.n+i] = m.inverse[i]
		m.full.root[i*m.full.n+i] = m.root[i]
	}
}

// set gives coordinate i an inverse mass, within bounds.
func (m *metric) set(i int, inverse float64) {
	m.inverse[i] = min(max(inverse, leastMass), mostMass)
	m.root[i] = 1 / math.Sqrt(m.inverse[i])
}

// split is where the diagonal part begins.
func (m *metric) split() int {
	if m.full == nil {
		return 0
	}
	return m.full.n
}

// rank is how many coordinates the ridges add to a momentum.
func (m *metric) rank() int {
	if m.ridges == nil {
		return 0
	}
	return m.ridges.rank
}

// element is that of M⁻¹ in row i and column j.
func (m *metric) element(i, j int) float64 {
	if n := m.split(); i < n && j < n {
		return m.full.inverse[i*n+j]
	}
	sum := 0.0
	if i == j {
		sum = m.inverse[i]
	}
	if m.ridges != nil {
		sum += m.ridges.element(i, j)
	}
	return sum
}

// extra is how many numbers a vector holds beside its coordinates.
func (m *metric) extra() int { return m.split() + len(m.whole) - len(m.inverse) }

// draw sets block b of p to a draw from N(0, M), with the velocities of its dense part, and prepares the gradient g at the point where it starts. It returns pᵀM⁻¹p, which is the
// sum of squares of the normals that p is made of.
func (m *metric) draw(b int, p, g *jointVector, from density.Stream) float64 {
	at, v := p.at[b], p.extra[b]
	from.FillNormals(at)
	twice := vector.Dot(len(at), at, at)
	n := m.split()
	if n > 0 {
		copy(v, at[:n])
		product(at[:n], m.full.root, v)
		vector.MatVec(n, v, m.full.inverse, n, at, 1, n)
	}
	vector.Mul(len(at)-n, at[n:], at[n:], m.root[n:])
	if m.rank() > 0 {
		m.ridges.spread(at, v, m.root)
		m.ridges.project(g.at[b], g.extra[b])
	}
	return twice
}

// drift is the first half of a leapfrog step of size eps from (q, p) with gradient g, of block b: half gets the momentum after half a step, q2 the position.
func (m *metric) drift(b int, q2, half, q, p, g *jointVector, eps float64) {
	n, rank := m.split(), m.rank()
	to, h, at, momentum, slope := q2.at[b], half.at[b], q.at[b], p.at[b], g.at[b]
	if n > 0 {
		vector.DenseStart(n, h, to, momentum, at, slope, m.full.inverse, 0.5*eps, eps)
	}
	vector.LeapfrogStart(len(at)-n, h[n:], to[n:], momentum[n:], at[n:], slope[n:], m.inverse[n:], 0.5*eps, eps)
	if rank > 0 {
		by := q2.extra[b]
		vector.LeapfrogStart(rank, half.extra[b], by, p.extra[b], m.ridges.zero, g.extra[b], m.ridges.mass, 0.5*eps, eps)
		m.ridges.add(to, by)
	}
}

// kick is the second half: p becomes the momentum after the full step, with the velocities of its dense part. It returns pᵀM⁻¹p.
func (m *metric) kick(b int, p, g *jointVector, eps float64) float64 {
	n, rank := m.split(), m.rank()
	if rank > 0 {
		m.ridges.project(g.at[b], g.extra[b])
	}
	at, slope := p.whole[b], g.whole[b]
	twice := vector.LeapfrogEnd(len(m.inverse)-n+rank, at[n:], at[n:], slope[n:], m.whole[n:], 0.5*eps)
	if n > 0 {
		twice += vector.DenseEnd(n, at, p.extra[b], slope, m.full.inverse, 0.5*eps)
	}
	return twice
}

// perCriterion is how many scalars Stan's U-turn criterion takes for two neighbouring subtrees: those of vector.Turns.
const perCriterion = 6

// criterion sets block b of sum to the sum of the momenta of two neighbouring subtrees, and out to the block's scalars of Stan's U-turn criterion.
func (m *metric) criterion(b int, out *[perCriterion]float64, sum *jointVector, l, r subtree) {
	n := m.split()
	to, left, right, p1, p2 := sum.whole[b], l.sum.whole[b], r.sum.whole[b], l.last.whole[b], r.first.whole[b]
	if rest := len(m.inverse) - n + m.rank(); l.first == l.last && r.first == r.last {
		vector.PairTurns(rest, out, to[n:], p1[n:], p2[n:], m.whole[n:])
	} else {
		vector.Turns(rest, out, to[n:], left[n:], right[n:], l.first.whole[b][n:], p1[n:], p2[n:], r.last.whole[b][n:], m.whole[n:])
	}
	if n > 0 {
		vector.GivenTurns(n, out, to, left, right, p1, p2, l.first.extra[b], l.last.extra[b], r.first.extra[b], r.last.extra[b])
	}
}
