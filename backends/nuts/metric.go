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

// A metric is one party's block of M⁻¹: diagonal, but for its first coordinates where it is dense, or where a
// matrix of low rank is added.
type metric struct {
	inverse []float64 // diagonal of M⁻¹; of the dense part, that of the diagonal estimate
	whole   []float64 // inverse, followed by the masses of the coordinates that the ridges add
	root    []float64 // sds of momenta: M^½ of the diagonal part
	full    *dense    // nil: none is dense
	ridges  *ridges   // nil: nothing is added
	ref     reference
	noise   int // auxiliary variables, the last coordinates
}

// A shape is which of a party's parameters are under which metric: their number under a dense one, or under
// one with ridges, the others under a diagonal one.
type shape struct {
	dense, ridged int
	joint         bool // ridges span the parties
	long          bool // ridges are only directions along which the inverse mass is greater
	hierarchy     int  // coordinates, the first ones, that are of hierarchies
}

func newMetric(dim int, of shape) metric {
	most := ridgesFor(of.ridged)
	if of.joint {
		most = mostRidges
	}
	v := make([]float64, 3*dim+most)
	m := metric{inverse: v[:dim:dim], whole: v[: dim+most : dim+most], root: v[dim+most:][:dim:dim],
		ref: newReference(of.hierarchy, v[2*dim+most:])}
	if of.dense > 0 {
		m.full = newDense(of.dense)
	}
	if most > 0 {
		m.ridges = newRidges(of, m.whole[dim:])
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

// diagonal makes the metric that of the diagonal estimate.
func (m *metric) diagonal() {
	if m.ridges != nil {
		m.ridges.rank = 0
	}
	if !m.isDense() {
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

// isDense reports whether the dense metric is in use.
func (m *metric) isDense() bool { return m.full != nil }

// split is where the diagonal part begins.
func (m *metric) split() int {
	if !m.isDense() {
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

// own is how many of these are products with this party's coordinates alone.
func (m *metric) own() int {
	if m.ridges == nil || m.ridges.joint {
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

// plain reports whether the metric is diagonal and steps have no reference, as those of short models often
// are: nothing else is then looked at.
func (m *metric) plain() bool {
	return !m.isDense() && m.rank() == 0 && m.ref.first(len(m.inverse)) == len(m.inverse)
}

// extra is how many numbers a vector has room for beside its coordinates.
func (m *metric) extra() int {
	ridges := len(m.whole) - len(m.inverse)
	if m.full == nil {
		return ridges
	}
	return max(m.full.n, ridges)
}

// draw sets block b of p to a draw from N(0, M), with the velocities of its dense part, and prepares the
// gradient g at the point where it starts. It returns pᵀM⁻¹p, which is the sum of squares of the normals that
// p is made of.
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
	if m.own() > 0 {
		m.ridges.spread(at, v, m.root)
		m.ridges.project(g.at[b], g.extra[b])
	}
	return twice
}

// perCriterion is how many scalars Stan's U-turn criterion takes for two neighbouring subtrees: those of
// vector.Turns.
const perCriterion = 6

// criterion sets block b of sum to the sum of the momenta of two neighbouring subtrees, and out to the
// block's scalars of Stan's U-turn criterion.
func (m *metric) criterion(b int, out *[perCriterion]float64, sum *jointVector, l, r subtree) {
	n, rest := m.split(), len(m.inverse)+m.own()
	to, p1, p2 := sum.whole[b], l.last.whole[b], r.first.whole[b]
	pair := l.first == l.last && r.first == r.last
	if n == 0 && pair {
		vector.PairTurns(rest, out, to, p1, p2, m.whole)
		return
	}
	left, right := l.sum.whole[b], r.sum.whole[b]
	if n == 0 {
		vector.Turns(rest, out, to, left, right, l.first.whole[b], p1, p2, r.last.whole[b], m.whole)
		return
	}
	if rest -= n; pair {
		vector.PairTurns(rest, out, to[n:], p1[n:], p2[n:], m.whole[n:])
	} else {
		vector.Turns(rest, out, to[n:], left[n:], right[n:], l.first.whole[b][n:], p1[n:], p2[n:],
			r.last.whole[b][n:], m.whole[n:])
	}
	vector.GivenTurns(n, out, to, left, right, p1, p2, l.first.extra[b], l.last.extra[b], r.first.extra[b],
		r.last.extra[b])
}
