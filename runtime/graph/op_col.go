package graph

import (
	"fmt"
	"slices"
)

var opCol = &op{
	name: "col", doc: "an array with an axis of size 1 behind its own", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) == 0 {
			return fmt.Errorf("takes an array, got a number")
		}
		n.rowwise(append(slices.Clone(s), 1))
		n.links = []link{{rows: true}}
		return nil
	},
	forward: copyColumns,
	vjp:     giveColumns,
	passes:  func(int) bool { return true },
	degree:  highest,
}

func copyColumns(c *call) {
	for j := range c.width {
		copy(c.y(j)[:c.n], c.vec(0, j))
	}
}

func giveColumns(c *call) {
	for j := range c.width {
		c.give(0, j, c.dy(j))
	}
}
