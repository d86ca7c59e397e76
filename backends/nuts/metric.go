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

// A metric is one party's block of M⁻¹: diagonal, but for its first coordinates where it is dense.
type metric struct {
	inverse []float64 // diagonal of M⁻¹; of the dense part, that of the diagonal estimate
	root    []float64 // sds of momenta: M^½ of the diagonal part
	full    *dense    // nil: all is diagonal
}

func newMetric(dim, full int) metric {
	v := make([]float64, 2*dim)
	m := metric{inverse: v[:dim], root: v[dim:]}
	if full > 0 {
		m.full = newDense(full)
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

// diagonal makes the dense part that of the diagonal estimate.
func (m *metric) diagonal() {
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

// draw sets p to a draw from N(0, M) and v to the velocities of its dense part. It returns pᵀM⁻¹p, which is the sum of squares of the normals that p is made of.
func (m *metric) draw(p, v []float64, from density.Stream) float64 {
	from.FillNormals(p)
	twice := vector.Dot(len(p), p, p)
	n := m.split()
	if n > 0 {
		copy(v, p[:n])
		product(p[:n], m.full.root, v)
		vector.MatVec(n, v, m.full.inverse, n, p, 1, n)
	}
	vector.Mul(len(p)-n, p[n:], p[n:], m.root[n:])
	return twice
}

// drift is the first half of a leapfrog step of size eps from (q, p) with gradient g: half gets the momentum after half a step, q2 the position.
func (m *metric) drift(q2, half, q, p, g []float64, eps float64) {
	n := m.split()
	if n > 0 {
		vector.DenseStart(n, half, q2, p, q, g, m.full.inverse, 0.5*eps, eps)
	}
	vector.LeapfrogStart(len(q)-n, half[n:], q2[n:], p[n:], q[n:], g[n:], m.inverse[n:], 0.5*eps, eps)
}

// kick is the second half: p becomes the momentum after the full step, v the velocities of its dense part. It returns pᵀM⁻¹p.
func (m *metric) kick(p, v, g []float64, eps float64) float64 {
	n := m.split()
	twice := vector.LeapfrogEnd(len(p)-n, p[n:], p[n:], g[n:], m.inverse[n:], 0.5*eps)
	if n > 0 {
		twice += vector.DenseEnd(n, p, v, g, m.full.inverse, 0.5*eps)
	}
	return twice
}

// perCriterion is how many scalars Stan's U-turn criterion takes for two neighbouring subtrees: those of vector.Turns.
const perCriterion = 6

// criterion sets block b of sum to the sum of the momenta of two neighbouring subtrees, and out to the block's scalars of Stan's U-turn criterion.
func (m *metric) criterion(b int, out *[perCriterion]float64, sum *jointVector, l, r subtree) {
	n := m.split()
	to, left, right, p1, p2 := sum.at[b], l.sum.at[b], r.sum.at[b], l.last.at[b], r.first.at[b]
	if rest := len(m.inverse) - n; l.first == l.last && r.first == r.last {
		vector.PairTurns(rest, out, to[n:], p1[n:], p2[n:], m.inverse[n:])
	} else {
		vector.Turns(rest, out, to[n:], left[n:], right[n:], l.first.at[b][n:], p1[n:], p2[n:], r.last.at[b][n:], m.inverse[n:])
	}
	if n > 0 {
		vector.GivenTurns(n, out, to, left, right, p1, p2, l.first.extra[b], l.last.extra[b], r.first.extra[b], r.last.extra[b])
	}
}
