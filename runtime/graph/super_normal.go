package graph

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// opNormal is the normal density of rows x; mu and sigma each have one value per row or one for all rows. For
// a constant sigma the node keeps 1/sigma, and the normalising constant is a constant part of the term. Where
// sigma is exp(u) with one u per row, u is a fourth input, so that log sigma is known.
var opNormal = &op{
	name: "fused", doc: "a normal log density without weights, value and partials in one step", least: 3,
	most:     4,
	elements: true,
	infer:    inferDensity,
	forward:  runNormal,
	vjp:      func(*call) {}, // done in forward
	flat:     func(k int) bool { return k == 3 },
}

var rewriteNormal = rewrite{"normal density", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.unweighted() != def.NormalRows {
		return
	}
	n.op = opNormal
	if s := &g.nodes[n.in[2]]; s.op == opFunc && s.fn.Vector == def.ExpLoop && n.links[2].rows {
		n.in, n.links = append(n.in[:3:3], s.in[0]), append(n.links[:3:3], n.links[2])
	}
	if s := &g.nodes[n.in[2]]; s.kind == constant && len(s.shape) < 2 && allPositive(s.values) {
		g.fixScale(id, s)
	}
}}

// allPositive reports whether values and their reciprocals are positive and finite.
func allPositive(v []float64) bool {
	for _, s := range v {
		if !(s > 0 && s <= math.MaxFloat64 && 1/s <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// halfLogTwoPi is log(2π)/2.
const halfLogTwoPi = 0.91893853320467274178032973640562

// fixScale computes the reciprocals of a constant sigma and moves Σ log p at the mode to the constants.
func (g *Graph) fixScale(id ID, sigma *node) {
	n := &g.nodes[id]
	n.inverse = make([]float64, len(sigma.values))
	for i, v := range sigma.values {
		n.inverse[i] = 1 / v
	}
	mode := 0.0
	for i := range g.nodes[n.in[0]].shape.Len() {
		mode -= portable.Log(sigma.values[n.links[2].element(i, n.frame)]) + halfLogTwoPi
	}
	for k := range g.parts {
		if g.parts[k].node == id {
			g.parts[k].value += float64(n.power * mode)
		}
	}
}

func runNormal(c *call) {
	for j := range c.width {
		if lp := c.normalColumn(j); math.Abs(lp) <= math.MaxFloat64 {
			*c.sum += float64(c.node.power * lp)
		} else {
			*c.sum += math.Inf(-1)
		}
	}
}

// normalColumn returns Σ log p of column j and adds the partials. With a constant sigma it leaves out Σ log p
// at the mode (see fixScale).
func (c *call) normalColumn(j int) float64 {
	sigma := &c.in[2]
	switch {
	case c.node.inverse != nil && sigma.rows:
		return -0.5 * c.normalRows(j, c.node.inverse[c.row:])
	case c.node.inverse != nil:
		lp, _ := c.normalOne(j, c.node.inverse[sigma.at(j)])
		return lp
	case sigma.rows:
		return c.normalScales(j)
	}
	s := c.num(2, j)
	if !(s > 0) {
		return math.NaN()
	}
	lp, squares := c.normalOne(j, 1/s)
	if c.wants(2) {
		*c.dnum(2, j) += c.node.power * (squares - float64(c.n)) / s
	}
	return lp - float64(float64(c.n)*(portable.Log(s)+halfLogTwoPi))
}

// fewRows is how many rows are computed one by one: calls of vector functions would cost more.
const fewRows = 4

// normalOne returns -Σ z²/2 and Σ z², z = (x-mu)·inv.
func (c *call) normalOne(j int, inv float64) (lp, squares float64) {
	if c.n <= fewRows {
		squares = c.normalFew(j, []float64{inv}, 0)
		return -0.5 * squares, squares
	}
	if c.in[1].rows {
		squares = c.normalMany(j, inv)
		return -0.5 * squares, squares
	}
	if c.n <= shortRows {
		squares = c.normalShort(j, nil, c.node.power*inv*inv) * inv * inv
		return -0.5 * squares, squares
	}
	z := c.scratch[0]
	c.residual(j, z)
	squares = vector.Dot(c.n, z, z) * inv * inv
	c.giveScaledTo(0, j, -c.node.power*inv*inv, z)
	c.giveScaledTo(1, j, c.node.power*inv*inv, z)
	return -0.5 * squares, squares
}

// normalMany is normalOne for a mean of its own in every row; it returns Σ z².
func (c *call) normalMany(j int, inv float64) float64 {
	var squares vector.SplitSum
	d := c.partial(1, j)
	if d == nil && c.wants(0) {
		d = c.scratch[0]
	}
	vector.Normal(c.n, &squares, c.vec(0, j), c.vec(1, j), inv, d)
	c.giveScaledTo(0, j, -c.node.power, d)
	c.givePartial(1, j, c.partial(1, j), nil)
	return squares.Sum()
}

// giveScaledTo is giveScaled if the adjoint is wanted, else it does nothing.
func (c *call) giveScaledTo(k, j int, s float64, t []float64) {
	if c.wants(k) {
		c.giveScaled(k, j, s, t)
	}
}

// residual sets z = x - mu.
func (c *call) residual(j int, z []float64) {
	if c.in[1].rows {
		vector.Sub(c.n, z, c.vec(0, j), c.vec(1, j))
		return
	}
	vector.AddScalar(c.n, z, c.vec(0, j), -c.num(1, j))
}

// normalFew is normalOne or normalRows element by element; row i has 1/sigma = inv[i·stride]. It returns Σ
// z².
func (c *call) normalFew(j int, inv []float64, stride int) float64 {
	x, mu, step := c.vec(0, j)[:c.n], c.operandFrom(1, j), 0
	if c.in[1].rows {
		step = 1
	}
	squares, sum := 0.0, 0.0
	var dx, dmu []float64
	if c.wants(0) {
		dx = c.sumInto(0, j)
	}
	if step == 1 && c.wants(1) {
		dmu = c.sumInto(1, j)
	}
	for i, v := range x {
		r := inv[i*stride]
		z := (v - mu[i*step]) * r
		squares += float64(z * z)
		z = float64(z * (c.node.power * r))
		sum += z
		if dx != nil {
			dx[i] -= z
		}
		if dmu != nil {
			dmu[i] += z
		}
	}
	if step == 0 && c.wants(1) {
		*c.dnum(1, j) += sum
	}
	return squares
}

// operandFrom returns operand k for column j from the block's first row on; its first element is the value
// where it is constant along the rows.
func (c *call) operandFrom(k, j int) []float64 {
	if o := &c.in[k]; !o.rows {
		return o.val.buf[o.at(j):]
	}
	return c.vec(k, j)
}

// normalRows returns Σ z² given 1/sigma for each row.
func (c *call) normalRows(j int, inv []float64) float64 {
	if c.n <= fewRows {
		return c.normalFew(j, inv, 1)
	}
	if c.n <= shortRows {
		return c.normalShort(j, inv, c.node.power)
	}
	z := c.scratch[0]
	c.residual(j, z)
	vector.Mul(c.n, z, z, inv)
	squares := vector.Dot(c.n, z, z)
	vector.Mul(c.n, z, z, inv)
	c.giveScaledTo(0, j, -c.node.power, z)
	c.giveScaledTo(1, j, c.node.power, z)
	return squares
}

// normalScales is normalColumn for a sigma of its own in every row.
func (c *call) normalScales(j int) float64 {
	z, inv, w := c.scratch[0], c.scratch[1], c.scratch[2]
	c.residual(j, z)
	vector.DivInto(c.n, inv, 1, c.vec(2, j))
	vector.Mul(c.n, z, z, inv)
	lp := float64(-0.5*vector.Dot(c.n, z, z)) - c.sumLogScale(j, w) - float64(float64(c.n)*halfLogTwoPi)
	vector.Mul(c.n, w, z, inv)
	c.giveScaledTo(0, j, -c.node.power, w)
	c.giveScaledTo(1, j, c.node.power, w)
	if c.wants(2) { // (z²-1)/sigma
		vector.Neg(c.n, inv, inv)
		vector.FMA(c.n, inv, z, w, inv)
		c.giveScaled(2, j, c.node.power, inv)
	}
	return lp
}

// sumLogScale returns Σ log sigma of a block; t is scratch.
func (c *call) sumLogScale(j int, t []float64) float64 {
	if len(c.in) > 3 {
		return vector.Sum(c.n, c.vec(3, j))
	}
	vector.Log(c.n, t, c.vec(2, j))
	return vector.Sum(c.n, t)
}
