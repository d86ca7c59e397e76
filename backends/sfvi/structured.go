package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// structured is e_i = m_i + a_i(g_i − ḡ_i) + s_i ε_i: z given θ is regressed on its own row's contribution. For a Gaussian likelihood this is
// the exact conditional of the best Gaussian for (θ, z) of one client. phi: m, a, then log s.
type structured struct {
	aux
	pulls  density.DifferentiableCuts
	centre []float64 // ḡ
	diff   []float64 // g − ḡ
	mean   []float64 // of e
	seed   []float64 // of a pull at the centre
}

func newStructured(b density.Block, _ backends.Settings) (guide, error) {
	pulls, err := density.RequireOf[density.DifferentiableCuts](b)
	n := b.AuxLen()
	return &structured{
		aux: newAux(b), pulls: pulls, centre: make([]float64, n), diff: make([]float64, n), mean: make([]float64, n), seed: make([]float64, n),
	}, err
}

func (q *structured) size() int { return q.each() * q.len() }

func (q *structured) each() int { return 3 }

func (q *structured) start(phi []float64, _ density.Stream) { clear(phi) }

func (q *structured) value(mu, phi, g, z []float64) float64 {
	n := q.len()
	q.block.Cut(density.Centre, mu, q.centre)
	vec.Sub(n, q.diff, g, q.centre)
	vec.FMA(n, q.mean, phi[n:], q.diff, phi)
	return q.draw(q.mean, phi[2*n:], g, z)
}

// ∂a = D(g − ḡ). The value of θ also enters log q(z | θ), which takes aε/s from the path aD, so the seed on g is adj + own + a∇e. ḡ is
// differentiated along the path: −Jᵀ(aD) reaches μ.
func (q *structured) adjoint(phi, adj, own, w, early, grad, dmu []float64) {
	n := q.len()
	a := phi[n:]
	q.gradient(adj, grad[:n], grad[2*n:])
	vec.Mul(n, grad[n:], grad, q.diff)
	vec.Add(n, w, adj, own)
	vec.MulAdd(n, w, a, q.de)
	q.minus(a, grad)
	q.pulls.Pull(density.Centre, q.seed, dmu)
	if len(early) > 0 {
		q.pullEarly(a, early)
	}
}

// minus sets the seed to −a·d.
func (q *structured) minus(a, d []float64) {
	n := q.len()
	vec.Mul(n, q.seed, a, d)
	vec.Neg(n, q.seed, q.seed)
}

// pullEarly gives shared parameters inside the cuts what reaches them through ḡ. They have a distribution of their own, so ḡ's dependence on
// their value counts in log q(z | θ, γ) too, and the seed is −a∇e.
func (q *structured) pullEarly(a, early []float64) {
	q.minus(a, q.de)
	q.pulls.PullEarly(density.Centre, q.seed, early)
}
