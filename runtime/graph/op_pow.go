package graph

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

var opPow = &op{
	name: "pow", doc: "a^b, elementwise, broadcast, as portable.Pow; a constant exponent 2 is a·a, 1 is a",
	least: 2, most: 2,
	elements: true,
	infer:    elementwise,
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

// mostPower is the largest |b·log a| of opPowers: the error of a^b is as many times that of a rounding.
const mostPower = 32

// opPowers is opPow of many rows, as exp(b·log a) where a is positive and the exponent is small.
var opPowers = &op{
	name: "powers", doc: "a^b, elementwise, broadcast, to 32 roundings", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			y, a, b, t := c.y(j), c.spread(0, j, 0), c.spread(1, j, 1), c.scratch[2]
			vector.Log(c.n, t, a)
			vector.Mul(c.n, t, t, b)
			vector.Exp(c.n, y, t)
			for i, v := range t[:c.n] {
				if !(math.Abs(v) <= mostPower) {
					y[i] = portable.Pow(a[i], b[i])
				}
			}
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			a, b, t := c.spread(0, j, 0), c.spread(1, j, 1), c.scratch[2]
			if c.wants(0) {
				c.powerSlope(j, t, a, b)
				vector.Weight(c.n, t, t, c.dy(j))
				c.give(0, j, t)
			}
			if c.wants(1) {
				vector.Log(c.n, t, a)
				vector.Weight(c.n, t, t, c.y(j)) // 0 where the power is 0
				vector.Weight(c.n, t, t, c.dy(j))
				c.give(1, j, t)
			}
		}
	},
	needs: opPow.needs,
}

// powerSlope sets t to ∂a^b/∂a, which is b·a^b/a where that has all digits.
func (c *call) powerSlope(j int, t, a, b []float64) {
	y := c.y(j)
	vector.Div(c.n, t, y, a)
	vector.Mul(c.n, t, t, b)
	for i, v := range y[:c.n] {
		if !(a[i] > 0 && a[i] <= math.MaxFloat64 && v > 0 && v <= math.MaxFloat64) {
			t[i] = portable.PowSlope(a[i], b[i])
		}
	}
}

// power writes a^b as what is faster: products where b is a small number, exp(b·m) where log a is known, and
// else by vectors.
func (b *Builder) power(in []ID) (ID, bool) {
	v, known := b.scalarValue(in[1])
	switch {
	case known && v == 1:
		return in[0], true
	case known && v == 2:
		return b.must2("mul", in[0], in[0])
	case b.plain || b.constants(in):
		return NoID, false
	case known && v == 3:
		return b.must2("mul", b.must("mul", in[0], in[0]), in[0])
	case known && v == 4:
		return b.must2("square", b.must("mul", in[0], in[0]))
	case known && v == -1:
		return b.must2("inv", in[0])
	}
	if m, ok := b.argument(in[0], "exp"); ok {
		return b.must2("exp", b.must("mul", m, in[1]))
	}
	if b.positive(in[0]) {
		return b.must2("exp", b.must("mul", b.must("log", in[0]), in[1]))
	}
	n := node{op: opPowers, in: in}
	if err := elementwise(b, &n); err != nil || n.frame <= fewRows {
		return NoID, false
	}
	return b.intern(n), true
}
