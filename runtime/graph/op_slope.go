package graph

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// The derivatives of instructions, whose operands are those of package tape. They have no gradient.
var (
	opSlope = &op{
		name: "slope", doc: "the derivative of a function at x, where y is its value", least: 2, most: 3,
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
	opPowSlope = ofPower("pow_slope", "∂a^b/∂a", 1, portable.PowSlope)
	opPowLog   = ofPower("pow_log", "∂a^b/∂b, from a and a^b", 2, portable.PowLog)
)

// ofPower computes a function of the first operand and another one.
func ofPower(name, doc string, other int, f func(a, b float64) float64) *op {
	return &op{
		name: name, doc: doc, least: other + 1, most: other + 1,
		forward: func(c *call) {
			y, a, b := c.y(0), c.spread(0, 0, 0), c.spread(other, 0, 1)
			for i := range c.n {
				y[i] = f(a[i], b[i])
			}
		},
	}
}
