package graph

import "github.com/vflc/vflc/runtime/vector"

var opSum = &op{
	name: "sum",
	doc: "the sum of all elements, block by block of rows and column by column; a sum that is added to " +
		"the target is added element by element", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		n.reduces(b.nodes[n.in[0]].shape, nil)
		return nil
	},
	forward: func(c *call) {
		for j := range c.width {
			c.out.val.buf[0] += vector.Sum(c.n, c.vec(0, j))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			c.giveConstant(0, j, c.out.adj.buf[0])
		}
	},
	degree: highest,
}

// reduces makes n a reduction of inputs of shape from, all read row by row.
func (n *node) reduces(from, shape Shape) {
	n.kind, n.shape, n.frame, n.width = reduction, shape, from.rows(), from.cols()
	for range n.in {
		n.links = append(n.links, link{rows: true})
	}
}
