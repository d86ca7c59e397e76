package sfvi

import (
	"math"

	"github.com/vflc/vflc/backends"
	vec "github.com/vflc/vflc/runtime/kernel"
	"github.com/vflc/vflc/runtime/rng"
)

// fullRankLimit is the most dimensions of a party for which q(θ) has a full covariance unless asked for: the cost of an iteration is
// quadratic in them.
const fullRankLimit = 200

// firstSD is the sd of every coordinate of q(θ) at the start: narrow enough that no link overflows, wide enough to give a gradient.
const firstSD = 0.1

// A source is a kind of noise; each is a stream of its own, in which round r belongs to draw r.
type source int

const (
	fitting source = iota // iterations
	tracing               // the ELBO trace
	drawing               // the final ELBO and the draws from the fit
	starting
	sources
)

var sourceNames = [sources]string{"sfvi", "sfvi trace", "sfvi draw", "sfvi start"}

// A party is one block with its factors of q and their optimiser.
type party struct {
	block   backends.Block
	theta   gaussian
	guide   guide // nil without auxiliary variables
	phi     []float64
	grad    []float64 // of one draw
	slope   []float64 // mean of the gradients of an iteration's draws: grad itself where there is one
	mean    []float64 // running mean of phi over the tail
	opt     adam
	ratio   float64   // of the last draw: log p's auxiliary terms − log q
	cut     []float64 // of a draw whose auxiliary variables are wanted
	streams [sources]*rng.Stream
	noisy   bool   // the noise in theta.eps and in the guide is that of fitting's round …
	round   uint64 // … with this number, or its opposite if
	turned  bool
}

func newParty(env backends.Env, b int, s backends.Settings, form string) (*party, error) {
	block := env.Blocks()[b]
	full := s.Text(thetaGuide) == "fullrank" || (s.Text(thetaGuide) == "auto" && block.Dim() <= fullRankLimit)
	p := &party{block: block, theta: newGaussian(block.Dim(), full)}
	size := p.theta.size()
	if block.AuxLen() > 0 {
		g, err := newGuide(form, block, s)
		if err != nil {
			return nil, err
		}
		p.guide = g
		p.cut = make([]float64, block.AuxLen())
		size += g.size()
	}
	p.phi, p.grad, p.mean, p.opt = make([]float64, size), make([]float64, size), make([]float64, size), newAdam(size)
	p.slope = p.grad
	if s.Int(mcSamples) > 1 {
		p.slope = make([]float64, size)
	}
	for k, name := range sourceNames {
		p.streams[k] = env.Private(b, name)
	}
	return p, nil
}

// start sets the initial q. Attempt 0 is centred at 0; later ones at a uniform draw from (−2, 2), as Stan's initial values.
func (p *party) start(attempt uint64) {
	from := p.streams[starting]
	from.Round(attempt)
	clear(p.phi)
	d := p.theta.dim
	for i := range d {
		if attempt > 0 {
			p.phi[i] = 4*from.Float64() - 2
		}
		p.phi[d+i] = math.Log(firstSD)
	}
	if p.guide != nil {
		p.guide.start(p.phi[p.theta.size():], from)
	}
}

// draw sets theta from round r of a stream, and readies the noise of z. Draws of the fit come in pairs with opposite noise: what the gradient has of
// odd order in the noise, most of its variance in the means, then cancels within two steps, or within one step of two draws, and from the averaged
// iterates almost wholly.
func (p *party) draw(from source, r uint64, theta []float64) {
	opposite := from == fitting && r%2 == 1
	if from == fitting {
		r /= 2
	}
	if !p.noisy || from != fitting || r != p.round {
		p.fill(from, r)
	}
	if opposite != p.turned {
		p.turn()
	}
	p.ratio = p.theta.draw(p.phi, theta)
}

// fill sets all noise to that of round r of a stream.
func (p *party) fill(from source, r uint64) {
	s := p.streams[from]
	s.Round(r)
	s.FillNormals(p.theta.eps)
	if p.guide != nil {
		s.FillNormals(p.guide.noise())
	}
	p.noisy, p.round, p.turned = from == fitting, r, false
}

// turn changes the sign of all noise.
func (p *party) turn() {
	vec.Neg(len(p.theta.eps), p.theta.eps, p.theta.eps)
	if p.guide != nil {
		eps := p.guide.noise()
		vec.Neg(len(eps), eps, eps)
	}
	p.turned = !p.turned
}

// sample sets theta to that of round r of a stream, without readying the noise of z.
func (p *party) sample(from source, r uint64, theta []float64) {
	s := p.streams[from]
	s.Round(r)
	s.FillNormals(p.theta.eps)
	p.noisy, p.turned = false, false
	p.theta.draw(p.phi, theta)
}

// mu is the mean of q(θ).
func (p *party) mu() []float64 { return p.phi[:p.theta.dim] }

// aux is the part of phi, or of its gradient, that belongs to the guide of z.
func (p *party) aux(v []float64) []float64 { return v[p.theta.size():] }

// finish completes the gradient from that of the density in θ, and reports whether all of it is finite and can be squared.
func (p *party) finish(v []float64) bool {
	p.theta.gradient(p.phi, v, p.grad)
	return finite(vec.Dot(len(p.grad), p.grad, p.grad))
}

// collect takes the gradient of draw d of an iteration, counted from 0, into their mean.
func (p *party) collect(d int) {
	if d == 0 {
		copy(p.slope, p.grad)
		return
	}
	vec.Approach(len(p.grad), p.slope, 1/float64(d+1), p.grad)
}

func finite(x float64) bool { return x-x == 0 }

// average includes the current phi as the k-th member of the running mean.
func (p *party) average(k int) {
	vec.Approach(len(p.phi), p.mean, 1/float64(k), p.phi)
}
