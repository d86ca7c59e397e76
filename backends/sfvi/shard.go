package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// A shard is a part of a party that is evaluated at a time, all of its rows or those of a window, with the guide of their auxiliary variables.
type shard struct {
	block density.Block
	guide guide   // nil without auxiliary variables
	vars  *factor // of the guide; of no parameters without one
	place []int   // of a window: where each of its auxiliary variables is among those of all rows
}

// newShard makes the guide of a block whose auxiliary variables count weight times.
func newShard(block density.Block, s backends.Settings, weight float64) (*shard, error) {
	h := &shard{block: block}
	if block.AuxLen() == 0 {
		return h, nil
	}
	g, err := newGuide(s.Text(guideForm), block, s)
	if err != nil {
		return nil, err
	}
	g.weigh(weight)
	h.guide = g
	return h, nil
}

// size is the number of the guide's parameters.
func (h *shard) size() int {
	if h.guide == nil {
		return 0
	}
	return h.guide.size()
}

// locate sets place: the positions of the auxiliary variables of a window with these rows among those of all.
func (h *shard) locate(whole *shard, rows []int) {
	h.place = make([]int, h.block.AuxLen())
	for k, c := range h.block.Cuts() {
		all := whole.block.Cuts()[k]
		for i := range c.Len() {
			h.place[c.Offset+i] = all.Offset + i/c.Rows*all.Rows + rows[i%c.Rows]
		}
	}
	if q, ok := h.guide.(*amortized); ok && q.labelled {
		for i, at := range h.place {
			q.label[i] = whole.guide.(*amortized).label[at] // standardised over all rows
		}
	}
}

// gather sets the parameters of the guide of all rows from those of the windows' guides.
func (h *shard) gather(windows []*shard) {
	if h.guide == nil || h.guide.each() == 0 {
		return
	}
	n := h.block.AuxLen()
	for _, w := range windows {
		for k := range h.guide.each() {
			to, from := h.vars.phi[k*n:], w.vars.phi[k*len(w.place):]
			for i, at := range w.place {
				to[at] = from[i]
			}
		}
	}
}

// divide makes the party's shards of the windows. Parameters that all auxiliary variables share are those of the whole; others are the windows'.
func (p *party) divide(env density.Windowed, b int, s backends.Settings, apart bool) error {
	several := s.Int(mcSamples) > 1
	byRows := map[int]*amortized{} // by the rows of the window
	for k := range env.Windows() {
		w, rows := env.Window(k)
		h, err := newShard(w.Blocks()[b], s, float64(env.Windows()))
		if err != nil {
			return err
		}
		h.vars = p.whole.vars
		if h.guide != nil {
			h.locate(p.whole, rows)
			if q, ok := h.guide.(*amortized); ok {
				q.shareArrays(byRows, len(rows))
			}
			if h.guide.each() > 0 {
				h.vars = newFactor(h.guide.size(), several, apart)
			}
		}
		p.windows = append(p.windows, h)
	}
	return nil
}

// factors lists what moves: q(θ), then the guide or the windows' guides.
func (p *party) factors() []*factor {
	if len(p.windows) == 0 || p.windows[0].vars == p.whole.vars {
		return []*factor{p.own, p.whole.vars}
	}
	out := []*factor{p.own}
	for _, w := range p.windows {
		out = append(out, w.vars)
	}
	return out
}
