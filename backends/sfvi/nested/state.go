package nested

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
func (k *Kernel) Load(r io.Reader) error {
	if err := backends.LoadState(r, k.heading(), k.state); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	return nil
}

// heading is a line that two kernels share if one can load what the other saved.
func (k *Kernel) heading() string {
	text := k.options.Heading
	for _, p := range k.parties {
		text += fmt.Sprintf("; %s %d %d", p.block.Party(), p.d, p.m)
	}
	return text
}

// mostKept bounds what a damaged checkpoint can make Load allocate.
const mostKept = 1 << 28

// sized carries a length.
func sized(c *backends.Codec, n *int) bool {
	if c.Ints(n); *n < 0 || *n > mostKept {
		c.Fail(errors.New("a list that is longer than the fit makes"))
		*n = 0
	}
	return !c.Failed()
}

// list carries a vector.
func list(c *backends.Codec, v *[]float64) {
	n := len(*v)
	if sized(c, &n); len(*v) != n {
		*v = make([]float64, n)
	}
	c.Floats(*v)
}

// lists carries vectors.
func lists(c *backends.Codec, v *[][]float64) {
	n := len(*v)
	if sized(c, &n); len(*v) != n {
		*v = make([][]float64, n)
	}
	for i := range *v {
		if list(c, &(*v)[i]); c.Failed() {
			return
		}
	}
}

// state carries everything that a Step reads and an earlier one wrote.
func (k *Kernel) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.trips, &k.piece, &k.count, &k.drawn, &k.origin, &k.columns)
	for j := range k.dims {
		c.Ints(&k.dims[j], &k.hypers[j], &k.pivots[j], &k.received[j], &k.scales[j])
	}
	c.Ints(&k.shared)
	c.Float(&k.height, &k.effective)
	list(c, &k.points)
	list(c, &k.ratios)
	if k.phase == done && !c.Failed() && len(k.ratios) > 0 {
		k.choose()
	}
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	if k.columns > 0 && k.with == nil && !c.Failed() {
		k.spread()
	}
	for _, p := range k.parties {
		list(c, &p.shift)
		list(c, &p.hyper)
		list(c, &p.sample)
		p.link.carry(c)
		list(c, &p.parts.first)
		if lists(c, &p.parts.points); c.Failed() || k.with == nil {
			continue
		}
		if p.vary() {
			if err := p.settlePivots(k.with); err != nil {
				c.Fail(err)
			}
		} else {
			p.move(nil, nil)
		}
	}
	if k.server != nil {
		k.server.carry(c)
	}
}

func (s *server) carry(c *backends.Codec) {
	list(c, &s.columns)
	if list(c, &s.noise); len(s.noise) == len(s.cond.Sums) || s.cond.Clients == 0 {
		s.integrated()
	}
	lists(c, &s.q)
	lists(c, &s.t)
	list(c, &s.offset)
	lists(c, &s.asked)
	lists(c, &s.queue)
	list(c, &s.mode)
	c.Ints(&s.sets, &s.level)
	c.Bool(&s.lost)
	s.even.carry(c)
	s.search.carry(c)
	if !c.Failed() {
		s.makeRoom()
	}
}

func (s *search) carry(c *backends.Codec) {
	c.Ints(&s.stage, &s.asks, &s.around)
	c.Float(&s.top, &s.gap, &s.tails)
	for _, v := range []*[]float64{&s.centre, &s.steps, &s.best, &s.from, &s.axes, &s.sds, &s.share} {
		list(c, v)
	}
	if len(s.from) == 0 {
		s.from = nil
	}
	n, asked := len(s.nodes), len(s.asked)
	if !sized(c, &n) || !sized(c, &asked) {
		return
	}
	if len(s.nodes) != n {
		s.nodes = make([]node, n)
	}
	if len(s.asked) != asked {
		s.asked = make([]cell, asked)
	}
	if s.at == nil {
		s.at = map[cell]int{}
	}
	for i := range s.nodes {
		v := &s.nodes[i]
		v.carry(c)
		c.Float(&v.f, &v.prior)
		list(c, &v.by)
		if list(c, &v.x); c.Failed() {
			return
		}
		s.at[v.cell] = i
		if len(v.x) == 0 {
			v.x = nil
		}
	}
	for i := range s.asked {
		s.asked[i].carry(c)
	}
	s.settle()
}

func (at *cell) carry(c *backends.Codec) {
	for i := range at {
		c.Ints(&at[i])
	}
}
