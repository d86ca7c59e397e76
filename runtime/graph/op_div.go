package graph

import "github.com/vflc/vflc/runtime/vector"

var opDiv = &op{
	name: "div", doc: "a/b, elementwise, broadcast; always the correctly rounded quotient", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward:  func(c *call) { c.binary(vector.Div, vector.DivScalar, vector.DivInto) },
	vjp: func(c *call) { // ∂a = dy/b, ∂b = -(dy/b)·y
		t := c.scratch[0]
		for j := range c.width {
			if c.in[1].rows {
				vector.Div(c.n, t, c.dy(j), c.vec(1, j))
			} else {
				vector.Scale(c.n, t, c.dy(j), 1/c.num(1, j))
			}
			if c.wants(0) {
				c.give(0, j, t)
			}
			if c.wants(1) {
				vector.Mul(c.n, t, t, c.y(j))
				c.giveScaled(1, j, -1, t)
			}
		}
	},
	needs: func(k int) need {
		if k == 0 {
			return inputs(1)
		}
		return inputs(1) | output
	},
	degree: func(in []degree) degree {
		if in[1] == free {
			return in[0]
		}
		return curved
	},
}
