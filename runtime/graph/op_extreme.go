package graph

import "math"

var (
	opMax = extreme("max", "largest", func(a, b float64) bool { return a > b })
	opMin = extreme("min", "smallest", func(a, b float64) bool { return a < b })
)

// extreme is the largest or smallest of all elements, or of two inputs elementwise. Equal elements: the first
// has the gradient.
func extreme(name, doc string, before func(a, b float64) bool) *op {
	pick := func(a, b float64) float64 {
		if before(b, a) || math.IsNaN(b) {
			return b
		}
		return a
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
				c.pairwise(pick)
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
				c.pairwiseChoice(pick)
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

// pairwise sets the output to f of the two inputs, broadcast.
func (c *call) pairwise(f func(a, b float64) float64) {
	for j := range c.width {
		y, a, b := c.y(j), c.spread(0, j, 0), c.spread(1, j, 1)
		for i := range c.n {
			y[i] = f(a[i], b[i])
		}
	}
}

// pairwiseChoice gives the output's adjoint to the input that pick chose, the first of equal ones.
func (c *call) pairwiseChoice(pick func(a, b float64) float64) {
	for j := range c.width {
		t, dy, a, b := c.scratch[2], c.dy(j), c.spread(0, j, 0), c.spread(1, j, 1)
		for k := range 2 {
			if !c.wants(k) {
				continue
			}
			for i := range c.n {
				t[i] = 0
				if first := pick(a[i], b[i]) == a[i]; first == (k == 0) {
					t[i] = dy[i]
				}
			}
			c.give(k, j, t)
		}
	}
}
