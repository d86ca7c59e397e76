package graph

import "github.com/vflc/vflc/runtime/vector"

var opWhere = &op{
	name: "where",
	doc: "where(c, a, b): a where c is not zero, else b; broadcast. The branch that is not chosen gets no " +
		"gradient, even where it is not finite", least: 3, most: 3,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			vector.Select(c.n, c.y(j), c.spread(0, j, 0), c.spread(1, j, 1), c.spread(2, j, 2))
		}
	},
	vjp: func(c *call) {
		zero, t := c.scratch[1], c.scratch[2]
		clear(zero[:c.n])
		for j := range c.width {
			cond := c.spread(0, j, 0)
			if c.wants(1) {
				vector.Select(c.n, t, cond, c.dy(j), zero)
				c.give(1, j, t)
			}
			if c.wants(2) {
				vector.Select(c.n, t, cond, zero, c.dy(j))
				c.give(2, j, t)
			}
		}
	},
	needs: func(int) need { return inputs(0) },
	flat:  func(k int) bool { return k == 0 },
	degree: func(in []degree) degree {
		if in[0] != free {
			return curved
		}
		return highest(in[1:])
	},
}
