package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// Short steps. A call of a vector function takes as long as some ten additions, so a step over no more rows
// than a register has lanes computes them here one by one, all that it does with a row at once. The results
// are those of the vector functions bit for bit: sums are of lanes, in their order.

// shortRows is the most rows of a short step.
const shortRows = len(vector.SplitSum{})

// giveShort is giveScaled for the rows of a short step, if the adjoint is wanted.
func (c *call) giveShort(k, j int, s float64, t *vector.SplitSum) {
	switch {
	case !c.wants(k):
	case !c.in[k].rows:
		*c.dnum(k, j) += float64(s * t.Sum())
	default:
		giveLanes(c.dvec(k, j)[:c.n], c.in[k].set, s, t)
	}
}

// giveLanes adds s·t to d, or sets d to it.
func giveLanes(d []float64, set bool, s float64, t *vector.SplitSum) {
	if d := full(d); d != nil {
		if set {
			for i, v := range t {
				d[i] = s * v
			}
			return
		}
		for i, v := range t {
			d[i] = math.FMA(s, v, d[i])
		}
		return
	}
	if set {
		for i := range d {
			d[i] = s * t[i%shortRows]
		}
		return
	}
	for i, v := range d {
		d[i] = math.FMA(s, t[i%shortRows], v)
	}
}

// normalShort is normalRows for a short step, and with no inv a standard normal scaled by a number whose
// square, times the power, is by.
func (c *call) normalShort(j int, inv []float64, by float64) (squares float64) {
	var z vector.SplitSum
	mu := c.operandFrom(1, j)
	if !c.in[1].rows {
		mu = mu[:1]
	}
	squares = normalLanes(&z, c.vec(0, j)[:c.n], mu, inv)
	c.giveShort(0, j, -by, &z)
	c.giveShort(1, j, by, &z)
	return squares
}

// full is the rows of a short step that has as many as a register has lanes, nil where it has fewer: loops
// over these have no bounds to check.
func full(v []float64) *vector.SplitSum {
	if len(v) == shortRows {
		return (*vector.SplitSum)(v)
	}
	return nil
}

// fullLanes is normalLanes for a full register.
func fullLanes(z, x *vector.SplitSum, mu, inv []float64) float64 {
	var square vector.SplitSum
	switch m, r := full(mu), full(inv); {
	case m == nil && r == nil:
		by := mu[0]
		for i, v := range x {
			v -= by
			square[i] = v * v
			z[i] = v
		}
	case r == nil:
		for i, v := range x {
			v -= m[i]
			square[i] = v * v
			z[i] = v
		}
	case m == nil:
		by := mu[0]
		for i, v := range x {
			t := (v - by) * r[i]
			square[i] = t * t
			z[i] = t * r[i]
		}
	default:
		for i, v := range x {
			t := (v - m[i]) * r[i]
			square[i] = t * t
			z[i] = t * r[i]
		}
	}
	return square.Sum()
}

// normalLanes sets z = (x - mu)·inv² and returns Σ ((x - mu)·inv)². There is one mu for all rows or one for
// each, and inv is 1 where there is none.
func normalLanes(z *vector.SplitSum, x, mu, inv []float64) float64 {
	if x := full(x); x != nil {
		return fullLanes(z, x, mu, inv)
	}
	var square vector.SplitSum
	switch m := mu[0]; {
	case len(mu) == 1 && inv == nil:
		for i, v := range x {
			v -= m
			square[i%shortRows] = v * v
			z[i%shortRows] = v
		}
	case inv == nil:
		for i, m := range mu[:len(x)] {
			v := x[i] - m
			square[i%shortRows] = v * v
			z[i%shortRows] = v
		}
	default:
		step := 0
		if len(mu) > 1 {
			step = 1
		}
		for i, r := range inv[:len(x)] {
			t := (x[i] - mu[i*step]) * r
			square[i%shortRows] = t * t
			z[i%shortRows] = t * r
		}
	}
	return square.Sum()
}

// opShift is c + s·v, v a vector and s and c numbers: effects of a hierarchy that are not centred.
var opShift = &op{
	name: "shift", doc: "c + s·v for rows v and numbers s and c", least: 3, most: 3,
	forward: func(c *call) {
		v, s, by := c.vec(0, 0), c.num(1, 0), c.num(2, 0)
		y := c.y(0)
		if c.n > shortRows {
			vector.Scale(c.n, y, v, s)
			vector.AddScalar(c.n, y, y, by)
			return
		}
		v, y = v[:c.n], y[:c.n]
		for i, x := range v {
			y[i] = float64(x*s) + by
		}
	},
	vjp: func(c *call) {
		dy := c.dy(0)
		if c.n > shortRows {
			c.giveScaledTo(0, 0, c.scaleOf(), dy)
			if c.wants(1) {
				*c.dnum(1, 0) += vector.Dot(c.n, dy, c.vec(0, 0))
			}
			if c.wants(2) {
				*c.dnum(2, 0) += vector.Sum(c.n, dy)
			}
			return
		}
		var d, product vector.SplitSum
		copy(d[:], dy[:c.n])
		c.giveShort(0, 0, c.scaleOf(), &d)
		if c.wants(1) {
			for i, x := range c.vec(0, 0)[:c.n] {
				product[i%shortRows] = d[i%shortRows] * x
			}
			*c.dnum(1, 0) += product.Sum()
		}
		if c.wants(2) {
			*c.dnum(2, 0) += d.Sum()
		}
	},
	needs:  func(k int) need { return [...]need{inputs(1), inputs(0), 0}[k] },
	degree: func(in []degree) degree { return max(bilinear(in[:2]), in[2]) },
}

// scaleOf is s, which is there where the adjoint of v is wanted.
func (c *call) scaleOf() float64 {
	if c.wants(0) {
		return c.num(1, 0)
	}
	return 0
}

var rewriteShift = rewrite{"shifted effects", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opAdd || n.width != 1 {
		return
	}
	for k := range 2 {
		m := &g.nodes[n.in[k]]
		if m.op != opMul || g.uses(n.in[k]) > 1 || !n.links[k].whole(true) || !n.links[1-k].whole(false) {
			continue
		}
		for f := range 2 {
			if m.links[f].whole(true) && m.links[1-f].whole(false) {
				n.op, n.in = opShift, []ID{m.in[f], m.in[1-f], n.in[1-k]}
				n.links = []link{m.links[f], m.links[1-f], n.links[1-k]}
				return
			}
		}
	}
}}

// whole reports whether a link of a node with one column reads the rows of an operand with one column, or
// else one number.
func (l *link) whole(rows bool) bool {
	return l.rows == rows && (l.cols == nil || !rows && len(l.cols) == 1)
}
