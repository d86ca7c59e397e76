package sfvi

import (
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

func carryRunning(c *backends.Codec, r *running) {
	c.Ints(&r.n)
	c.Float(&r.mean, &r.square)
}

func carryEstimate(c *backends.Codec, e *backends.MonteCarloMean) {
	c.Ints(&e.N)
	c.Float(&e.Value, &e.SE)
}

// state carries everything that a Step reads and an earlier one wrote. The streams need nothing: their rounds
// are numbered by the iteration. An evaluation that has been made for the next iteration is made again, but
// not counted again.
func (k *kernel) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.iter, &k.planned, &k.tail, &k.bad, &k.row, &k.evaluated, &k.smooth.used)
	c.Bool(&k.counted)
	if !k.counted {
		k.memory = density.Remember(k.env, k.memory)
	}
	c.Remembered(k.env, &k.memory)
	carryRunning(c, &k.elbo)
	c.Floats(k.ratios)
	carryEstimate(c, &k.traced)
	carryEstimate(c, &k.drift)
	for i := range k.smooth.batches {
		carryRunning(c, &k.smooth.batches[i])
	}
	for i := range k.verdict {
		c.Float(&k.verdict[i])
	}
	c.Floats(k.squares)
	c.Bool(&k.normal)
	c.Bool(&k.several)
	if v := k.validation; v != nil {
		c.Ints(&v.at)
		c.Float(&v.score)
		c.Bool(&v.ended)
		for _, phi := range v.best {
			c.Floats(phi)
		}
	}
	for _, p := range k.parties {
		p.last.state(c)
		for _, f := range p.factors() {
			f.flush()
			c.Ints(&f.averaged)
			c.Floats(f.phi)
			c.Floats(f.mean)
			c.Floats(f.opt.first)
			c.Floats(f.opt.second)
			c.Float(&f.opt.decay1, &f.opt.decay2)
		}
	}
}

func (r *rest) state(c *backends.Codec) {
	c.Ints(&r.batches, &r.summed, &r.counted[0], &r.counted[1])
	for _, v := range [][]float64{r.sum, r.mean, r.square, r.halves[0], r.halves[1]} {
		c.Floats(v)
	}
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *kernel) heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "vflc sfvi checkpoint 8: %s", k.settings)
	for _, p := range k.parties {
		fmt.Fprintf(&b, "; %s %d %d", p.block.Party(), p.block.Dim(), len(p.own.phi)+p.whole.size())
	}
	return b.String()
}

// Save implements backends.Kernel.
func (k *kernel) Save(w io.Writer) error {
	k.counted = k.counted || k.nextEvaluated
	return backends.SaveState(w, k.heading(), k.state)
}

// Load implements backends.Kernel. The error names what does not fit this run.
func (k *kernel) Load(r io.Reader) error {
	if err := backends.LoadState(r, k.heading(), k.state); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	return nil
}
