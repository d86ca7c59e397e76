package graph

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// opSumExp adds power·Σ exp x to the target, with its partials: hazards and rates of many densities are such
// sums.
var opSumExp = &op{
	name: "exponentials", doc: "power times the sum of exponentials, value and partials in one step", least: 1,
	most:     1,
	elements: true,
	forward: func(c *call) {
		p, y := c.node.power, c.scratch[0]
		for j := range c.width {
			vector.Exp(c.n, y, c.vec(0, j))
			*c.sum += float64(p * vector.Sum(c.n, y))
			if c.wants(0) {
				c.giveScaled(0, j, p, y)
			}
		}
	},
	vjp: func(*call) {}, // done in forward
}

var rewriteSumExp = rewrite{"sum of exponentials", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opTarget || n.frame <= 1 {
		return
	}
	m := &g.nodes[n.in[0]]
	if m.op != opFunc || m.fn.Vector != def.ExpLoop || g.uses(n.in[0]) > 1 || !m.links[0].rows {
		return
	}
	n.op, n.in, n.links = opSumExp, m.in, m.links
}}
