package nuts

import (
	"math"

	"github.com/vflc/vflc/runtime/rng"
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

// draw sets p to a momentum of N(0, M); v is overwritten. It returns p·v.
func (m *metric) draw(p, v []float64, from *rng.Stream) float64 {
	n := m.split()
	from.Normals(p)
	twice := 0.0
	if n > 0 {
		copy(v[:n], p)
		product(p[:n], m.full.root, v[:n])
		twice = m.full.velocity(v[:n], p[:n])
	}
	root, rest := m.root[n:], p[n:]
	for i, r := range root {
		rest[i] *= r
	}
	return twice + velocity(v[n:], rest, m.inverse[n:])
}

// drift and kick are the halves of a leapfrog step as in passes.go.
func (m *metric) drift(q2, half, q, p, g []float64, eps float64) {
	n := m.split()
	if n > 0 {
		for i := range half[:n] {
			half[i] = p[i] + float64(0.5*eps*g[i])
		}
		product(q2[:n], m.full.inverse, half[:n])
		for i, v := range q2[:n] {
			q2[i] = q[i] + float64(eps*v)
		}
	}
	drift(q2[n:], half[n:], q[n:], p[n:], g[n:], m.inverse[n:], eps)
}

func (m *metric) kick(p, v, g []float64, eps float64) float64 {
	n := m.split()
	twice := 0.0
	if n > 0 {
		for i := range p[:n] {
			p[i] += float64(0.5 * eps * g[i])
		}
		twice = m.full.velocity(v[:n], p[:n])
	}
	return twice + kick(p[n:], v[n:], g[n:], m.inverse[n:], eps)
}
