package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opMatMul = &op{
	name:  "matmul",
	doc:   "matrix·vector and matrix·matrix. The left matrix is read by rows, the right operand whole",
	least: 2, most: 2,
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
		k := c.inner()
		if c.width == 1 {
			vector.MatVec(c.n, c.y(0), x.col(0, c.row), x.stride, b, 1, k)
		} else {
			vector.Dense(c.n, c.y(0), c.out.val.stride, x.col(0, c.row), x.stride, b, 1, k, k, c.width, nil)
		}
	},
	vjp:    matmulBack,
	needs:  func(k int) need { return inputs(1 - k) },
	degree: bilinear,
}

// matmulBack is the reverse of X·B for operands 0 and 1.
func matmulBack(c *call) {
	if c.width == 0 {
		return
	}
	k, dy := c.inner(), &c.out.adj
	if c.wants(1) {
		x, db := &c.in[0].val, c.in[1].adj.buf
		if c.width == 1 {
			vector.MatTVecAdd(c.n, db, 1, x.col(0, c.row), x.stride, c.dy(0), k)
		} else {
			vector.DenseGradient(c.n, db, 1, k, x.col(0, c.row), x.stride, c.dy(0), dy.stride, k, c.width)
		}
	}
	if !c.wants(0) || k == 0 {
		return
	}
	b, dx := c.in[1].val.buf, &c.in[0].adj // ∂X is ∂Y·Bᵀ
	if c.in[0].set {
		vector.Dense(c.n, dx.col(0, c.row), dx.stride, c.dy(0), dy.stride, b, k, 1, c.width, k, nil)
	} else {
		vector.DenseAdd(c.n, dx.col(0, c.row), dx.stride, c.dy(0), dy.stride, b, k, 1, c.width, k)
	}
}

// inner is the number of columns of a product's left matrix.
func (c *call) inner() int { return len(c.in[1].val.buf) / max(c.width, 1) }
