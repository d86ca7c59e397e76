package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opRowDot = &op{
	name: "rowdot", doc: "Σ_k a[i,k]·b[i,k] for each row i of two matrices, broadcast", least: 2, most: 2,
	infer: func(b *Builder, n *node) error {
		if err := elementwise(b, n); err != nil {
			return err
		}
		if len(n.shape) != 2 {
			return fmt.Errorf("takes matrices, got shapes %v and %v", b.nodes[n.in[0]].shape,
				b.nodes[n.in[1]].shape)
		}
		n.shape = n.shape[:1]
		return nil
	},
	forward: func(c *call) {
		y := c.y(0)
		clear(y[:c.n])
		for j := range c.width {
			switch {
			case !c.in[1].rows:
				vector.Axpy(c.n, y, c.num(1, j), c.vec(0, j))
			case !c.in[0].rows:
				vector.Axpy(c.n, y, c.num(0, j), c.vec(1, j))
			default:
				vector.MulAdd(c.n, y, c.vec(0, j), c.vec(1, j))
			}
		}
	},
	vjp: func(c *call) {
		for k := range 2 {
			for j := 0; c.wants(k) && j < c.width; j++ {
				c.giveProduct(k, j, c.dy(0), 1-k)
			}
		}
	},
	needs:  func(k int) need { return inputs(1 - k) },
	degree: bilinear,
}
