package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opAppend = &op{
	name:  "append",
	doc:   "joins scalars and vectors, or matrices of equal numbers of columns, along the first axis",
	least: 1,
	infer: func(b *Builder, n *node) error {
		first := b.nodes[n.in[0]].shape
		rest := Shape{}
		if len(first) > 1 {
			rest = first[1:]
		}
		rows := 0
		for _, id := range n.in {
			s := b.nodes[id].shape
			if !tail(s).equal(rest) {
				return fmt.Errorf("shapes %v and %v do not join", first, s)
			}
			rows += s.rows()
		}
		n.whole(append(Shape{rows}, rest...))
		return nil
	},
	forward: func(c *call) {
		c.pieces(func(out, k, in, rows int) { copy(c.out.val.buf[out:][:rows], c.in[k].val.buf[in:]) })
	},
	vjp: func(c *call) {
		c.pieces(func(out, k, in, rows int) {
			if c.wants(k) {
				vector.Accumulate(rows, c.in[k].adj.buf[in:], c.out.adj.buf[out:])
			}
		})
	},
	degree: highest,
}

// tail is the shape without the leading axis.
func tail(s Shape) Shape {
	if len(s) == 0 {
		return s
	}
	return s[1:]
}

// pieces visits the contiguous pieces of a joined value: offset in the output, input, offset in it, and
// length.
func (c *call) pieces(visit func(out, k, in, rows int)) {
	at := 0
	for j := range c.width {
		for k := range c.in {
			rows := len(c.in[k].val.buf) / c.width
			visit(at, k, j*rows, rows)
			at += rows
		}
	}
}
