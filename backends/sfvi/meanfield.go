package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// meanfield is z_i = ḡ_i + ρ(m_i + s_i ε_i), blind to θ: the paper's guide. Its mean is written around the
// cut at the mean of q(θ), which leaves the family as it is (m is free) but lets z follow when μ moves; with
// a mean of its own, z and θ would chase one another for tens of thousands of iterations, each held back by
// the other's density. Where cuts depend on shared parameters, ḡ is that of their draw. phi: m, then log s.
type meanfield struct {
	aux
	pulls density.DifferentiableCuts
	seed  []float64 // of a pull at the centre
}

func newMeanfield(b density.Block, _ backends.Settings) (guide, error) {
	pulls, err := density.RequireOf[density.DifferentiableCuts](b)
	if err != nil {
		return nil, err
	}
	return &meanfield{aux: newAux(b), pulls: pulls, seed: pulls.SeedAt(density.Centre)}, nil
}

func (q *meanfield) size() int { return q.each() * q.len() }

func (q *meanfield) each() int { return 2 }

func (q *meanfield) start(phi []float64, _ density.Stream) { clear(phi) }

// In terms of e = (z − g)/ρ the mean of z is m + (ḡ − g)/ρ.
func (q *meanfield) value(mu, phi []float64, by *step, g, z []float64) float64 {
	n, ratio := q.len(), 0.0
	centre := q.pulls.CutAt(density.Centre, mu)
	for t, ok := q.next(stretch{}); ok; t, ok = q.next(t) {
		i := t.at
		q.move(phi, q.each(), by, t)
		ratio += vec.GuideDrawApart(t.m, q.s[i:], q.e[i:], z[i:], phi[i:], phi[n+i:], q.eps[i:], g[i:],
			centre[i:], t.rho, q.sign, 1/t.rho)
	}
	return q.weight * ratio
}

// g is seen through the model's density of z, as e/ρ times the weight, and D/ρ reaches μ through ḡ.
func (q *meanfield) adjoint(_, adj, own, w, early, grad, dmu []float64) (square float64) {
	n := q.len()
	for _, c := range q.cuts {
		square += vec.GuideBackApart(
			c.Len(), span(w, c), span(q.seed, c), span(grad, c), span(grad[n:], c), c.Rho/q.weight, q.weight,
			1/c.Rho,
			span(adj, c), span(own, c), span(q.e, c), span(q.s, c), span(q.eps, c))
	}
	q.pulls.Pull(density.Centre, q.seed, dmu)
	if len(early) > 0 {
		q.pullEarly(adj, early)
	}
	return square
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ: in the value of log q(z | γ)
// the path's ε/s cancels.
func (q *meanfield) pullEarly(adj, early []float64) {
	q.rise(q.seed, adj)
	for _, c := range q.cuts {
		seed := span(q.seed, c)
		vec.Scale(c.Len(), seed, seed, 1/c.Rho)
	}
	q.pulls.PullEarly(density.Centre, q.seed, early)
}
