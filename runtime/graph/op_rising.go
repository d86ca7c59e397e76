package graph

import "github.com/vflc/vflc/runtime/vector"

// opRising is the logarithm of a rising factorial. Its second input is data.
var opRising = &op{
	name: "log_rising", doc: "log Γ(a+x)/Γ(a), elementwise, broadcast", least: 2, most: 2,
	infer: elementwise,
	forward: func(c *call) {
		for j := range c.width {
			vector.LogRising(c.n, c.y(j), c.spread(0, j, 0), c.spread(1, j, 1))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			t := c.scratch[2]
			vector.LogRisingSlope(c.n, t, c.spread(0, j, 0), c.spread(1, j, 1))
			vector.Mul(c.n, t, t, c.dy(j))
			c.give(0, j, t)
		}
	},
	needs: func(int) need { return inputs(0, 1) },
}
