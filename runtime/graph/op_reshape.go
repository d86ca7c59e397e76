package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

// opReshape is the elements of an array in another shape, in the order of columns.
var opReshape = &op{
	name: "reshape", least: 1, most: 1,
	doc: "the columns of an array under each other, as a vector or in another shape of as many elements",
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		to := n.attr.Shape
		if to == nil {
			to = Shape{s.Len()}
		}
		if to.Len() != s.Len() {
			return fmt.Errorf("%d elements in shape %v", s.Len(), to)
		}
		n.whole(to)
		return nil
	},
	forward: func(c *call) { copy(c.out.val.buf, c.in[0].val.buf) },
	vjp:     func(c *call) { vector.Accumulate(len(c.out.adj.buf), c.in[0].adj.buf, c.out.adj.buf) },
	degree:  highest,
}
