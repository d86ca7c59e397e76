package graph

import (
	"fmt"

	"github.com/vflc/vflc/stdlib/linear"
)

var opSolve = &op{
	name: "solve", doc: "A⁻¹ b for a vector or matrix b", least: 2, most: 2,
	infer: func(b *Builder, n *node) error {
		a, s := b.nodes[n.in[0]].shape, b.nodes[n.in[1]].shape
		if err := square(a); err != nil {
			return err
		}
		if len(s) == 0 || len(s) > 2 || s[0] != a[0] {
			return fmt.Errorf("shapes %v and %v make no system of equations", a, s)
		}
		n.whole(s)
		n.room, n.pivots = a.Len()+a[0], a[0]
		return nil
	},
	forward: func(c *call) {
		k := c.pivoted()
		copy(c.out.val.buf, c.in[1].val.buf)
		for j := 0; j < len(c.out.val.buf); j += k {
			linear.Solve(c.out.val.buf[j:j+k], c.own, c.pivots, k)
		}
	},
	vjp: func(c *call) { // ∂b = A⁻ᵀ ∂x, ∂A = -∂b xᵀ
		k := c.pivoted()
		db := c.own[k*k:]
		for j := 0; j < len(c.out.val.buf); j += k {
			copy(db, c.out.adj.buf[j:j+k])
			linear.SolveTransposed(db, c.own, c.pivots, k)
			for i := range k {
				if c.wants(1) {
					c.in[1].adj.buf[i+j] += db[i]
				}
				for m := range k {
					if c.wants(0) {
						c.in[0].adj.buf[i+k*m] -= float64(db[i] * c.out.val.buf[m+j])
					}
				}
			}
		}
	},
	needs: func(int) need { return inputs(0) | output },
}

// pivoted factors the first input and returns its size.
func (c *call) pivoted() int {
	k := c.node.pivots
	copy(c.own, c.in[0].val.buf)
	linear.Factor(c.own, c.pivots, k)
	return k
}
