package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// matrixProducts are those of vector functions.
var matrixProducts = linear.Products{Add: vector.DenseAdd, Gradient: vector.DenseGradient}

var opCholesky = &op{
	name: "cholesky",
	doc:  "the lower triangular Cholesky factor; NaN for a matrix that is not positive definite", least: 1,
	most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if err := square(s); err != nil {
			return err
		}
		n.whole(s)
		n.room = s.Len()
		return nil
	},
	forward: func(c *call) { matrixProducts.Cholesky(c.out.val.buf, c.in[0].val.buf, c.node.shape[0]) },
	vjp: func(c *call) {
		copy(c.own, c.out.adj.buf)
		matrixProducts.CholeskyBack(c.in[0].adj.buf, c.own, c.out.val.buf, c.node.shape[0])
	},
	needs: func(int) need { return output },
}

func square(s Shape) error {
	if len(s) != 2 || s[0] != s[1] {
		return fmt.Errorf("takes a square matrix, got the shape %v", s)
	}
	return nil
}
