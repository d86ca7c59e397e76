package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opCumulativeSum = &op{
	name: "cumulative_sum", doc: "running sums along the last axis", least: 1, most: 1,
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
		if step <= singlyRows {
			for i := step; i < len(y); i++ {
				y[i] += y[i-step]
			}
			return
		}
		for i := step; i < len(y); i += step {
			vector.Accumulate(step, y[i:], y[i-step:])
		}
	},
	vjp: func(c *call) { // ∂x_i = Σ_{k ≥ i} dy_k along the axis
		dy, dx := c.out.adj.buf, c.in[0].adj.buf
		step := lastStride(c.node.shape)
		if step <= singlyRows {
			for s := range min(step, len(dy)) {
				sum := 0.0
				for i := len(dy) - step + s; i >= 0; i -= step {
					sum += dy[i]
					dx[i] += sum
				}
			}
			return
		}
		for lo := 0; lo < step; lo += scratchLength {
			n := min(scratchLength, step-lo)
			sum := c.scratch[0][:n]
			clear(sum)
			for i := len(dy) - step + lo; i >= 0; i -= step {
				vector.Accumulate(n, sum, dy[i:])
				vector.Accumulate(n, dx[i:], sum)
			}
		}
	},
	degree: highest,
}

// singlyRows is up to how many rows a loop over numbers beats calls of vector functions each of which waits
// for what the one before has stored.
const singlyRows = 16

// lastStride is the distance in memory between neighbours along the last axis.
func lastStride(s Shape) int { return s[:len(s)-1].Len() }
