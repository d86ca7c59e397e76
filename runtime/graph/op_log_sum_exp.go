package graph

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

var opLogSumExp = &op{
	name: "log_sum_exp", doc: "log Σ exp along the last axis; of two inputs elementwise, broadcast", least: 1,
	most: 2,
	infer: func(b *Builder, n *node) error {
		if len(n.in) == 2 {
			return elementwise(b, n)
		}
		return alongLast(b, n, func(s Shape) Shape { return s[:len(s)-1] })
	},
	forward: func(c *call) {
		if len(c.in) == 2 {
			c.pairwise(logAddExp)
			return
		}
		if rows := len(c.out.val.buf); rows > fewRows {
			for lo := 0; lo < rows; lo += largestBlock {
				c.logSumExpRows(lo, min(lo+largestBlock, rows))
			}
			return
		}
		c.lines(len(c.out.val.buf), func(x line, k int) { c.out.val.buf[k] = logSumExp(x) })
	},
	vjp: func(c *call) {
		if len(c.in) == 2 {
			c.pairwiseSlopes(softmaxOf)
			return
		}
		if rows := len(c.out.val.buf); rows > fewRows {
			for lo := 0; lo < rows; lo += largestBlock {
				c.logSumExpSlopes(lo, min(lo+largestBlock, rows))
			}
			return
		}
		y, dy := c.out.val.buf, c.out.adj.buf
		c.lines(len(c.out.val.buf), func(x line, k int) {
			dx := x.in(c.in[0].adj.buf)
			for i := range x.n {
				*dx.at(i) += float64(dy[k] * softmaxOf(*x.at(i), y[k]))
			}
		})
	},
	needs: func(k int) need { return inputs(k) | output },
}

// logSumExpRows is the forward step for the lines from lo to hi, all of one element at a time.
func (c *call) logSumExpRows(lo, hi int) {
	x, rows, n := c.in[0].val.buf, len(c.out.val.buf), hi-lo
	largest, sum, t := c.scratch[0][:n], c.scratch[1][:n], c.scratch[2][:n]
	copy(largest, x[lo:hi])
	for at := rows + lo; at < len(x); at += rows {
		for i, v := range x[at:][:n] {
			largest[i] = max(largest[i], v) // without a branch: which is larger is as good as random
		}
	}
	clear(sum)
	for at := lo; at < len(x); at += rows {
		vector.Sub(n, t, x[at:][:n], largest)
		vector.Exp(n, t, t)
		vector.Accumulate(n, sum, t)
	}
	vector.Log(n, sum, sum)
	y := c.out.val.buf[lo:hi]
	vector.Add(n, y, largest, sum)
	for i, v := range largest {
		if math.IsInf(v, 0) {
			y[i] = v
		}
	}
}

// logSumExpSlopes is the reverse of logSumExpRows.
func (c *call) logSumExpSlopes(lo, hi int) {
	x, rows, n := c.in[0].val.buf, len(c.out.val.buf), hi-lo
	y, dy, t := c.out.val.buf[lo:hi], c.out.adj.buf[lo:hi], c.scratch[0][:n]
	for at := lo; at < len(x); at += rows {
		v, dx := x[at:][:n], c.in[0].adj.buf[at:][:n]
		vector.Sub(n, t, v, y)
		vector.Exp(n, t, t)
		for i := range t {
			if math.IsInf(v[i], -1) { // also where y is -∞
				t[i] = 0
			}
		}
		vector.MulAdd(n, dx, t, dy)
	}
}

var opSoftmax = &op{
	name: "softmax", doc: "exp(x)/Σ exp(x) along the last axis", least: 1, most: 1,
	infer: func(b *Builder, n *node) error { return alongLast(b, n, whole) },
	forward: func(c *call) {
		c.lines(lastStride(c.node.shape), func(x line, _ int) {
			total, y := logSumExp(x), x.in(c.out.val.buf)
			for i := range x.n {
				*y.at(i) = portable.Exp(*x.at(i) - total)
			}
		})
	},
	vjp: func(c *call) { // dx = y·(dy - Σ y·dy)
		c.lines(lastStride(c.node.shape), func(x line, _ int) {
			y, dy, dx := x.in(c.out.val.buf), x.in(c.out.adj.buf), x.in(c.in[0].adj.buf)
			sum := 0.0
			for i := range x.n {
				sum += float64(*y.at(i) * *dy.at(i))
			}
			for i := range x.n {
				*dx.at(i) += float64(*y.at(i) * (*dy.at(i) - sum))
			}
		})
	},
	needs: func(int) need { return output },
}

var opLogSoftmax = &op{
	name: "log_softmax", doc: "x - log Σ exp(x) along the last axis", least: 1, most: 1,
	infer: func(b *Builder, n *node) error { return alongLast(b, n, whole) },
	forward: func(c *call) {
		c.lines(lastStride(c.node.shape), func(x line, _ int) {
			total, y := logSumExp(x), x.in(c.out.val.buf)
			for i := range x.n {
				*y.at(i) = *x.at(i) - total
			}
		})
	},
	vjp: func(c *call) { // dx = dy - exp(y)·Σ dy
		c.lines(lastStride(c.node.shape), func(x line, _ int) {
			y, dy, dx := x.in(c.out.val.buf), x.in(c.out.adj.buf), x.in(c.in[0].adj.buf)
			sum := 0.0
			for i := range x.n {
				sum += *dy.at(i)
			}
			for i := range x.n {
				*dx.at(i) += *dy.at(i) - float64(portable.Exp(*y.at(i))*sum)
			}
		})
	},
	needs: func(int) need { return output },
}

func whole(s Shape) Shape { return s }

// alongLast makes n a node computed at once along the last axis of its input.
func alongLast(b *Builder, n *node, shape func(Shape) Shape) error {
	s := b.nodes[n.in[0]].shape
	if len(s) == 0 {
		return fmt.Errorf("takes a vector or matrix, got a scalar")
	}
	n.whole(shape(s))
	return nil
}

// A line is the n elements of an array along its last axis, step apart in memory.
type line struct {
	v              []float64
	start, step, n int
}

func (l line) at(i int) *float64 { return &l.v[l.start+i*l.step] }

// in is the same place in another array of the shape.
func (l line) in(v []float64) line { return line{v, l.start, l.step, l.n} }

// lines visits the lines of the first input, step of them; k counts.
func (c *call) lines(step int, visit func(x line, k int)) {
	v := c.in[0].val.buf
	for k := range step {
		visit(line{v, k, step, len(v) / step}, k)
	}
}

func logSumExp(x line) float64 {
	largest := math.Inf(-1)
	for i := range x.n {
		largest = math.Max(largest, *x.at(i))
	}
	if math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	sum := 0.0
	for i := range x.n {
		sum += portable.Exp(*x.at(i) - largest)
	}
	return largest + portable.Log(sum)
}

func logAddExp(a, b float64) float64 {
	largest := math.Max(a, b)
	if math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	return largest + portable.Log1p(portable.Exp(-math.Abs(a-b)))
}

// softmaxOf is exp(x - y) for y the logarithm of a sum that exp(x) is part of: 0 where all parts are 0.
func softmaxOf(x, y float64) float64 {
	if math.IsInf(x, -1) {
		return 0
	}
	return portable.Exp(x - y)
}
