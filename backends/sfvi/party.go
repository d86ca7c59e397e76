package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
	"math"
)

// fullRankLimit is the most dimensions of a party for which q(θ) has a full covariance unless asked for. The
// cost of an iteration is quadratic in them, and so is the number of gradients whose noise adds up: with
// contributions that are not affine, as of a network, whose posterior is far from normal, a full covariance
// of more dimensions ends at a lower ELBO than a diagonal one.
func fullRankLimit(block density.Block) int {
	if c, ok := block.(density.DifferentiableCuts); ok && !c.Affine() {
		return 50
	}
	return 200
}

// firstSD is the sd of every coordinate of q(θ) at the start: narrow enough that no link overflows, wide
// enough to give a gradient.
const firstSD = 0.1

// A source is a kind of noise; each is a stream of its own, in which round r belongs to draw r.
type source int

const (
	fitting source = iota // iterations
	tracing               // the ELBO trace
	drawing               // the final ELBO and the draws from the fit
	starting
	validating // scores of rows that are held out
	sources
)

var sourceNames = [sources]string{"sfvi", "sfvi trace", "sfvi draw", "sfvi start", "sfvi held-out"}

// A party is one block with its factors of q, and the shards of it that are evaluated.
type party struct {
	*shard  // of the current evaluation
	whole   *shard
	windows []*shard // none where every evaluation is of all rows
	theta   gaussian
	initial density.Stream // of the weights; nil without
	own     *factor        // of q(θ)
	last    *rest          // of q(θ) in the last iterations
	ratio   float64        // of the last draw: log p's auxiliary terms − log q
	square  float64        // of the last gradient of the guide
	cut     []float64      // of a draw whose auxiliary variables are asked for
	streams [sources]density.Stream
	scales  []float64 // of the draws that are weighed; nil: there are none
	// The guide's noise is made when it is used, by then in a goroutine of the party's own where there are
	// several: filled from a stream that is not nil.
	from   density.Stream
	noisy  bool   // the noise in theta.eps and in the guide is that of fitting's round …
	round  uint64 // … with this number, or its opposite if
	turned bool
}

func newParty(env density.Env, b int, s backends.Settings) (*party, error) {
	block := env.Blocks()[b]
	weights := block.Weights()
	p := &party{theta: thetaOf(block, weights, s), cut: make([]float64, block.AuxLen())}
	whole, err := newShard(block, s, 1)
	if err != nil {
		return nil, err
	}
	apart := density.AsPipelined(env).Apart()
	p.own, whole.vars = newFactor(p.theta.size(), apart), newFactor(whole.size(), apart)
	p.whole, p.shard, p.last = whole, whole, newRest(p.theta)
	for k, name := range sourceNames {
		p.streams[k] = env.Private(b, name)
	}
	if len(weights) > 0 {
		p.initial = env.Private(b, "sfvi weights")
	}
	return p, nil
}

// formOf is the form of a party's q(θ) of so many random dimensions in a fit by draws.
func formOf(block density.Block, dim int, s backends.Settings) string {
	form := s.Text(thetaGuide)
	switch {
	case form != auto:
		return form
	case dim <= fullRankLimit(block):
		return fullRank
	}
	return "meanfield"
}

// thetaOf makes q(θ) in the form of the settings.
func thetaOf(block density.Block, weights []int, s backends.Settings) gaussian {
	return newGaussian(block.Dim(), weights, formOf(block, block.Dim()-len(weights), s) == fullRank)
}

// start sets the initial q. Attempt 0 is centred at 0; later ones at a uniform draw from (−2, 2), as Stan's
// initial values. Weights begin at values of their kind, drawn anew for each attempt.
func (p *party) start(attempt uint64) {
	from := p.streams[starting]
	from.Round(attempt)
	mean, logs := p.mu(), p.own.phi[p.theta.all:]
	clear(p.own.phi)
	for i := range p.theta.dim {
		if attempt > 0 {
			mean[p.theta.coordinate(i)] = float64(4*from.Float64()) - 2
		}
		logs[i] = portable.Log(firstSD)
	}
	if p.initial != nil {
		p.initial.Round(attempt)
		p.whole.block.StartWeights(mean, p.initial)
	}
	if p.guide == nil {
		return
	}
	p.whole.guide.start(p.whole.vars.phi, from)
	for _, w := range p.windows {
		if w.vars != p.whole.vars {
			w.guide.start(w.vars.phi, from)
		}
	}
}

// draw sets theta from round r of a stream, and fills the noise of z. Draws of the fit come in pairs with
// opposite noise: what the gradient has of odd order in the noise, most of its variance in the means, then
// cancels within two steps, and from the averaged iterates almost wholly.
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
	p.ratio = p.theta.draw(p.own.phi, theta)
}

// fill sets all noise to that of round r of a stream.
func (p *party) fill(from source, r uint64) {
	s := p.streams[from]
	s.Round(r)
	s.FillNormals(p.theta.eps)
	if from == drawing {
		p.scale(r)
	}
	if p.guide != nil {
		p.from = s
	}
	p.noisy, p.round, p.turned = from == fitting, r, false
}

// turn changes the sign of all noise: that of the guide when it is used.
func (p *party) turn() {
	vec.Neg(len(p.theta.eps), p.theta.eps, p.theta.eps)
	p.turned = !p.turned
}

// value sets z from the cut g by the guide, with the noise of the latest draw, and returns what that adds to
// the ratio.
func (p *party) value(g, z []float64) float64 {
	by := p.vars.step()
	if p.from != nil {
		p.from.FillNormals(p.guide.noise())
		p.from = nil
	}
	p.guide.turn(p.turned)
	return p.guide.value(p.mu(), p.vars.phi, by, g, z)
}

// scale gives draw r the tails of the proposal, where draws have these.
func (p *party) scale(r uint64) {
	if r < uint64(len(p.scales)) {
		vec.Scale(len(p.theta.eps), p.theta.eps, p.theta.eps, p.scales[r])
	}
}

// sample sets theta to that of round r of a stream, with the tails of the proposal if it is of that, and
// leaves the noise of z alone.
func (p *party) sample(from source, r uint64, proposed bool, theta []float64) {
	s := p.streams[from]
	s.Round(r)
	s.FillNormals(p.theta.eps)
	if proposed {
		p.scale(r)
	}
	p.from = nil // which may be that stream
	p.noisy, p.turned = false, false
	p.theta.draw(p.own.phi, theta)
}

// mu is the mean of q(θ), the weights included.
func (p *party) mu() []float64 { return p.own.phi[:p.theta.all] }

// dmu is the gradient of mu.
func (p *party) dmu() []float64 { return p.own.grad[:p.theta.all] }

// steepest is the largest sum of squares of a gradient that is followed: times what the optimiser divides
// squares by, for any rate, it is finite.
const steepest = 0x1p900

// finish completes the gradient from that of the density in θ, and reports whether all of it is finite and
// can be squared.
func (p *party) finish(v []float64) bool {
	p.theta.gradient(p.own.phi, v, p.own.grad)
	return square(p.own.grad)+p.square <= steepest
}

func square(v []float64) float64 { return vec.Dot(len(v), v, v) }

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
