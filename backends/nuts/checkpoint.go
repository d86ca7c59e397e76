package nuts

import (
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/backends/checkpoint"
)

// Save implements backends.Kernel. The streams need nothing: their rounds are numbered by the transition.
func (k *kernel) Save(w io.Writer) error { return checkpoint.Save(w, k.heading(), k.state) }

// Load implements backends.Kernel. The error says where the checkpoint does not fit this run.
func (k *kernel) Load(r io.Reader) error {
	if err := checkpoint.Load(r, k.heading(), k.state); err != nil {
		return fmt.Errorf("nuts: %w", err)
	}
	return nil
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *kernel) heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "vflc nuts checkpoint 1: %s", k.settings)
	for _, s := range k.shares {
		fmt.Fprintf(&b, "; %s %d %d", s.block.Party(), s.block.Dim(), s.dim())
	}
	return b.String()
}

// state carries everything that a Step reads and an earlier one wrote.
func (k *kernel) state(c *checkpoint.Codec) {
	c.Ints(&k.done, &k.searches, &k.bad)
	c.Float(&k.eps, &k.now.lp)
	for b, s := range k.shares {
		c.Floats(k.now.q.at[b])
		c.Floats(k.now.g.at[b])
		s.metric.state(c)
		s.estimate.fore.state(c)
		s.estimate.back.state(c)
	}
	k.tuner.state(c)
}

func (m *metric) state(c *checkpoint.Codec) {
	c.Floats(m.inverse)
	c.Floats(m.root)
	if m.full != nil {
		c.Floats(m.full.inverse)
		c.Floats(m.full.root)
	}
}
