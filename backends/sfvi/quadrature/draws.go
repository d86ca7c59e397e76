package quadrature

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Draw implements backends.Kernel.
func (k *Kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		mine, phi := make([]float64, p.d), make([]float64, len(p.lin.Globals.Index))
		if p.sample != nil && k.batched() {
			from := importance.Reflected
			if k.proposing && !k.normal {
				from = k.proposed
			}
			from(p.sample.start, p.d, id, mine)
			if len(phi) > 0 {
				from(k.server.globals.sample, len(phi), id, phi)
			}
		} else {
			k.noise[b].Round(uint64(id))
			p.draw(k.noise[b], mine)
			if len(phi) > 0 {
				k.server.globals.draw(k.noise[b], phi)
			}
		}
		p.scatter(mine, phi, theta[b])
	}
}

// scatter writes the elements of the block's θ.
func (p *party) scatter(mine, phi, theta []float64) {
	for k, i := range p.lin.Index {
		theta[i] = mine[k]
	}
	for k, i := range p.lin.Globals.Index {
		theta[i] = phi[k]
	}
}

// draw sets theta to a draw from q(θ).
func (p *party) draw(from density.Stream, theta []float64) {
	copy(p.q.precision.Lower, p.now.factor)
	from.FillNormals(theta)
	p.q.precision.Backward(theta)
	vec.Accumulate(p.d, theta, p.now.theta)
}

// Auxiliary implements backends.Kernel: z given θ under the fit.
func (k *Kernel) Auxiliary(_ context.Context, id int, z [][]float64) error {
	theta := make([][]float64, len(k.parties))
	for b, p := range k.parties {
		theta[b] = make([]float64, p.block.Dim())
	}
	k.Draw(id, theta)
	for b, p := range k.parties {
		from := k.env.Private(b, "sfvi auxiliary")
		from.Round(uint64(id))
		from.FillNormals(z[b])
		s := p.now
		if p.bare() { // nothing but the cuts crosses
			continue
		}
		algebra.Apply(&p.lin.Cuts, theta[b], p.g)
		algebra.Apply(&p.lin.Cuts, s.theta, p.residual)
		for i := range z[b] {
			z[b][i] = s.z[i] + float64(s.regression[i]*(p.g[i]-p.residual[i])) +
				float64(math.Sqrt(s.remainder[i])*z[b][i])
		}
	}
	return nil
}

// Ratios implements backends.Weighted: those of the draws, the auxiliary variables integrated out.
func (k *Kernel) Ratios() []float64 { return k.ratios }

// Propose implements backends.Weighted.
func (k *Kernel) Propose(on bool) { k.proposing = on }

// Correctable implements backends.Weighted.
func (k *Kernel) Correctable() (bool, error) { return k.options.Correct, k.options.Unfit }

// Several reports whether the posterior may have several modes: priors are normal, so that it has one where
// the likelihood is log-concave.
func (k *Kernel) Several() bool { return k.convex }

// Save implements backends.Kernel.
func (k *Kernel) Save(w io.Writer) error { return backends.SaveState(w, k.heading(), k.state) }

// heading is a line that two kernels share if one can load what the other saved.
func (k *Kernel) heading() string {
	text := k.options.Heading
	for _, p := range k.parties {
		text += fmt.Sprintf("; %s %d %d", p.block.Party(), p.d, p.n)
	}
	return text
}

// Load implements backends.Kernel.
func (k *Kernel) Load(r io.Reader) error { return backends.LoadState(r, k.heading(), k.state) }

// state carries everything that a Step reads and an earlier one wrote.
func (k *Kernel) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.iter, &k.verdict)
	c.Float(&k.damping, &k.elbo, &k.rise)
	c.Bool(&k.reached)
	c.Floats(k.mix)
	c.Floats(k.noiseOf)
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	ended := k.phase != fitting && k.evaluated()
	for _, p := range k.parties {
		for _, r := range p.rows {
			if r.begin(); k.phase == done && k.evaluated() {
				r.rest(true)
			}
		}
		if ended {
			p.rest()
		} else if p.best == nil {
			p.begin()
		}
		p.carry(c)
	}
	if s := k.server; s != nil {
		if ended {
			s.endSpan()
		} else if s.span == nil && !k.options.AtClients {
			s.begin()
		}
		s.carryServer(c)
	}
	k.carryEvaluation(c)
}

// carryEvaluation carries the draws and their ratios, once there are any.
func (k *Kernel) carryEvaluation(c *backends.Codec) {
	if k.phase != done || !k.evaluated() {
		return
	}
	if c.Bool(&k.exact); k.exact {
		k.size = k.crossing * k.sets
	}
	for _, p := range k.parties {
		if p.sample == nil {
			columns := 1 + k.size/2
			p.sample = &sample{columns: columns, start: make([]float64, columns*p.d)}
		}
		c.Floats(p.sample.start)
	}
	if s := k.server; s != nil && s.globals != nil {
		if s.globals.sample == nil {
			s.globals.sample = make([]float64, (1+k.size/2)*s.globals.m)
		}
		c.Floats(s.globals.sample)
	}
	if k.options.Weigh {
		c.Bool(&k.normal)
		c.Bool(&k.convex)
		n := len(k.ratios)
		c.Ints(&n)
		if n < 0 || n > k.size {
			c.Fail(errors.New("a number of weights that the fit does not make"))
			return
		}
		k.ratios = slices.Grow(k.ratios[:0], n)[:n]
		c.Floats(k.ratios)
		k.vain = n < k.size
	}
}

func (p *party) carry(c *backends.Codec) {
	for _, s := range []*state{p.now, p.best, p.next} {
		if s == nil { // the fit has ended
			continue
		}
		for _, v := range s.vectors() {
			c.Floats(v)
		}
		c.Float(&s.entropy, &s.value)
	}
	c.Bool(&p.failed)
	c.Ints(&p.trail.used)
	for _, m := range p.trail.values {
		c.Floats(m.theta)
		c.Floats(m.z)
		for _, eta := range m.eta {
			c.Floats(eta)
		}
	}
	for _, r := range p.rows {
		for _, v := range r.whole() {
			c.Floats(*v)
		}
	}
	c.Floats(p.q.precision.Lower)
}

func (s *server) carryServer(c *backends.Codec) {
	c.Float(&s.damping, &s.elbo, &s.rise, &s.blur)
	c.Ints(&s.calm, &s.rejected)
	for _, v := range [][]float64{s.g, s.h} {
		c.Floats(v)
	}
	if s.globals != nil {
		s.globals.carry(c)
	}
	if s.span == nil {
		return
	}
	c.Ints(&s.span.used)
	c.Floats(s.span.mix)
	for k := range s.span.sums {
		for _, v := range s.span.sums[k] {
			c.Floats(v)
		}
		c.Floats(s.span.terms[k])
	}
}
