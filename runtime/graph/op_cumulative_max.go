package graph

import "fmt"

var opCumulativeMax = &op{
	name: "cumulative_max", doc: "the largest element so far along the last axis", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(s) == 0 {
			return fmt.Errorf("takes a vector or matrix, got a scalar")
		}
		n.whole(s)
		return nil
	},
	forward: func(c *call) {
		y, x := c.out.val.buf, c.in[0].val.buf
		step := lastStride(c.node.shape)
		copy(y, x)
		for i := step; i < len(y); i++ {
			y[i] = max(y[i-step], y[i])
		}
	},
	vjp: func(c *call) { // an element takes the adjoints of all from it to the next larger one
		x, y, dy, dx := c.in[0].val.buf, c.out.val.buf, c.out.adj.buf, c.in[0].adj.buf
		step := lastStride(c.node.shape)
		for s := range min(step, len(dy)) {
			sum := 0.0
			for i := len(dy) - step + s; i >= 0; i -= step {
				sum += dy[i]
				if first := i < step; first || y[i-step] < x[i] || y[i] != y[i] && y[i-step] == y[i-step] {
					dx[i] += sum
					sum = 0
				}
			}
		}
	},
	needs: func(int) need { return inputs(0) | output },
}
