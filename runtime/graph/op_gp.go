package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// A correlation is that of pairs of points of a Gaussian process as a function of their squared distances and
// the length scale. value sets k, with t as scratch. slope sets by, given k or a multiple of it, to the same
// multiple of its derivatives by the distance r over r. k depends on r/l, so that a derivative by l is -r²/l
// times by.
type correlation struct {
	value func(n int, k, t, r2 []float64, l float64)
	slope func(n int, by, k, r2 []float64, l float64)
}

var expQuad = correlation{func(n int, k, _, r2 []float64, l float64) {
	vector.Scale(n, k, r2, -1/(2*l*l))
	vector.Exp(n, k, k)
}, func(n int, by, k, _ []float64, l float64) { vector.Scale(n, by, k, -1/(l*l)) }}

// scaledDistances sets a to √(nu·r²)/l.
func scaledDistances(n int, a, r2 []float64, nu, l float64) {
	vector.Scale(n, a, r2, nu)
	vector.Sqrt(n, a, a)
	vector.DivScalar(n, a, a, l)
}

// matern sets a to √(nu·r²)/l and k to e^-a.
func matern(n int, k, a, r2 []float64, nu, l float64) {
	scaledDistances(n, a, r2, nu, l)
	vector.Neg(n, k, a)
	vector.Exp(n, k, k)
}

var matern32 = correlation{func(n int, k, t, r2 []float64, l float64) {
	matern(n, k, t, r2, 3, l)
	for i, a := range t[:n] {
		k[i] *= 1 + a
	}
}, func(n int, by, k, r2 []float64, l float64) {
	scaledDistances(n, by, r2, 3, l)
	c := -3 / (l * l)
	for i, a := range by[:n] {
		by[i] = c * k[i] / (1 + a)
	}
}}

var matern52 = correlation{func(n int, k, t, r2 []float64, l float64) {
	matern(n, k, t, r2, 5, l)
	for i, a := range t[:n] {
		k[i] *= 1 + a + float64(a*a)/3
	}
}, func(n int, by, k, r2 []float64, l float64) {
	scaledDistances(n, by, r2, 5, l)
	c := -5 / (3 * l * l)
	for i, a := range by[:n] {
		by[i] = c * k[i] * (1 + a) / (1 + a + float64(a*a)/3)
	}
}}

var (
	opGPExpQuad  = covarianceOp("gp_exp_quad", expQuad)
	opGPMatern32 = covarianceOp("gp_matern32", matern32)
	opGPMatern52 = covarianceOp("gp_matern52", matern52)
)

// covarianceOp is the matrix alpha²·k of all pairs of points.
func covarianceOp(name string, of correlation) *op {
	return &op{
		name: name, doc: "the covariance matrix of a Gaussian process at points, from its standard " +
			"deviation and length scale", least: 3, most: 3,
		infer: func(b *Builder, n *node) error {
			x := b.nodes[n.in[0]].shape
			if len(x) == 0 || len(x) > 2 || b.nodes[n.in[1]].shape.Len() != 1 ||
				b.nodes[n.in[2]].shape.Len() != 1 {
				return fmt.Errorf("takes points and two numbers, got shapes %v, %v and %v", x,
					b.nodes[n.in[1]].shape, b.nodes[n.in[2]].shape)
			}
			n.whole(Shape{x[0], x[0]})
			n.room = 3 * x[0]
			return nil
		},
		forward: func(c *call) { c.covariances(of) },
		vjp:     func(c *call) { c.covariancesBack(of) },
		needs:   func(int) need { return allInputs | output },
	}
}

// covariances computes the lower triangle, and copies it to the upper one.
func (c *call) covariances(of correlation) {
	alpha, l, rows := c.in[1].val.buf[0], c.in[2].val.buf[0], c.node.shape[0]
	r2, t := c.own[:rows], c.own[rows:]
	for j := range rows {
		k := c.out.val.buf[rows*j+j:][:rows-j]
		c.distances(r2, t, j, j)
		of.value(len(k), k, t, r2, l)
		vector.Scale(len(k), k, k, alpha*alpha)
	}
	linear.Mirror(c.out.val.buf, rows, rows)
}

// covariancesBack takes column by column: the distance of a pair is in two of them.
func (c *call) covariancesBack(of correlation) {
	alpha, l, rows := c.in[1].val.buf[0], c.in[2].val.buf[0], c.node.shape[0]
	r2, by, d := c.own[:rows], c.own[rows:2*rows], c.own[2*rows:]
	for j := range rows {
		k, dy := c.out.val.buf[rows*j:], c.out.adj.buf[rows*j:]
		if c.wants(1) && alpha != 0 {
			c.in[1].adj.buf[0] += 2 * vector.Dot(rows, k, dy) / alpha
		}
		if !c.wants(0) && !c.wants(2) {
			continue
		}
		c.distances(r2, d, j, 0)
		of.slope(rows, by, k, r2, l)
		vector.Mul(rows, by, by, dy)
		if c.wants(2) {
			c.in[2].adj.buf[0] -= vector.Dot(rows, r2, by) / l
		}
		if c.wants(0) {
			c.apart(j, by, d)
		}
	}
}

// distances sets r2 to the squared distances of points, the rows of the first input, from point j, of those
// from one on. d is scratch.
func (c *call) distances(r2, d []float64, j, from int) {
	x, rows := c.in[0].val.buf, c.node.shape[0]
	n := rows - from
	if len(x) == 0 {
		clear(r2[:n])
	}
	for at := 0; at < len(x); at += rows {
		vector.AddScalar(n, d, x[at+from:], -x[at+j])
		if at == 0 {
			vector.Mul(n, r2, d, d)
		} else {
			vector.MulAdd(n, r2, d, d)
		}
	}
}

// apart adds the derivatives by the points, given those by their distances from point j over the distances. d
// is scratch.
func (c *call) apart(j int, by, d []float64) {
	x, dx, rows := c.in[0].val.buf, c.in[0].adj.buf, c.node.shape[0]
	for at := 0; at < len(x); at += rows {
		vector.AddScalar(rows, d, x[at:], -x[at+j])
		vector.Mul(rows, d, d, by)
		vector.Accumulate(rows, dx[at:], d)
		dx[at+j] -= vector.Sum(rows, d)
	}
}
