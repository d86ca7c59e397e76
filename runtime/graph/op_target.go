package graph

import "github.com/vflc/vflc/runtime/vector"

// opTarget adds power·Σ x to the target.
var opTarget = &op{
	name: "target", doc: "power times the sum of all elements, added to the target", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		n.kind, n.shape, n.frame, n.width = term, Shape{}, s.rows(), s.cols()
		n.links = []link{{rows: true}}
		return nil
	},
	forward: func(c *call) {
		p := c.node.power
		for j := range c.width {
			*c.sum += float64(p * vector.Sum(c.n, c.vec(0, j)))
			if c.wants(0) {
				c.giveConstant(0, j, p)
			}
		}
	},
	vjp: func(*call) {}, // done in forward
}
