package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/rng"
)

// structured is e_i = m_i + a_i(g_i − ḡ_i) + s_i ε_i: z given θ is regressed on its own row's contribution. For a Gaussian likelihood this is
// the exact conditional of the best Gaussian for (θ, z) of one client. phi: m, a, then log s.
type structured struct {
	aux
	centre  []float64 // ḡ
	diff    []float64 // g − ḡ
	seed    []float64 // of a pull at the centre
	discard []float64 // the gradient of a pull that is wanted for its early part alone
}

func newStructured(b backends.Block, _ backends.Settings) (guide, error) {
	n := b.AuxLen()
	return &structured{
		aux: newAux(b), centre: make([]float64, n), diff: make([]float64, n), seed: make([]float64, n), discard: make([]float64, b.Dim()),
	}, nil
}

func (q *structured) size() int { return 3 * q.len() }

func (q *structured) start(phi []float64, _ *rng.Stream) { clear(phi) }

func (q *structured) value(mu, phi, g, z []float64) float64 {
	n := q.len()
	q.block.Cut(backends.Centre, mu, q.centre)
	ratio := q.sds(phi[2*n:])
	for _, c := range q.cuts {
		m, a, s, eps := span(phi, c), span(phi[n:], c), span(q.s, c), span(q.eps, c)
		g, z, es, centre, diff := span(g, c), span(z, c), span(q.e, c), span(q.centre, c), span(q.diff, c)
		for i := range m {
			d := g[i] - centre[i]
			e := m[i] + a[i]*d + s[i]*eps[i]
			diff[i], es[i] = d, e
			z[i] = g[i] + c.Rho*e
			ratio -= 0.5 * e * e
		}
	}
	return ratio
}

// With ∇e = ρ·adj − e and D = ∇e + ε/s: ∂m = D, ∂a = D(g − ḡ), ∂log s = sεD. The value of θ also enters log q(z | θ), which takes aε/s from the
// path aD, so the seed on g is adj + own + a∇e. ḡ is differentiated along the path: −Jᵀ(aD) reaches μ.
func (q *structured) adjoint(phi, adj, own, w, early, grad, dmu []float64) {
	n := q.len()
	for _, c := range q.cuts {
		a, s, eps, e, diff := span(phi[n:], c), span(q.s, c), span(q.eps, c), span(q.e, c), span(q.diff, c)
		adj, own, w, seed := span(adj, c), span(own, c), span(w, c), span(q.seed, c)
		dm, da, ds := span(grad, c), span(grad[n:], c), span(grad[2*n:], c)
		for i := range a {
			de := c.Rho*adj[i] - e[i]
			d := de + eps[i]/s[i]
			dm[i] = d
			da[i] = d * diff[i]
			ds[i] = s[i] * eps[i] * d
			w[i] = adj[i] + own[i] + a[i]*de
			seed[i] = -a[i] * d
		}
	}
	q.block.Pull(backends.Centre, q.seed, dmu, nil)
	if early != nil {
		q.pullEarly(phi, adj, early)
	}
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ. They have a distribution of their own, so ḡ's dependence on
// their value counts in log q(z | θ, γ) too, and the seed is −a∇e.
func (q *structured) pullEarly(phi, adj, early []float64) {
	n := q.len()
	for _, c := range q.cuts {
		a, e, adj, seed := span(phi[n:], c), span(q.e, c), span(adj, c), span(q.seed, c)
		for i := range a {
			seed[i] = -a[i] * (c.Rho*adj[i] - e[i])
		}
	}
	q.block.Pull(backends.Centre, q.seed, q.discard, early)
}
