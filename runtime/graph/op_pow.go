package graph

import "github.com/vflc/vflc/portable"

var opPow = &op{
	name: "pow", doc: "a^b, elementwise, broadcast, as portable.Pow; a constant exponent 2 is a·a, 1 is a",
	least: 2, most: 2,
	infer: elementwise,
	forward: func(c *call) {
		for j := range c.width {
			y, a, b := c.y(j), c.spread(0, j, 0), c.spread(1, j, 1)
			for i := range c.n {
				y[i] = portable.Pow(a[i], b[i])
			}
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			t, dy, y := c.scratch[2], c.dy(j), c.y(j)
			a, b := c.spread(0, j, 0), c.spread(1, j, 1)
			if c.wants(0) {
				for i := range c.n {
					t[i] = dy[i] * portable.PowSlope(a[i], b[i])
				}
				c.give(0, j, t)
			}
			if c.wants(1) {
				for i := range c.n {
					t[i] = dy[i] * portable.PowLog(a[i], y[i])
				}
				c.give(1, j, t)
			}
		}
	},
	needs: func(k int) need {
		if k == 0 {
			return inputs(0, 1)
		}
		return inputs(0, 1) | output
	},
}
