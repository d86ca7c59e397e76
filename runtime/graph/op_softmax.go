package graph

import "github.com/vflc/vflc/runtime/vector"

var opSoftmax = &op{
	name: "softmax", doc: "exp(x)/Σ exp(x) along the last axis", least: 1, most: 1,
	infer: func(b *Builder, n *node) error { return normalises(b, n, opSoftmaxRows) },
	forward: func(c *call) {
		x, y := c.in[0].val.buf, c.out.val.buf
		vector.AddScalar(len(x), y, x, -c.logTotal())
		vector.Exp(len(x), y, y)
	},
	vjp: func(c *call) { // dx = y·(dy - Σ y·dy)
		y, dy, dx, t := c.out.val.buf, c.out.adj.buf, c.in[0].adj.buf, c.scratch[0]
		sum := vector.Dot(len(y), y, dy)
		for lo := 0; lo < len(y); lo += len(t) {
			n := min(len(t), len(y)-lo)
			vector.AddScalar(n, t, dy[lo:], -sum)
			vector.MulAdd(n, dx[lo:], t, y[lo:])
		}
	},
	needs: func(int) need { return output },
}

var opLogSoftmax = &op{
	name: "log_softmax", doc: "x - log Σ exp(x) along the last axis", least: 1, most: 1,
	infer: func(b *Builder, n *node) error { return normalises(b, n, opLogSoftmaxRows) },
	forward: func(c *call) {
		x := c.in[0].val.buf
		vector.AddScalar(len(x), c.out.val.buf, x, -c.logTotal())
	},
	vjp: func(c *call) { // dx = dy - exp(y)·Σ dy
		y, dy, dx, t := c.out.val.buf, c.out.adj.buf, c.in[0].adj.buf, c.scratch[0]
		sum := vector.Sum(len(y), dy)
		vector.Accumulate(len(y), dx, dy)
		for lo := 0; lo < len(y); lo += len(t) {
			n := min(len(t), len(y)-lo)
			vector.Exp(n, t, y[lo:])
			vector.Axpy(n, dx[lo:], -sum, t)
		}
	},
	needs: func(int) need { return output },
}

// normalises makes n a node that changes lines along the last axis: of a matrix by another operation, block
// by block of rows.
func normalises(b *Builder, n *node, rows *op) error {
	s := b.nodes[n.in[0]].shape
	if len(s) < 2 {
		return alongLast(b, n, whole)
	}
	n.op, n.attr.Shape = rows, s[len(s)-1:]
	n.rowwise(s)
	n.links = []link{{rows: true}}
	return nil
}

var opSoftmaxRows = &op{
	name: "softmax", doc: "exp(x)/Σ exp(x) along the last axis of a matrix", least: 1, most: 1,
	forward: func(c *call) {
		c.normalised()
		for j := range c.width {
			vector.Exp(c.n, c.y(j), c.y(j))
		}
	},
	vjp: func(c *call) { // dx = y·(dy - Σ y·dy)
		sum, t := c.scratch[0][:c.n], c.scratch[1]
		lines := c.width / c.lastAxis()
		for j := range lines {
			clear(sum)
			for at := j; at < c.width; at += lines {
				vector.MulAdd(c.n, sum, c.y(at), c.dy(at))
			}
			for at := j; at < c.width; at += lines {
				vector.Sub(c.n, t, c.dy(at), sum)
				vector.Mul(c.n, t, t, c.y(at))
				c.give(0, at, t)
			}
		}
	},
	needs: func(int) need { return output },
}

var opLogSoftmaxRows = &op{
	name: "log_softmax", doc: "x - log Σ exp(x) along the last axis of a matrix", least: 1, most: 1,
	forward: func(c *call) { c.normalised() },
	vjp: func(c *call) { // dx = dy - exp(y)·Σ dy
		sum, t := c.scratch[0][:c.n], c.scratch[1]
		lines := c.width / c.lastAxis()
		for j := range lines {
			clear(sum)
			for at := j; at < c.width; at += lines {
				vector.Accumulate(c.n, sum, c.dy(at))
			}
			for at := j; at < c.width; at += lines {
				vector.Exp(c.n, t, c.y(at))
				vector.Mul(c.n, t, t, sum)
				vector.Sub(c.n, t, c.dy(at), t)
				c.give(0, at, t)
			}
		}
	},
	needs: func(int) need { return output },
}

// normalised sets the output to the input less log Σ exp along the last axis.
func (c *call) normalised() {
	total, lines := c.scratch[logSumScratch], c.width/c.lastAxis()
	for j := range lines {
		c.logSum(total[:c.n], c.lastAxis(), func(k int) []float64 { return c.vec(0, j+k*lines) })
		for at := j; at < c.width; at += lines {
			vector.Sub(c.n, c.y(at), c.vec(0, at), total)
		}
	}
}
