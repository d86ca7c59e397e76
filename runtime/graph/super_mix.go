package graph

import "github.com/vflc/vflc/runtime/vector"

// opMix is a·b + (1 - a)·c, elementwise, broadcast: what is expected of two states by the probability of one,
// and shares with a floor.
var opMix = &op{
	name: "mix", doc: "a·b + (1 - a)·c, elementwise, broadcast, in one step", least: 3, most: 3,
	elements: true,
	forward: func(c *call) {
		for j := range c.width {
			vector.Mix(c.n, c.y(j), c.spread(0, j, 0), c.spread(1, j, 1), c.spread(2, j, 2))
		}
	},
	vjp:   backMix,
	needs: needsOfMix,
}

// opStep is v + a·(r - v), the same: of a large a and an r next to v it is rounded as written.
var opStep = &op{
	name: "step", doc: "c + a·(b - c), elementwise, broadcast, in one step", least: 3, most: 3,
	elements: true,
	forward: func(c *call) {
		for j := range c.width {
			y, v := c.y(j), c.spread(2, j, 2)
			t := c.scratch[3]
			vector.Sub(c.n, t, c.spread(1, j, 1), v)
			vector.FMA(c.n, y, c.spread(0, j, 0), t, v)
		}
	},
	vjp:   backMix,
	needs: needsOfMix,
}

func backMix(c *call) {
	var d [3][]float64
	for j := range c.width {
		for k := range d {
			if d[k] = c.scratch[3+k]; c.wants(k) && c.in[k].rows {
				d[k] = c.sumInto(k, j)
			} else if c.wants(k) {
				clear(d[k][:c.n])
			}
		}
		vector.MixBack(c.n, d[0], d[1], d[2], c.dy(j), c.spread(0, j, 0), c.spread(1, j, 1),
			c.spread(2, j, 2))
		for k := range d {
			if c.wants(k) && !c.in[k].rows {
				*c.dnum(k, j) += vector.Sum(c.n, d[k])
			}
		}
	}
}

func needsOfMix(k int) need {
	if k == 0 {
		return inputs(1, 2)
	}
	return inputs(0)
}

// leastMixed is the least number of rows of a mix: of fewer, the call of a vector function takes longer than
// the operations.
const leastMixed = 16

// rewriteMix finds a·b + (1 - a)·c, p + (1 - p)·c, and steps of learning, v + a·(r - v).
var rewriteMix = rewrite{"mixes", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opAdd || n.frame < leastMixed {
		return
	}
	for k := range 2 {
		if op, in := g.mixed(n, k); op != nil {
			n.op, n.in, n.links = op, nil, nil
			for _, o := range in {
				n.in, n.links = append(n.in, o.id), append(n.links, o.link)
			}
			return
		}
	}
}}

// A reading is a node and how another one reads it.
type reading struct {
	id   ID
	link link
}

func (r reading) same(s reading) bool { return r.id == s.id && r.link.equal(s.link) }

// mixed returns what operand k of a sum and the other are a mix of, or a step: the share, what has it, and
// the rest.
func (g *Graph) mixed(n *node, k int) (of *op, in [3]reading) {
	p, q := reading{n.in[k], n.links[k]}, &g.nodes[n.in[1-k]]
	if q.op != opMul || !n.links[1-k].whole(true) || g.uses(n.in[1-k]) > 1 {
		return nil, in
	}
	for f := range 2 {
		share, rest := g.operand(q, f), g.operand(q, 1-f)
		s := &g.nodes[rest.id]
		if s.op == opSub {
			r, v := g.through(rest, 0), g.through(rest, 1)
			if v.id != NoID && r.id != NoID && v.same(p) {
				return opStep, [3]reading{share, r, v}
			}
		}
		if s = &g.nodes[share.id]; s.op != opSub || !g.nodes[s.in[0]].isOne() {
			continue
		}
		a := g.through(share, 1)
		if a.id == NoID {
			continue
		}
		if a.same(p) {
			one := reading{s.in[0], link{cols: make([]int32, n.width)}}
			return opMix, [3]reading{a, one, rest}
		}
		m := &g.nodes[p.id]
		for i := 0; i < 2 && m.op == opMul && p.link.whole(true); i++ {
			if a.same(g.operand(m, i)) {
				return opMix, [3]reading{a, g.operand(m, 1-i), rest}
			}
		}
	}
	return nil, in
}

func (g *Graph) operand(n *node, k int) reading { return reading{n.in[k], n.links[k]} }

// through is how a node reads operand k of what it reads, if one of the two readings is of the same element.
func (g *Graph) through(r reading, k int) reading {
	m := &g.nodes[r.id]
	switch {
	case m.links[k].whole(true):
		return reading{m.in[k], r.link}
	case r.link.whole(true):
		return g.operand(m, k)
	}
	return reading{id: NoID}
}

func (n *node) isOne() bool { return n.kind == constant && len(n.values) == 1 && n.values[0] == 1 }
