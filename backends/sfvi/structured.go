package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// structured is e_i = m_i + a_i(g_i − ḡ_i) + s_i ε_i: z given θ is regressed on its own row's contribution.
// For a Gaussian likelihood this is the exact conditional of the best Gaussian for (θ, z) of one client. phi:
// m, a, then log s.
type structured struct {
	aux
	pulls density.DifferentiableCuts
	diff  []float64 // g − ḡ
	seed  []float64 // of a pull at the centre
}

func newStructured(b density.Block, _ backends.Settings) (guide, error) {
	pulls, err := density.RequireOf[density.DifferentiableCuts](b)
	if err != nil {
		return nil, err
	}
	return &structured{aux: newAux(b), pulls: pulls, diff: make([]float64, b.AuxLen()),
		seed: pulls.SeedAt(density.Centre)}, nil
}

func (q *structured) size() int { return q.each() * q.len() }

func (q *structured) each() int { return 3 }

func (q *structured) start(phi []float64, _ density.Stream) { clear(phi) }

func (q *structured) value(mu, phi []float64, by *step, g, z []float64) float64 {
	n, ratio := q.len(), 0.0
	centre := q.pulls.CutAt(density.Centre, mu)
	for t, ok := q.next(stretch{}); ok; t, ok = q.next(t) {
		i := t.at
		q.move(phi, q.each(), by, t)
		ratio += vec.GuideDrawSloped(t.m, q.s[i:], q.e[i:], z[i:], q.diff[i:], phi[i:], phi[n+i:],
			phi[2*n+i:], q.eps[i:], g[i:], centre[i:], t.rho, q.sign)
	}
	return q.weight * ratio
}

// ∂a = D(g − ḡ). The value of θ also enters log q(z | θ), which takes aε/s from the path aD, so the seed on g
// is adj + own + a∇e. ḡ is differentiated along the path: −Jᵀ(aD) reaches μ.
func (q *structured) adjoint(phi, adj, own, w, early, grad, dmu []float64) (square float64) {
	n := q.len()
	for _, c := range q.cuts {
		square += vec.GuideBackSloped(
			c.Len(), span(w, c), span(q.seed, c), span(grad, c), span(grad[n:], c), span(grad[2*n:], c),
			c.Rho/q.weight, q.weight,
			span(adj, c), span(own, c), span(q.e, c), span(q.s, c), span(q.eps, c), span(q.diff, c),
			span(phi[n:], c))
	}
	q.pulls.Pull(density.Centre, q.seed, dmu)
	if len(early) > 0 {
		q.pullEarly(phi[n:2*n], adj, early)
	}
	return square
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ. They have a distribution of
// their own, so ḡ's dependence on their value counts in log q(z | θ, γ) too, and the seed is −a∇e.
func (q *structured) pullEarly(a, adj, early []float64) {
	n := q.len()
	q.rise(q.seed, adj)
	vec.Mul(n, q.seed, a, q.seed)
	vec.Neg(n, q.seed, q.seed)
	q.pulls.PullEarly(density.Centre, q.seed, early)
}
