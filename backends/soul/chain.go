package soul

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// A state is a point of a Langevin chain, with what was evaluated there.
type state struct {
	theta    []float64
	grad     []float64 // of lp
	g        []float64 // the cuts
	received []float64 // derivatives by what the block received
	lp       float64   // log N(z; g, ρ²) + the block's own log density, up to a constant
	own      float64   // the latter
}

func newState(dim, aux, received int) *state {
	return &state{theta: make([]float64, dim), grad: make([]float64, dim), g: make([]float64, aux),
		received: make([]float64, received)}
}

// A chain is one Langevin chain of a client's θ given z. It goes on from one iteration to the next. Without
// the correction spare is the state before, which a step that leads to no finite density returns to.
type chain struct{ at, spare *state }

func (c *chain) swap() { c.at, c.spare = c.spare, c.at }

// evaluate fills a state from its theta, given z and what the client received last. It reports whether all is
// finite.
func (p *party) evaluate(s *state) bool {
	s.own = p.local.Local(s.theta, s.g, p.own)
	s.lp = s.own
	for _, c := range p.cuts {
		z, g, own, w := span(p.x, c), span(s.g, c), span(p.own, c), span(p.w, c)
		r := 1 / (c.Rho * c.Rho)
		squares := 0.0
		for i, v := range z {
			d := v - g[i]
			squares += float64(d * d)
			w[i] = own[i] + float64(r*d)
		}
		s.lp -= float64(0.5 * r * squares)
	}
	p.local.Gradient(p.w, s.grad)
	p.local.ReceivedGradient(s.received)
	return finite(s.lp + square(s.grad))
}

// walk makes steps of a chain, and hands every state to record, except those without a finite density.
func (p *party) walk(c *chain, steps int) {
	if p.corrected {
		p.walkCorrected(c, steps)
		return
	}
	for range steps {
		if !p.evaluate(c.at) {
			p.bad++
			c.swap()
			if !p.evaluate(c.at) {
				copy(c.spare.theta, c.at.theta)
				continue
			}
		}
		p.record(c.at)
		p.propose(c.at, c.spare.theta)
		c.swap()
	}
}

// walkCorrected is the Metropolis-adjusted chain (Roberts and Tweedie 1996). What is given may have changed
// since its last step, so it evaluates where it stands first.
func (p *party) walkCorrected(c *chain, steps int) {
	if !p.evaluate(c.at) {
		p.bad++
		return
	}
	for range steps {
		p.propose(c.at, c.spare.theta)
		u := p.noise.Float64()
		if !p.evaluate(c.spare) {
			p.bad++
		} else if portable.Log(1-u) < p.ratio(c.at, c.spare) {
			c.swap()
		}
		p.record(c.at)
	}
}

// propose sets to = θ + h∇ + √(2h)ξ.
func (p *party) propose(from *state, to []float64) {
	p.noise.Normals(p.xi)
	s := p.sign * math.Sqrt(2*p.h)
	for i, t := range from.theta {
		to[i] = t + float64(p.h*from.grad[i]) + float64(s*p.xi[i])
	}
}

// ratio is the log of Metropolis and Hastings' ratio for a move from a to b.
func (p *party) ratio(a, b *state) float64 {
	forth, back := 0.0, 0.0
	for i, t := range a.theta {
		d := b.theta[i] - t
		f, r := d-float64(p.h*a.grad[i]), -d-float64(p.h*b.grad[i])
		forth += float64(f * f)
		back += float64(r * r)
	}
	return b.lp - a.lp + (forth-back)/(4*p.h)
}

// record adds a state to the means of the iteration.
func (p *party) record(s *state) {
	p.recorded++
	p.lp += s.own
	add(p.meanG, s.g)
	add(p.answer, s.received)
}

func add(to, from []float64) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] += v
	}
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

func square(v []float64) float64 { return dot(v, v) }

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	t := 0.0
	for i, v := range a {
		t += float64(v * b[i])
	}
	return t
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
