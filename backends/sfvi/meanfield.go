package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/rng"
)

// meanfield is z_i = ḡ_i + ρ(m_i + s_i ε_i), blind to θ: the paper's guide. Its mean is written around the cut at the mean of q(θ), which leaves the
// family as it is (m is free) but lets z follow when μ moves; with a mean of its own, z and θ would chase one another for tens of thousands of
// iterations, each held back by the other's density. Where cuts depend on shared parameters, ḡ is that of their draw. phi: m, then log s.
type meanfield struct {
	aux
	centre  []float64 // ḡ
	seed    []float64 // of a pull at the centre
	discard []float64 // the gradient of a pull that is wanted for its early part alone
}

func newMeanfield(b backends.Block, _ backends.Settings) (guide, error) {
	n := b.AuxLen()
	return &meanfield{aux: newAux(b), centre: make([]float64, n), seed: make([]float64, n), discard: make([]float64, b.Dim())}, nil
}

func (q *meanfield) size() int { return 2 * q.len() }

func (q *meanfield) start(phi []float64, _ *rng.Stream) { clear(phi) }

func (q *meanfield) value(mu, phi, g, z []float64) float64 {
	n := q.len()
	q.block.Cut(backends.Centre, mu, q.centre)
	ratio := q.sds(phi[n:])
	for _, c := range q.cuts {
		m, s, eps := span(phi, c), span(q.s, c), span(q.eps, c)
		g, z, es, centre := span(g, c), span(z, c), span(q.e, c), span(q.centre, c)
		inverse := 1 / c.Rho
		for i := range m {
			z[i] = centre[i] + c.Rho*(m[i]+s[i]*eps[i])
			e := (z[i] - g[i]) * inverse
			es[i] = e
			ratio -= 0.5 * e * e
		}
	}
	return ratio
}

// With ∇z = adj − e/ρ and D = ρ∇z + ε/s: ∂m = D, ∂log s = sεD, g is seen through the model's density of z, and D/ρ reaches μ through ḡ.
func (q *meanfield) adjoint(phi, adj, own, w, early, grad, dmu []float64) {
	n := q.len()
	for _, c := range q.cuts {
		s, eps, e, seed := span(q.s, c), span(q.eps, c), span(q.e, c), span(q.seed, c)
		adj, own, w := span(adj, c), span(own, c), span(w, c)
		dm, ds := span(grad, c), span(grad[n:], c)
		inverse := 1 / c.Rho
		for i := range s {
			d := c.Rho*adj[i] - e[i] + eps[i]/s[i]
			dm[i] = d
			ds[i] = s[i] * eps[i] * d
			w[i] = own[i] + e[i]*inverse
			seed[i] = d * inverse
		}
	}
	q.block.Pull(backends.Centre, q.seed, dmu, nil)
	if early != nil {
		q.pullEarly(adj, early)
	}
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ: in the value of log q(z | γ) the path's ε/s cancels.
func (q *meanfield) pullEarly(adj, early []float64) {
	for _, c := range q.cuts {
		e, adj, seed := span(q.e, c), span(adj, c), span(q.seed, c)
		for i := range seed {
			seed[i] = adj[i] - e[i]/c.Rho
		}
	}
	q.block.Pull(backends.Centre, q.seed, q.discard, early)
}
