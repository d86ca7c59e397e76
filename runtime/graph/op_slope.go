package graph

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// The derivatives of instructions, without gradient of their own.
var (
	opSlope = &op{
		name: "slope", doc: "the derivative of a function at x, where y is its value", least: 2, most: 2,
		infer: elementwise,
		forward: func(c *call) {
			one, x, y := c.scratch[0], c.spread(0, 0, 1), c.spread(1, 0, 2)
			vector.Fill(c.n, one, 1)
			if k := c.node.quick; k != nil {
				k.back(c.n, c.y(0), c.scratch[3], one, x, y)
				return
			}
			clear(c.y(0)[:c.n])
			c.node.fn.Backward(c.y(0)[:c.n], one[:c.n], x[:c.n], y[:c.n])
		},
	}
	opPowSlope = powers("pow_slope", "∂a^b/∂a", portable.PowSlope)
	opPowLog   = powers("pow_log", "∂a^b/∂b, from a and a^b", portable.PowLog)
)

func powers(name, doc string, f func(a, b float64) float64) *op {
	return &op{
		name: name, doc: doc, least: 2, most: 2, infer: elementwise,
		forward: func(c *call) {
			y, a, b := c.y(0), c.spread(0, 0, 0), c.spread(1, 0, 1)
			for i := range c.n {
				y[i] = f(a[i], b[i])
			}
		},
	}
}
