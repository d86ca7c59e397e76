package graph

// opFunc is every elementwise function of the standard library.
var opFunc = &op{
	name: "function", doc: "an elementwise function of one argument", least: 1, most: 1,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		k := c.node.quick
		for j := range c.width {
			if k != nil && k.forward != nil {
				k.forward(c.n, c.y(j), c.vec(0, j))
			} else {
				c.node.fn.Forward(c.y(j)[:c.n], c.vec(0, j)[:c.n])
			}
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			if c.node.quick != nil {
				c.backVector(j)
			} else {
				c.node.fn.Backward(c.sumInto(0, j), c.dy(j)[:c.n], c.vec(0, j)[:c.n], c.y(j)[:c.n])
			}
		}
	},
	needs: func(int) need { return inputs(0) | output },
}

// backVector is the reverse of a function that has a vector form.
func (c *call) backVector(j int) {
	if c.in[0].set {
		c.node.quick.back(c.n, c.dvec(0, j), c.scratch[1], c.dy(j), c.vec(0, j), c.y(j))
		return
	}
	c.node.quick.back(c.n, c.scratch[0], c.scratch[1], c.dy(j), c.vec(0, j), c.y(j))
	c.give(0, j, c.scratch[0])
}
