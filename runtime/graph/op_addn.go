package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opAddN = &op{
	name: "addn", doc: "the sum of any number of inputs of one shape, from left to right", least: 1,
	elements: true,
	infer: func(b *Builder, n *node) error {
		shape := b.nodes[n.in[0]].shape
		for _, id := range n.in {
			if !b.nodes[id].shape.equal(shape) {
				return fmt.Errorf("shapes %v and %v differ", shape, b.nodes[id].shape)
			}
			n.links = append(n.links, link{rows: true})
		}
		n.rowwise(shape)
		return nil
	},
	forward: func(c *call) {
		for j := range c.width {
			y := c.y(j)
			copy(y[:c.n], c.vec(0, j))
			for k := 1; k < len(c.in); k++ {
				vector.Accumulate(c.n, y, c.vec(k, j))
			}
		}
	},
	vjp:    opAdd.vjp,
	passes: func(int) bool { return true },
	degree: highest,
}
