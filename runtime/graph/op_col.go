package graph

import "fmt"

var opCol = &op{
	name: "col", doc: "a vector as a matrix of one column, which broadcasts along rows", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) != 1 {
			return fmt.Errorf("takes a vector, got shape %v", s)
		}
		n.rowwise(Shape{s[0], 1})
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
