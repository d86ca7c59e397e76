package graph

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/portable"
)

// A correlation is the correlation of two points of a Gaussian process from their squared distance and the length scale, with its derivative by the distance r over r.
// It depends on r/l, so that its derivative by l is -r²/l times the second value.
type correlation func(r2, l float64) (k, byDistance float64)

func expQuad(r2, l float64) (k, byDistance float64) {
	k = portable.Exp(-r2 / (2 * l * l))
	return k, -k / (l * l)
}

func matern32(r2, l float64) (k, byDistance float64) {
	a := math.Sqrt(3*r2) / l
	e := portable.Exp(-a)
	return (1 + a) * e, -3 / (l * l) * e
}

func matern52(r2, l float64) (k, byDistance float64) {
	a := math.Sqrt(5*r2) / l
	e := portable.Exp(-a)
	return (1 + a + a*a/3) * e, -5 / (3 * l * l) * (1 + a) * e
}

var (
	opGPExpQuad  = covarianceOp("gp_exp_quad", expQuad)
	opGPMatern32 = covarianceOp("gp_matern32", matern32)
	opGPMatern52 = covarianceOp("gp_matern52", matern52)
)

// covarianceOp is the matrix alpha²·k of all pairs of points.
func covarianceOp(name string, of correlation) *op {
	return &op{
		name: name, doc: "the covariance matrix of a Gaussian process at points, from its standard deviation and length scale", least: 3, most: 3,
		infer: func(b *Builder, n *node) error {
			x := b.nodes[n.in[0]].shape
			if len(x) == 0 || len(x) > 2 || b.nodes[n.in[1]].shape.Len() != 1 || b.nodes[n.in[2]].shape.Len() != 1 {
				return fmt.Errorf("takes points and two numbers, got shapes %v, %v and %v", x, b.nodes[n.in[1]].shape, b.nodes[n.in[2]].shape)
			}
			n.whole(Shape{x[0], x[0]})
			return nil
		},
		forward: func(c *call) {
			alpha, l := c.in[1].val.buf[0], c.in[2].val.buf[0]
			rows := c.node.shape[0]
			for j := range rows {
				for i := j; i < rows; i++ {
					k, _ := of(c.distance(i, j), l)
					c.out.val.buf[i+rows*j], c.out.val.buf[j+rows*i] = alpha*alpha*k, alpha*alpha*k
				}
			}
		},
		vjp: func(c *call) {
			alpha, l := c.in[1].val.buf[0], c.in[2].val.buf[0]
			rows := c.node.shape[0]
			for j := range rows {
				for i := j; i < rows; i++ {
					dy := c.out.adj.buf[i+rows*j]
					if i > j {
						dy += c.out.adj.buf[j+rows*i]
					}
					r2 := c.distance(i, j)
					k, by := of(r2, l)
					if c.wants(1) {
						c.in[1].adj.buf[0] += float64(2 * alpha * k * dy)
					}
					by *= alpha * alpha * dy
					if c.wants(2) {
						c.in[2].adj.buf[0] -= float64(r2 / l * by)
					}
					if c.wants(0) {
						c.apart(i, j, by)
					}
				}
			}
		},
		needs: func(int) need { return allInputs },
	}
}

// distance is the squared distance of two points, the rows of the first input.
func (c *call) distance(i, j int) float64 {
	x, rows, sum := c.in[0].val.buf, c.node.shape[0], 0.0
	for at := 0; at < len(x); at += rows {
		d := x[at+i] - x[at+j]
		sum += float64(d * d)
	}
	return sum
}

// apart adds the derivative by two points, given that by their distance over the distance.
func (c *call) apart(i, j int, by float64) {
	x, dx, rows := c.in[0].val.buf, c.in[0].adj.buf, c.node.shape[0]
	for at := 0; at < len(x); at += rows {
		d := float64(by * (x[at+i] - x[at+j]))
		dx[at+i] += d
		dx[at+j] -= d
	}
}
