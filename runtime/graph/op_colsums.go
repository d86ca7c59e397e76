package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opColSums = &op{
	name: "col_sums", doc: "the sum of each column of a matrix", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) != 2 {
			return fmt.Errorf("takes a matrix, got shape %v", s)
		}
		n.reduces(s, Shape{s[1]})
		return nil
	},
	forward: func(c *call) {
		for j := range c.width {
			c.out.val.buf[j] += vector.Sum(c.n, c.vec(0, j))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			c.giveConstant(0, j, c.out.adj.buf[j])
		}
	},
	degree: highest,
}
