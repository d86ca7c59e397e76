package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// A linearPart has the positions of X, b and the offset among the inputs of a likelihood with a linear
// predictor.
type linearPart struct{ x, b, offset int } // offset is -1 where there is no offset

// opLinear is a likelihood of rows whose predictor is X·b, X·b + c or X·b + o, with one o per row. One step
// computes the product, the likelihood and the product of the reverse, and reads X once. The lanes of its
// sums are added up after the last block.
var opLinear = &op{
	name: "fused", doc: "a log density of rows with a linear predictor, value and partials in one step",
	least: 1,
	infer: inferDensity,
	begin: func(c *call) {
		c.node.rows.begin(c.sums)
		c.sums.predictor.begin(c)
	},
	forward: func(c *call) {
		o := c.node.linear.offset
		c.sums.predictor.place(c)
		c.node.rows.linear(c, &c.sums.predictor.Predictor)
		if o >= 0 && c.in[o].rows {
			c.givePartial(o, 0, c.partial(o, 0), nil)
		}
	},
	end: func(c *call) {
		endRows(c)
		c.sums.predictor.end(c)
	},
	vjp: func(*call) {}, // done in forward
}

// A linearState is the predictor of one step.
type linearState struct {
	vector.Predictor
	// where opLevels is in its matrix: the next block, and the tile with which it begins
	block, tile int
}

func (s *linearState) begin(c *call) {
	clear(s.Gradient)
	s.Decimals = c.node.decimals
	s.C = 0
	if o := c.node.linear.offset; o >= 0 && !c.in[o].rows {
		s.C = c.num(o, 0)
	}
	s.SetAll(c.in[c.node.linear.b].val.buf)
}

// place moves to a block. The derivative in the predictor is written to the adjoint of the offset where that
// is wanted, else to scratch.
func (s *linearState) place(c *call) {
	s.moveTo(c, c.row)
	s.Offset, s.D = nil, c.scratch[0]
	if o := c.node.linear.offset; o >= 0 && c.in[o].rows {
		s.Offset = c.vec(o, 0)
		if s.C != 0 {
			s.Offset = c.scratch[1]
			vector.AddScalar(c.n, s.Offset, c.vec(o, 0), s.C)
		}
		if d := c.partial(o, 0); d != nil {
			s.D = d
		}
	}
}

// moveTo moves to the tile that begins with a row.
func (s *linearState) moveTo(c *call, row int) {
	if c.node.decimals.Whole != nil {
		s.Whole = c.node.decimals.Whole[row*len(s.B):]
	} else {
		s.X = c.in[c.node.linear.x].val.buf[row*len(s.B):]
	}
}

// end adds the gradient to the adjoints of b and the offset.
func (s *linearState) end(c *call) {
	l := c.node.linear
	if c.wants(l.b) {
		s.AddGradient(c.in[l.b].adj.buf, c.node.power)
	}
	if l.offset >= 0 && c.wants(l.offset) && !c.in[l.offset].rows {
		*c.dnum(l.offset, 0) += float64(c.node.power * s.Sum(len(s.B)))
	}
}

// rewriteLinear fuses a likelihood with its predictor, a product with a constant matrix that nothing else
// reads, with or without an offset.
var rewriteLinear = rewrite{"linear", func(g *Graph, id ID) {
	n := &g.nodes[id]
	r := n.rows
	if g.normalRow(n) {
		r = linearNormal
	}
	if r == nil || r.linear == nil {
		return
	}
	at := n.predictor()
	if n.width != 1 || n.links[at].cols != nil || g.uses(n.in[at]) > 1 {
		return
	}
	eta := &g.nodes[n.in[at]]
	product, offset, link, ok := g.product(eta)
	if !ok || !g.alone(product.in[0]) {
		return
	}
	n.op, n.rows, n.in, n.links = opLinear, r, slices.Clone(n.in), slices.Clone(n.links)
	n.linear = linearPart{x: at, b: len(n.in), offset: -1}
	n.in[n.linear.x], n.links[n.linear.x] = product.in[0], product.links[0]
	n.in, n.links = append(n.in, product.in[1]), append(n.links, product.links[1])
	if offset != NoID {
		n.linear.offset = len(n.in)
		n.in, n.links = append(n.in, offset), append(n.links, link)
	}
}}

// alone reports whether a node is a constant, not empty, that is read once.
func (g *Graph) alone(id ID) bool {
	n := &g.nodes[id]
	return n.kind == constant && n.shape.Len() > 0 && g.uses(id) == 1
}

// product splits a predictor into X·b and its offset, NoID if there is none.
func (g *Graph) product(eta *node) (product *node, offset ID, l link, ok bool) {
	switch eta.op {
	case opMatMul:
		return eta, NoID, link{}, eta.width == 1
	case opLayer:
		return eta, eta.in[2], eta.links[2], eta.width == 1
	case opAdd:
		for k := range 2 {
			p, o := &g.nodes[eta.in[k]], eta.links[1-k]
			if p.op == opMatMul && p.width == 1 && eta.width == 1 && g.uses(eta.in[k]) == 1 &&
				eta.links[k].rows && eta.links[k].cols == nil && o.cols == nil && o.rows {
				return p, eta.in[1-k], o, true
			}
		}
	}
	return nil, NoID, link{}, false
}

// endRows adds the value of a likelihood to the target: -Inf where it is not finite.
func endRows(c *call) {
	v := c.node.rows.end(c)
	if !(math.Abs(v) <= math.MaxFloat64) {
		v = math.Inf(-1)
	}
	*c.sum += float64(c.node.power * v)
}

// normalRow reports whether a node is a normal density of constants with a mean for each row and one sigma.
func (g *Graph) normalRow(n *node) bool {
	return n.op == opNormal && g.nodes[n.in[0]].kind == constant && n.links[0].rows && !n.links[2].rows &&
		n.links[1].rows
}

// linearNormal is opNormal for a linear predictor.
var linearNormal = &rowLikelihood{
	begin: func(s *rowSums) { s.sum = vector.SplitSum{} },
	linear: func(c *call, p *vector.Predictor) {
		vector.NormalLinear(c.n, &c.sums.sum, p, c.vec(0, 0), c.inverseScale())
	},
	end: func(c *call) float64 {
		squares := c.sums.sum.Sum()
		if c.node.inverse != nil {
			return -0.5 * squares
		}
		n, s := float64(c.node.frame), c.num(2, 0)
		if !(s > 0) {
			return math.NaN()
		}
		if c.wants(2) {
			*c.dnum(2, 0) += float64(c.node.power * (squares - n) / s)
		}
		return float64(-0.5*squares) - float64(n*(portable.Log(s)+halfLogTwoPi))
	},
}

// inverseScale is 1/sigma of a normal density with one sigma.
func (c *call) inverseScale() float64 {
	if c.node.inverse != nil {
		return c.node.inverse[c.in[2].at(0)]
	}
	return 1 / c.num(2, 0)
}
