package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/rng"
)

// noncentered is e_i = m_i + s_i ε_i: z moves with g, and is otherwise independent of θ. phi: m, then log s.
type noncentered struct{ aux }

func newNoncentered(b backends.Block, _ backends.Settings) (guide, error) {
	return &noncentered{newAux(b)}, nil
}

func (q *noncentered) size() int { return 2 * q.len() }

func (q *noncentered) start(phi []float64, _ *rng.Stream) { clear(phi) }

func (q *noncentered) value(_, phi, g, z []float64) float64 {
	n := q.len()
	ratio := q.sds(phi[n:])
	for _, c := range q.cuts {
		m, s, eps := span(phi, c), span(q.s, c), span(q.eps, c)
		g, z, es := span(g, c), span(z, c), span(q.e, c)
		for i := range m {
			e := m[i] + s[i]*eps[i]
			es[i] = e
			z[i] = g[i] + c.Rho*e
			ratio -= 0.5 * e * e
		}
	}
	return ratio
}

// With ∇e = ρ·adj − e and D = ∇e + ε/s: ∂m = D, ∂log s = sεD, and g is seen through z alone.
func (q *noncentered) adjoint(phi, adj, own, w, _, grad, _ []float64) {
	n := q.len()
	for _, c := range q.cuts {
		s, eps, e := span(q.s, c), span(q.eps, c), span(q.e, c)
		adj, own, w := span(adj, c), span(own, c), span(w, c)
		dm, ds := span(grad, c), span(grad[n:], c)
		for i := range s {
			u := s[i]*(c.Rho*adj[i]-e[i]) + eps[i] // sD
			dm[i] = u / s[i]
			ds[i] = u * eps[i]
			w[i] = adj[i] + own[i]
		}
	}
}
