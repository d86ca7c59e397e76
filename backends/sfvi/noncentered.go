package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// noncentered is e_i = m_i + s_i ε_i: z moves with g, and is otherwise independent of θ. phi: m, then log s.
type noncentered struct{ aux }

func newNoncentered(b density.Block, _ backends.Settings) (guide, error) {
	return &noncentered{newAux(b)}, nil
}

func (q *noncentered) size() int { return q.each() * q.len() }

func (q *noncentered) each() int { return 2 }

func (q *noncentered) start(phi []float64, _ density.Stream) { clear(phi) }

func (q *noncentered) value(_, phi, g, z []float64) float64 {
	n := q.len()
	return q.draw(phi[:n], phi[n:], g, z)
}

// g is seen through z alone.
func (q *noncentered) adjoint(_, adj, own, w, _, grad, _ []float64) {
	n := q.len()
	q.gradient(adj, grad[:n], grad[n:])
	vec.Add(n, w, adj, own)
}
