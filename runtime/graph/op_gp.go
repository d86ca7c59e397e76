package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

// A correlation sets k to the correlations of pairs of points of a Gaussian process from their squared
// distances and the length scale, and, where by is not nil, by to their derivatives by the distance r over r.
// They depend on r/l, so that a derivative by l is -r²/l times by.
type correlation func(n int, k, by, r2 []float64, l float64)

func expQuad(n int, k, by, r2 []float64, l float64) {
	vector.Scale(n, k, r2, -1/(2*l*l))
	vector.Exp(n, k, k)
	if by != nil {
		vector.Scale(n, by, k, -1/(l*l))
	}
}

// matern sets k to e^-a and by to a = √(nu·r²)/l.
func matern(n int, k, by, r2 []float64, nu, l float64) {
	vector.Scale(n, by, r2, nu)
	vector.Sqrt(n, by, by)
	vector.DivScalar(n, by, by, l)
	vector.Neg(n, k, by)
	vector.Exp(n, k, k)
}

func matern32(n int, k, by, r2 []float64, l float64) {
	matern(n, k, by, r2, 3, l)
	c := -3 / (l * l)
	for i, a := range by[:n] {
		e := k[i]
		k[i], by[i] = (1+a)*e, c*e
	}
}

func matern52(n int, k, by, r2 []float64, l float64) {
	matern(n, k, by, r2, 5, l)
	c := -5 / (3 * l * l)
	for i, a := range by[:n] {
		e := k[i]
		k[i], by[i] = (1+a+float64(a*a)/3)*e, c*(1+a)*e
	}
}

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
			n.room = 4 * x[0]
			return nil
		},
		forward: func(c *call) {
			alpha, l, rows := c.in[1].val.buf[0], c.in[2].val.buf[0], c.node.shape[0]
			r2, by := c.own[:rows], c.own[rows:2*rows]
			for j := range rows {
				k := c.out.val.buf[rows*j:][:rows]
				c.distances(r2, j)
				of(rows, k, by, r2, l)
				vector.Scale(rows, k, k, alpha*alpha)
			}
		},
		vjp: func(c *call) {
			alpha, l, rows := c.in[1].val.buf[0], c.in[2].val.buf[0], c.node.shape[0]
			r2, by, k, d := c.own[:rows], c.own[rows:2*rows], c.own[2*rows:3*rows], c.own[3*rows:]
			for j := range rows { // the distance of a pair is in two columns
				dy := c.out.adj.buf[rows*j:]
				c.distances(r2, j)
				of(rows, k, by, r2, l)
				if c.wants(1) {
					c.in[1].adj.buf[0] += float64(2 * alpha * vector.Dot(rows, k, dy))
				}
				vector.Mul(rows, by, by, dy)
				vector.Scale(rows, by, by, alpha*alpha)
				if c.wants(2) {
					c.in[2].adj.buf[0] -= vector.Dot(rows, r2, by) / l
				}
				if c.wants(0) {
					c.apart(j, by, d)
				}
			}
		},
		needs: func(int) need { return allInputs },
	}
}

// distances sets r2 to the squared distances of all points, the rows of the first input, from point j.
func (c *call) distances(r2 []float64, j int) {
	x, rows := c.in[0].val.buf, c.node.shape[0]
	clear(r2)
	for at := 0; at < len(x); at += rows {
		by := x[at+j]
		for i, v := range x[at:][:rows] {
			d := v - by
			r2[i] += float64(d * d)
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
