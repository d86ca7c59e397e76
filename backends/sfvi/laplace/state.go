package laplace

import (
	"errors"
	"fmt"
	"io"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// Save implements backends.Kernel.
func (k *Kernel) Save(w io.Writer) error { return backends.SaveState(w, k.heading(), k.state) }

// Load implements backends.Kernel.
func (k *Kernel) Load(r io.Reader) error { return backends.LoadState(r, k.heading(), k.state) }

// heading is a line that two kernels share if one can load what the other saved.
func (k *Kernel) heading() string {
	text := k.options.Heading
	for _, p := range k.parties {
		text += fmt.Sprintf("; %s %d %d", p.block.Party(), p.d, p.n)
	}
	return text
}

// list carries a vector of at most so many numbers.
func list(c *backends.Codec, v *[]float64, most int) {
	n := len(*v)
	if c.Ints(&n); n < 0 || n > most {
		c.Fail(errors.New("a list that is longer than the fit makes"))
		return
	}
	if len(*v) != n {
		*v = make([]float64, n)
	}
	c.Floats(*v)
}

// mostIterations bounds what a damaged checkpoint can make Load allocate.
const mostIterations = 1 << 20

// state carries everything that a Step reads and an earlier one wrote.
func (k *Kernel) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.evaluations, &k.halved, &k.weights, &k.weighed, &k.mix.n, &k.averaged)
	if k.mix.n < 0 || k.mix.n > room || k.weighed < 0 || k.weighed > 2*k.pairs {
		c.Fail(errors.New("more steps or weights than the fit makes"))
		return
	}
	for i := range k.hypers {
		c.Ints(&k.hypers[i])
	}
	c.Ints(&k.owner, &k.receives)
	for _, b := range []*bool{&k.opening, &k.asked, &k.converged, &k.valued, &k.normal, &k.vain, &k.tooLong} {
		c.Bool(b)
	}
	c.Float(&k.curvature, &k.scale, &k.decrement, &k.evidence)
	list(c, &k.mix.gram, room*room)
	list(c, &k.mix.decrements, mostIterations)
	list(c, &k.ratios, 2*k.pairs)
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	for _, p := range k.parties {
		p.carry(c, k)
	}
	if k.server != nil {
		k.server.carry(c, k)
	}
}

func (p *party) carry(c *backends.Codec, k *Kernel) {
	for _, v := range [][]float64{p.theta, p.base, p.grad} {
		c.Floats(v)
	}
	for _, vs := range []*[][]float64{&p.points, &p.steps} {
		for len(*vs) < k.mix.n {
			*vs = append(*vs, make([]float64, p.d))
		}
		for _, v := range (*vs)[:k.mix.n] {
			c.Floats(v)
		}
	}
	list(c, &p.sample, (1+k.pairs)*p.d)
	p.carryEffects(c, k)
	if p.block.Index() > 0 && !c.Failed() && !p.precondition(k.curvature) {
		c.Fail(p.undetermined())
	}
}

func (s *server) carry(c *backends.Codec, k *Kernel) {
	c.Ints(&s.opened, &s.reject)
	c.Float(&s.least, &s.weight, &s.skew, &s.rise, &s.rest)
	list(c, &s.speeds, mostIterations)
	list(c, &s.squares, k.pairs)
	c.Bool(&s.apartEffects)
	list(c, &s.logs, 2*k.pairs)
	for _, v := range [][]float64{s.priors, s.fresh, s.h.Matrix, s.h.Lower, s.own.Lower, s.grad, s.base,
		s.step, s.moved, s.summed} {
		c.Floats(v)
	}
}
