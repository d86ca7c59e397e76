package soul

import (
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// state carries everything that a Step reads and an earlier one wrote. Noise needs its round only.
func (k *kernel) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.iter, &k.planned, &k.local, &k.check, &k.climbed, &k.averaged, &k.seen, &k.compared,
		&k.counts[0], &k.counts[1], &k.counts[2], &k.lost, &k.bad, &k.draws, &k.mode.Gradient.N,
		&k.mode.Iterations)
	c.Bool(&k.mode.Converged)
	c.Float(&k.square, &k.noise, &k.mode.Gradient.Value, &k.mode.Gradient.SE)
	if k.phase < sampling {
		k.memory = density.Remember(k.env, k.memory)
	}
	c.Remembered(k.env, &k.memory)
	k.survey.state(c)
	for _, p := range k.parties {
		p.state(c)
	}
}

func (s *survey) state(c *backends.Codec) {
	n := len(s.columns)
	c.Ints(&s.gamma, &s.members, &n)
	if n < 0 || n > mostSums {
		c.Fail(fmt.Errorf("it has %d sums", n))
		return
	}
	for len(s.columns) < n {
		s.columns = append(s.columns, 0)
	}
	for i := range s.columns {
		c.Ints(&s.columns[i])
	}
}

// mostSums bounds the memory that a damaged checkpoint can make Load allocate.
const mostSums = 1 << 16

func (p *party) state(c *backends.Codec) {
	for _, v := range [][]float64{p.x, p.old, p.oldDir, p.mean, p.half, p.windows[0], p.windows[1],
		p.windows[2], p.first, p.then, p.bound, p.inner.Lower, p.law.Lower, p.followed, p.theta, p.top} {
		c.Floats(v)
	}
	c.Float(&p.oldSlope, &p.recent, &p.undoneSlope, &p.damping, &p.slopes, &p.flat, &p.h, &p.lambda)
	c.Ints(&p.round, &p.bad)
	c.Bool(&p.dense)
	c.Bool(&p.follows)
	for _, ch := range p.chains {
		c.Floats(ch.at.theta)
		c.Floats(ch.spare.theta)
	}
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *kernel) heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "vflc soul checkpoint 3: %s", k.settings)
	for _, p := range k.parties {
		fmt.Fprintf(&b, "; %s %d %d", p.block.Party(), p.block.Dim(), p.block.AuxLen())
	}
	return b.String()
}

// Save implements backends.Kernel.
func (k *kernel) Save(w io.Writer) error { return backends.SaveState(w, k.heading(), k.state) }

// Load implements backends.Kernel. The error names what does not fit this run.
func (k *kernel) Load(r io.Reader) error {
	if err := backends.LoadState(r, k.heading(), k.state); err != nil {
		return fmt.Errorf("soul: %w", err)
	}
	k.stale = true
	return nil
}
