package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

var (
	opMax = extreme("max", "largest", func(a, b float64) bool { return a > b },
		func(second, a, b []float64) {
			for i := range second {
				second[i] = either(a[i] < b[i], b[i] != b[i])
			}
		})
	opMin = extreme("min", "smallest", func(a, b float64) bool { return a < b },
		func(second, a, b []float64) {
			for i := range second {
				second[i] = either(b[i] < a[i], b[i] != b[i])
			}
		})
)

// extreme is the largest or smallest of all elements, or of two inputs elementwise. Equal elements: the first
// has the gradient. choose sets its first argument to 1 where the second input comes before the first or is
// no number, else to 0.
func extreme(name, doc string, before func(a, b float64) bool, choose func(second, a, b []float64)) *op {
	pick := func(a, b float64) float64 {
		if before(b, a) || math.IsNaN(b) {
			return b
		}
		return a
	}
	chosen := func(c *call, j int) (second, a, b []float64) {
		second, a, b = c.scratch[2][:c.n], c.spread(0, j, 0)[:c.n], c.spread(1, j, 1)[:c.n]
		choose(second, a, b)
		return second, a, b
	}
	return &op{
		name: name, doc: "the " + doc + " of all elements; of two inputs elementwise, broadcast", least: 1,
		most: 2,
		infer: func(b *Builder, n *node) error {
			if len(n.in) == 2 {
				return elementwise(b, n)
			}
			n.whole(nil)
			return nil
		},
		forward: func(c *call) {
			if len(c.in) == 2 {
				for j := range c.width {
					second, a, b := chosen(c, j)
					vector.Select(c.n, c.y(j), second, b, a)
				}
				return
			}
			x := c.in[0].val.buf
			y := x[0]
			for _, v := range x[1:] {
				y = pick(y, v)
			}
			c.out.val.buf[0] = y
		},
		vjp: func(c *call) {
			if len(c.in) == 2 {
				for j := range c.width {
					second, _, _ := chosen(c, j)
					t := c.scratch[0] // in which an input is not needed any more
					if c.wants(1) {
						vector.Weight(c.n, t, c.dy(j), second)
						c.give(1, j, t)
					}
					if c.wants(0) {
						vector.SubFrom(c.n, second, 1, second)
						vector.Weight(c.n, t, c.dy(j), second)
						c.give(0, j, t)
					}
				}
				return
			}
			for i, v := range c.in[0].val.buf {
				if v == c.out.val.buf[0] {
					c.in[0].adj.buf[i] += c.out.adj.buf[0]
					return
				}
			}
		},
		needs: func(int) need { return inputs(0, 1) | output },
	}
}
