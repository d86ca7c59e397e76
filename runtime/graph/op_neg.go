package graph

import "github.com/vflc/vflc/runtime/vector"

var opNeg = &op{
	name: "neg", doc: "-a", least: 1, most: 1,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			vector.Neg(c.n, c.y(j), c.vec(0, j))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			c.giveScaled(0, j, -1, c.dy(j))
		}
	},
	degree: highest,
}
