package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// meanfield is z_i = ḡ_i + ρ(m_i + s_i ε_i), blind to θ: the paper's guide. Its mean is written around the cut at the mean of q(θ), which leaves the
// family as it is (m is free) but lets z follow when μ moves; with a mean of its own, z and θ would chase one another for tens of thousands of
// iterations, each held back by the other's density. Where cuts depend on shared parameters, ḡ is that of their draw. phi: m, then log s.
type meanfield struct {
	aux
	pulls  density.DifferentiableCuts
	centre []float64 // ḡ
	mean   []float64 // of e given g
	seed   []float64 // of a pull at the centre
}

func newMeanfield(b density.Block, _ backends.Settings) (guide, error) {
	pulls, err := density.RequireOf[density.DifferentiableCuts](b)
	n := b.AuxLen()
	return &meanfield{aux: newAux(b), pulls: pulls, centre: make([]float64, n), mean: make([]float64, n), seed: make([]float64, n)}, err
}

func (q *meanfield) size() int { return q.each() * q.len() }

func (q *meanfield) each() int { return 2 }

func (q *meanfield) start(phi []float64, _ density.Stream) { clear(phi) }

// In terms of e = (z − g)/ρ the mean of z is m + (ḡ − g)/ρ.
func (q *meanfield) value(mu, phi, g, z []float64) float64 {
	n := q.len()
	q.block.Cut(density.Centre, mu, q.centre)
	vec.Sub(n, q.mean, q.centre, g)
	for _, c := range q.cuts {
		mean := span(q.mean, c)
		vec.ScaleAdd(c.Len(), mean, 1/c.Rho, mean, span(phi, c))
	}
	return q.draw(q.mean, phi[n:], g, z)
}

// g is seen through the model's density of z, as e/ρ times the weight, and D/ρ reaches μ through ḡ.
func (q *meanfield) adjoint(_, adj, own, w, early, grad, dmu []float64) {
	n := q.len()
	q.gradient(adj, grad[:n], grad[n:])
	for _, c := range q.cuts {
		vec.ScaleAdd(c.Len(), span(w, c), q.weight/c.Rho, span(q.e, c), span(own, c))
		vec.Scale(c.Len(), span(q.seed, c), span(grad, c), 1/c.Rho)
	}
	q.pulls.Pull(density.Centre, q.seed, dmu)
	if len(early) > 0 {
		q.pullEarly(early)
	}
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ: in the value of log q(z | γ) the path's ε/s cancels.
func (q *meanfield) pullEarly(early []float64) {
	for _, c := range q.cuts {
		vec.Scale(c.Len(), span(q.seed, c), span(q.de, c), 1/c.Rho)
	}
	q.pulls.PullEarly(density.Centre, q.seed, early)
}
