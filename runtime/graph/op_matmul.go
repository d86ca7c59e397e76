package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/kernel"
)

var opMatMul = &op{
	name: "matmul", doc: "matrix·vector and matrix·matrix. The left matrix is read by rows, the right operand whole", least: 2, most: 2,
	infer: func(b *Builder, n *node) error {
		left, right := b.nodes[n.in[0]].shape, b.nodes[n.in[1]].shape
		if len(left) != 2 || len(right) == 0 || len(right) > 2 || left[1] != right[0] {
			return fmt.Errorf("shapes %v and %v do not multiply", left, right)
		}
		n.rowwise(append(Shape{left[0]}, right[1:]...))
		n.links = []link{{rows: true}, {}}
		return nil
	},
	forward: func(c *call) {
		x, b := &c.in[0].val, c.in[1].val.buf
		inner := c.inner()
		for j := range c.width {
			kernel.MatVec(c.n, c.y(j), x.col(0, c.row), x.stride, b[j*inner:], 1, inner)
		}
	},
	vjp: func(c *call) {
		inner := c.inner()
		if c.wants(1) {
			x, db := &c.in[0].val, c.in[1].adj.buf
			for j := range c.width {
				kernel.MatTVecAdd(c.n, db[j*inner:], 1, x.col(0, c.row), x.stride, c.dy(j), inner)
			}
		}
		if c.wants(0) { // column k of ∂X is dY times row k of B
			b, dy := c.in[1].val.buf, &c.out.adj
			for k := range inner {
				dx := c.in[0].adj.col(k, c.row)
				if c.in[0].set {
					kernel.MatVec(c.n, dx, dy.col(0, c.row), dy.stride, b[k:], inner, c.width)
				} else {
					kernel.MatVecAdd(c.n, dx, dy.col(0, c.row), dy.stride, b[k:], inner, c.width)
				}
			}
		}
	},
	needs:  func(k int) need { return inputs(1 - k) },
	degree: bilinear,
}

// inner is the number of columns of a product's left matrix.
func (c *call) inner() int { return len(c.in[1].val.buf) / max(c.width, 1) }
