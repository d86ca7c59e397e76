package soul

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// A party is one block with what it moves towards the maximum: a client its z, the server its γ. A client has
// Langevin chains beside.
type party struct {
	iterate
	block   density.Block
	local   density.LocalDensity // of a client
	cuts    []density.Cut
	initial density.Stream // of initial values
	weights density.Stream // of those of weights
	// the θ of evaluations outside the chains: the first chain's, or at the server γ itself
	theta []float64
	metric

	// of a client
	chains    []*chain
	corrected bool
	h         float64 // step size of the chains
	lambda    float64 // the curvature that it is for
	tuning    bool    // and it may change
	noise     density.Stream
	round     int // of noise
	own, w    []float64
	xi        []float64
	sign      float64   // of the noise
	top       []float64 // direction of the largest curvature of θ given z
	work      [2]*state
	meanG     []float64 // over the states of an iteration
	followed  []float64 // the z for which the chains are where they are
	answer    []float64
	lp        float64
	recorded  int
	bad       int // evaluations that were not finite
}

func newParty(env density.Env, b int, s backends.Settings) (*party, error) {
	block := env.Blocks()[b]
	p := &party{block: block, cuts: block.Cuts(), corrected: s.Bool(mala), h: 1,
		initial: env.Private(b, "soul start"), weights: env.Private(b, "soul weights")}
	dim, aux := block.Dim(), block.AuxLen()
	if p.server() {
		block.Jacobian(false)
		p.iterate = newIterate(dim)
		p.short = true
		p.theta = p.x
		p.metric = newServerMetric(dim)
		return p, nil
	}
	var err error
	if p.local, err = density.RequireOf[density.LocalDensity](block); err != nil {
		return nil, err
	}
	if p.metric, err = newClientMetric(block); err != nil {
		return nil, err
	}
	received := p.local.Received()
	p.iterate = newIterate(aux)
	p.noise = env.Private(b, "soul")
	for range s.Int(innerChains) {
		p.chains = append(p.chains, &chain{newState(dim, aux, received), newState(dim, aux, received)})
	}
	p.theta, p.top = make([]float64, dim), make([]float64, dim)
	p.work = [2]*state{newState(dim, aux, received), newState(dim, aux, received)}
	p.own, p.w, p.xi, p.answer = make([]float64, aux), make([]float64, aux), make([]float64, dim),
		make([]float64, received)
	p.meanG, p.followed = make([]float64, aux), make([]float64, aux)
	return p, nil
}

func (p *party) server() bool { return p.block.Index() == 0 }

// move has all chains make some steps, with the noise of the next round. Paired chains have opposite noise:
// what the mean of a pair has of odd order in the noise cancels, which is all where θ given z is normal. Each
// chain by itself is what it would be without the other.
func (p *party) move(steps int, paired bool) {
	first := uint64(p.round) * uint64(len(p.chains))
	p.round++
	for i, c := range p.chains {
		of := i
		p.sign = 1
		if paired {
			of = i / 2
			if i%2 == 1 {
				p.sign = -1
			}
		}
		p.noise.Round(first + uint64(of))
		p.walk(c, steps)
	}
}

// start sets θ, or γ: at 0 in attempt 0, later uniform in (−2, 2), as Stan's initial values; then place sets
// what has a starting value.
func (p *party) start(attempt uint64, place func(theta []float64)) {
	p.initial.Round(attempt)
	clear(p.theta)
	for i := range p.theta {
		if attempt > 0 {
			p.theta[i] = float64(4*p.initial.Float64()) - 2
		}
	}
	if p.server() {
		p.startWeights(attempt)
	}
	place(p.theta)
	for _, c := range p.chains {
		copy(c.at.theta, p.theta)
		copy(c.spare.theta, p.theta)
	}
}

// startWeights sets the weights of the server to values of their kinds, drawn anew for each attempt.
func (p *party) startWeights(attempt uint64) {
	if len(p.block.Weights()) == 0 {
		return
	}
	p.weights.Round(attempt)
	p.block.StartWeights(p.theta, p.weights)
}

// runChains makes steps of all chains of a client and leaves the means over their states.
func (p *party) runChains(steps int, answer []float64) float64 {
	p.follow()
	clear(p.meanG)
	clear(p.answer)
	p.lp, p.recorded = 0, 0
	if p.tuning && len(p.theta) > 0 {
		p.tuneChains(1)
	}
	p.move(steps, true)
	copy(p.theta, p.chains[0].at.theta)
	by := 1 / float64(p.recorded)
	if p.recorded == 0 {
		by = math.NaN() // the gradient is then not finite, and nobody moves
	}
	scale(p.meanG, by)
	scale(p.answer, by)
	copy(answer, p.answer)
	return p.lp * by
}

// follow moves the chains with z, by what its move adds to the mean of θ given z: (XᵀRX + Λ)⁻¹XᵀR Δz. The
// steps of an iteration do not bring a chain all the way to its law for the new z. What is missing would
// count in ∂L/∂z as (E g − z)/ρ², which for a small rho outweighs the curvature that the metric is for. Where
// the cut is not affine the metric counts all of 1/ρ², and the chains stay.
func (p *party) follow() {
	if p.follows {
		for _, c := range p.cuts {
			r := 1 / (c.Rho * c.Rho)
			z, before, seed := span(p.x, c), span(p.followed, c), span(p.seed, c)
			for i, v := range z {
				seed[i] = r * (v - before[i])
			}
		}
		clear(p.unknown)
		p.block.Cut(density.Centre, p.unknown, p.origin)
		p.pulls.Pull(density.Centre, p.seed, p.unknown)
		p.law.Solve(p.unknown)
		for _, c := range p.chains {
			add(c.at.theta, p.unknown)
			add(c.spare.theta, p.unknown)
		}
	}
	copy(p.followed, p.x)
}

// setGradient completes the gradient by z from the adjoint.
func (p *party) setGradient(adj []float64) {
	for _, c := range p.cuts {
		z, g, adj, grad := span(p.x, c), span(p.meanG, c), span(adj, c), span(p.grad, c)
		r := 1 / (c.Rho * c.Rho)
		for i, v := range z {
			grad[i] = float64(r*(g[i]-v)) + adj[i]
		}
	}
	if p.recorded == 0 {
		p.grad[0] = math.NaN()
	}
}

// span returns the part of v that belongs to a cut.
func span(v []float64, c density.Cut) []float64 { return v[c.Offset : c.Offset+c.Len()] }
