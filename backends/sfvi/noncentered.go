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

func (q *noncentered) value(_, phi []float64, by *step, g, z []float64) float64 {
	n, ratio := q.len(), 0.0
	for t, ok := q.next(stretch{}); ok; t, ok = q.next(t) {
		i := t.at
		q.move(phi, q.each(), by, t)
		ratio += vec.GuideDraw(t.m, q.s[i:], q.e[i:], z[i:], phi[i:], phi[n+i:], q.eps[i:], g[i:], t.rho,
			q.sign)
	}
	return q.weight * ratio
}

// g is seen through z alone.
func (q *noncentered) adjoint(_, adj, own, w, _, grad, _ []float64) (square float64) {
	n := q.len()
	for _, c := range q.cuts {
		square += vec.GuideBack(c.Len(), span(w, c), span(grad, c), span(grad[n:], c), c.Rho/q.weight,
			q.weight, span(adj, c), span(own, c), span(q.e, c), span(q.s, c), span(q.eps, c))
	}
	return square
}
