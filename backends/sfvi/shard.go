package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// A shard is a part of a party that is evaluated at a time, all of its rows or those of a window, with the
// guide of their auxiliary variables, which several windows may have.
type shard struct {
	block density.Block
	guide guide     // nil without auxiliary variables
	vars  *factor   // of the guide; of no parameters without one
	place []int     // of a window: where each of its auxiliary variables is among those of all rows
	label []float64 // of a window: the responses that its guide takes in, nil where it takes none
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

// divide makes the party's shards of the windows, whose auxiliary variables count weight times. Parameters
// that all auxiliary variables share are those of the whole; others are the windows'.
func (p *party) divide(env density.Windowed, b int, s backends.Settings, weight float64, apart bool) error {
	// by block; those that keep nothing of a block but the sizes of its cuts by the rows
	guides := map[any]guide{}
	var labels []float64 // of all windows, one after another, since they are read in turn
	for k := range env.Windows() {
		w, rows := env.Window(k)
		h := &shard{block: w.Blocks()[b], vars: p.whole.vars}
		p.windows = append(p.windows, h)
		if p.whole.guide == nil {
			continue
		}
		key := any(h.block)
		if p.whole.guide.each() == 0 {
			key = len(rows)
		}
		if guides[key] == nil {
			of, err := newShard(h.block, s, weight)
			if err != nil {
				return err
			}
			guides[key] = of.guide
		}
		h.guide = guides[key]
		h.locate(p.whole, rows)
		if h.guide.each() > 0 {
			h.vars = newFactor(h.guide.size(), apart)
		}
		if q, ok := p.whole.guide.(*amortized); ok && q.labelled {
			if labels == nil {
				labels = make([]float64, 0, len(q.label))
			}
			for _, at := range h.place {
				labels = append(labels, q.label[at]) // standardised over all rows
			}
			h.label = labels[len(labels)-len(h.place):]
		}
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
