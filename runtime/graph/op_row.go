package graph

import (
	"fmt"
	"slices"
)

// opRow has the elements of its input in their order.
var opRow = &op{
	name: "row", doc: "an array with an axis of size 1 before its own", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) == 0 {
			return fmt.Errorf("takes an array, got a number")
		}
		n.whole(slices.Insert(slices.Clone(s), 0, 1))
		return nil
	},
	forward: func(c *call) { copy(c.out.val.buf, c.in[0].val.buf) },
	vjp: func(c *call) {
		for i, d := range c.out.adj.buf {
			c.in[0].adj.buf[i] += d
		}
	},
	degree: highest,
}

// rewriteRow reads single elements of a row where they come from.
var rewriteRow = rewrite{"row", func(g *Graph, id ID) {
	n := &g.nodes[id]
	for k, l := range n.links {
		if r := &g.nodes[n.in[k]]; r.op == opRow && !l.rows && l.cols != nil &&
			!slices.Contains(g.outputIDs, n.in[k]) {
			n.in[k] = r.in[0]
		}
	}
}}
