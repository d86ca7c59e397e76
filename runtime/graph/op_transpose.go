package graph

import "fmt"

var opTranspose = &op{
	name: "transpose", doc: "the transpose of a matrix", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) != 2 {
			return fmt.Errorf("takes a matrix, got shape %v", s)
		}
		n.whole(Shape{s[1], s[0]})
		return nil
	},
	forward: func(c *call) {
		transpose(c.node.shape, c.out.val.buf, c.in[0].val.buf, func(y *float64, x *float64) { *y = *x })
	},
	vjp: func(c *call) {
		transpose(c.node.shape, c.out.adj.buf, c.in[0].adj.buf, func(dy *float64, dx *float64) { *dx += *dy })
	},
	degree: highest,
}

// transpose calls visit with each element of a matrix y of the given shape and the same element of its
// transpose x.
func transpose(shape Shape, y, x []float64, visit func(y, x *float64)) {
	rows, cols := shape[0], shape[1]
	for j := range cols {
		for i := range rows {
			visit(&y[j*rows+i], &x[i*cols+j])
		}
	}
}
