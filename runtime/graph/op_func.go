package graph

// opFunc is every elementwise function of the standard library.
var opFunc = &op{
	name: "function", doc: "an elementwise function of one argument", least: 1, most: 1,
	infer: elementwise,
	forward: func(c *call) {
		for j := range c.width {
			c.node.fn.Forward(c.y(j)[:c.n], c.vec(0, j)[:c.n])
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			c.node.fn.Backward(c.sumInto(0, j), c.dy(j)[:c.n], c.vec(0, j)[:c.n], c.y(j)[:c.n])
		}
	},
	needs: func(int) need { return inputs(0) | output },
}
