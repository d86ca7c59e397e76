package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opDot = &op{
	name: "dot", doc: "Σ a·b over vectors of one length", least: 2, most: 2,
	infer: func(b *Builder, n *node) error {
		s, t := b.nodes[n.in[0]].shape, b.nodes[n.in[1]].shape
		if len(s) != 1 || !s.equal(t) {
			return fmt.Errorf("takes two vectors of one length, got shapes %v and %v", s, t)
		}
		n.reduces(s, nil)
		return nil
	},
	forward: func(c *call) { c.out.val.buf[0] += vector.Dot(c.n, c.vec(0, 0), c.vec(1, 0)) },
	vjp: func(c *call) {
		for k := range 2 {
			if c.wants(k) {
				c.giveScaled(k, 0, c.out.adj.buf[0], c.vec(1-k, 0))
			}
		}
	},
	needs:  func(k int) need { return inputs(1 - k) },
	degree: bilinear,
}
