package graph

import "fmt"

var opDiag = &op{
	name: "diag", doc: "the matrix with a vector on its diagonal", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) != 1 {
			return fmt.Errorf("takes a vector, got the shape %v", s)
		}
		n.whole(Shape{s[0], s[0]})
		return nil
	},
	forward: func(c *call) {
		clear(c.out.val.buf)
		for i, v := range c.in[0].val.buf {
			c.out.val.buf[i*(c.node.shape[0]+1)] = v
		}
	},
	vjp: func(c *call) {
		for i := range c.in[0].adj.buf {
			c.in[0].adj.buf[i] += c.out.adj.buf[i*(c.node.shape[0]+1)]
		}
	},
	degree: highest,
}
