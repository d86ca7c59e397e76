package graph

import "github.com/vflc/vflc/runtime/vector"

// opColumn is the columns of a matrix as one vector, in their order.
var opColumn = &op{
	name: "column", doc: "the columns of a matrix under each other", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		n.whole(Shape{b.nodes[n.in[0]].shape.Len()})
		return nil
	},
	forward: func(c *call) { copy(c.out.val.buf, c.in[0].val.buf) },
	vjp:     func(c *call) { vector.Accumulate(len(c.out.adj.buf), c.in[0].adj.buf, c.out.adj.buf) },
	degree:  highest,
}
