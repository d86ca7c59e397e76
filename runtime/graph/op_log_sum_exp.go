package graph

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

var opLogSumExp = &op{
	name: "log_sum_exp", doc: "log Σ exp along the last axis; of several inputs elementwise, broadcast",
	least: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		switch {
		case len(n.in) > 1:
			n.op = opLogSumOf
			return elementwise(b, n)
		case len(s) > 1:
			n.op, n.attr.Shape = opLogSumRows, s[len(s)-1:]
			n.rowwise(s[:len(s)-1])
			n.links = []link{{rows: true}}
			return nil
		}
		return alongLast(b, n, func(s Shape) Shape { return s[:len(s)-1] })
	},
	forward: func(c *call) { c.out.val.buf[0] = c.logTotal() },
	vjp: func(c *call) {
		x, dx, t := c.in[0].val.buf, c.in[0].adj.buf, c.scratch[0]
		for lo := 0; lo < len(x); lo += len(t) {
			n := min(len(t), len(x)-lo)
			vector.AddScalar(n, t, x[lo:], -c.out.val.buf[0])
			vector.Exp(n, t, t)
			for i := range n {
				if math.IsInf(x[lo+i], -1) { // also where the sum is 0
					t[i] = 0
				}
			}
			vector.Axpy(n, dx[lo:], c.out.adj.buf[0], t)
		}
	},
	needs: func(k int) need { return inputs(k) | output },
}

// opLogSumRows is log Σ exp along the last axis of a matrix, for a block of its rows.
var opLogSumRows = &op{
	name: "log_sum_exp", doc: "log Σ exp along the last axis", least: 1, most: 1,
	forward: func(c *call) {
		parts := c.lastAxis()
		for j := range c.width {
			c.logSum(c.y(j)[:c.n], parts, func(k int) []float64 { return c.vec(0, j+k*c.width) })
		}
	},
	vjp: func(c *call) {
		parts := c.lastAxis()
		for j := range c.width {
			c.giveShares(j, parts, func(k int) (operand, column int) { return 0, j + k*c.width })
		}
	},
	needs: func(int) need { return inputs(0) | output },
}

// lastAxis is the length of the axis along which a step adds up.
func (c *call) lastAxis() int { return c.node.attr.Shape[0] }

// opLogSumOf is log Σ exp of its inputs, element by element.
var opLogSumOf = &op{
	name: "log_sum_exp", doc: "log Σ exp of several inputs, elementwise, broadcast", least: 2,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			c.logSum(c.y(j)[:c.n], len(c.in), func(k int) []float64 {
				return c.spread(k, j, logSumScratch+k)
			})
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			c.giveShares(j, len(c.in), func(k int) (operand, column int) { return k, j })
		}
	},
	needs: func(k int) need { return inputs(k) | output },
}

// The scratch vectors of logSum come first.
const logSumScratch = 3

// logSum sets y to log Σ exp of some parts.
func (c *call) logSum(y []float64, parts int, part func(k int) []float64) {
	n := c.n
	largest, sum, t := c.scratch[0][:n], c.scratch[1][:n], c.scratch[2]
	copy(largest, part(0)[:n])
	for k := 1; k < parts; k++ {
		x := part(k)
		vector.Sub(n, sum, x, largest)
		vector.Relu(n, t, sum) // not 0 where x is larger
		if parts == 2 {
			vector.Neg(n, y, sum)
			vector.Select(n, sum, t, y, sum) // minus the distance
		}
		vector.Select(n, largest, t, x, largest)
	}
	if parts == 2 { // without loss where the smaller part is next to nothing
		vector.Log1pExp(n, y, sum)
	} else {
		clear(sum)
		for k := 0; k < parts; {
			m := c.together(parts - k)
			for i := range m {
				vector.Sub(n, t[i*n:], part(k+i), largest)
			}
			vector.Exp(m*n, t, t)
			for i := range m {
				vector.Accumulate(n, sum, t[i*n:])
			}
			k += m
		}
		vector.Log(n, y, sum)
	}
	vector.Add(n, y, y, largest)
	if !math.IsNaN(vector.Sum(n, y)) {
		return
	}
	for i, v := range largest { // ∞ - ∞
		if math.IsInf(v, 0) {
			y[i] = v
		}
	}
}

// together is how many of some vectors are computed as one: as many as fill a block.
func (c *call) together(vectors int) int { return max(1, min(vectors, smallestBlock/max(c.n, 1))) }

// giveShares adds what column j of the output gives to the parts of its sum, columns of operands: its adjoint
// times exp(x - y), 0 where a part x is -∞.
func (c *call) giveShares(j, parts int, part func(k int) (operand, column int)) {
	n, t, y := c.n, c.scratch[0], c.y(j)
	sum := vector.Sum(n, y)
	lost := math.IsInf(sum, -1) || math.IsNaN(sum) // all parts of an element may be 0
	for next := 0; next < parts; {
		first, m := next, 0
		for ; next < parts && m < c.together(parts); next++ {
			if k, column := part(next); c.wants(k) {
				vector.Sub(n, t[m*n:], c.spread(k, column, logSumScratch), y)
				m++
			}
		}
		vector.Exp(m*n, t, t)
		m = 0
		for ; first < next; first++ {
			if k, column := part(first); c.wants(k) {
				c.giveShare(k, column, c.dy(j), t[m*n:], lost)
				m++
			}
		}
	}
}

// giveShare adds dy·share to the adjoint of a column of an operand.
func (c *call) giveShare(k, column int, dy, share []float64, lost bool) {
	n := c.n
	if lost {
		for i, x := range c.spread(k, column, logSumScratch)[:n] {
			if math.IsInf(x, -1) { // also where y is -∞
				share[i] = 0
			}
		}
	}
	switch {
	case !c.in[k].rows:
		*c.dnum(k, column) += vector.Dot(n, share, dy)
	case c.in[k].set:
		vector.Mul(n, c.dvec(k, column), share, dy)
	default:
		vector.MulAdd(n, c.dvec(k, column), share, dy)
	}
}

// alongLast makes n a node computed at once along the only axis of its input.
func alongLast(b *Builder, n *node, shape func(Shape) Shape) error {
	s := b.nodes[n.in[0]].shape
	if len(s) == 0 {
		return fmt.Errorf("takes a vector or matrix, got a scalar")
	}
	n.whole(shape(s))
	return nil
}

func whole(s Shape) Shape { return s }

// logTotal is log Σ exp of a vector.
func (c *call) logTotal() float64 {
	x, t, largest, sum := c.in[0].val.buf, c.scratch[0], math.Inf(-1), 0.0
	for _, v := range x {
		largest = math.Max(largest, v)
	}
	if math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	for lo := 0; lo < len(x); lo += len(t) {
		n := min(len(t), len(x)-lo)
		vector.AddScalar(n, t, x[lo:], -largest)
		vector.Exp(n, t, t)
		sum += vector.Sum(n, t)
	}
	return largest + portable.Log(sum)
}
