package graph

import "github.com/vflc/vflc/runtime/vector"

var opSub = &op{
	name: "sub", doc: "a - b, broadcast", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward:  func(c *call) { c.binary(vector.Sub, subScalar, vector.SubFrom) },
	vjp: func(c *call) {
		for j := range c.width {
			if c.wants(0) {
				c.give(0, j, c.dy(j))
			}
			if c.wants(1) {
				c.giveScaled(1, j, -1, c.dy(j))
			}
		}
	},
	passes: func(k int) bool { return k == 0 },
	degree: highest,
}

func subScalar(n int, y, a []float64, s float64) { vector.AddScalar(n, y, a, -s) }
