package graph

import "github.com/vflc/vflc/runtime/vector"

// opProduct adds power·Σ a·b to the target, with its partials: the terms of many densities are sums of
// products.
var opProduct = &op{
	name: "products", doc: "power times the sum of products, value and partials in one step", least: 2,
	most:     2,
	elements: true,
	forward: func(c *call) {
		for j := range c.width {
			*c.sum += float64(c.node.power * c.sumOfProducts(j))
		}
	},
	vjp: func(*call) {}, // done in forward
}

// sumOfProducts returns Σ a·b of column j and adds its partials, times the power.
func (c *call) sumOfProducts(j int) float64 {
	p := c.node.power
	for k := range 2 {
		if c.in[1-k].rows {
			continue
		}
		s, sum := c.num(1-k, j), vector.Sum(c.n, c.vec(k, j))
		if c.wants(1 - k) {
			*c.dnum(1-k, j) += float64(p * sum)
		}
		if c.wants(k) {
			c.giveConstant(k, j, p*s)
		}
		return s * sum
	}
	for k := range 2 {
		c.giveScaledTo(k, j, p, c.vec(1-k, j))
	}
	return vector.Dot(c.n, c.vec(0, j), c.vec(1, j))
}

var rewriteProduct = rewrite{"sum of products", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opTarget {
		return
	}
	m := &g.nodes[n.in[0]]
	if m.op != opMul || m.width != n.width || m.frame != n.frame || g.uses(n.in[0]) > 1 || !m.links[0].rows &&
		!m.links[1].rows {
		return
	}
	n.op, n.in, n.links = opProduct, m.in, m.links
}}

// narrowProduct is the step for numbers.
func narrowProduct(c *call) {
	a, b, p := &c.in[0], &c.in[1], c.node.power
	x, y := a.val.buf[0], b.val.buf[0]
	*c.sum += float64(p * float64(x*y))
	c.giveNumber(0, p, y)
	c.giveNumber(1, p, x)
}
