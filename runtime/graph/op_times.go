package graph

import "github.com/vflc/vflc/runtime/vector"

// opTimes is a product with data, 0 where these are 0: counts times the logarithm of a probability that may
// be 0.
var opTimes = &op{
	name: "times", doc: "a·x, elementwise, broadcast; 0 where x is 0", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			vector.Weight(c.n, c.y(j), c.spread(0, j, 0), c.spread(1, j, 1))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			t := c.scratch[2]
			vector.Mul(c.n, t, c.dy(j), c.spread(1, j, 1))
			c.give(0, j, t)
		}
	},
	needs: func(int) need { return inputs(1) },
}
