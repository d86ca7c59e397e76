package graph

import (
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// Columns. A predictor written term by term, a + b₁·x₁ + X₂·b₂ + …, becomes one product with the matrix of
// all x. The product reads that matrix once, and can be fused with a likelihood (see opLinear).

// A scaledSum is a sum of columns times numbers, matrices times vectors, and other summands (rest).
type scaledSum struct {
	x, b []ID // constant columns and matrices, and their factors
	rest []ID
}

// rewriteColumns writes sums of scaled columns as products, from the last node to the first, so that a sum is
// seen before its parts.
func (g *Graph) rewriteColumns() {
	for id := ID(len(g.nodes)) - 1; id >= 0; id-- {
		n := &g.nodes[id]
		if n.op != opAdd || len(n.shape) != 1 || n.shape[0] <= fewRows || g.uses(id) == 0 {
			continue
		}
		s := scaledSum{}
		for _, p := range n.in {
			s.collect(g, p, n.shape)
		}
		if s.gains(g) {
			g.multiply(id, s)
		}
	}
	g.compact()
}

// gains reports whether one product is better than the terms: where there are several, or one that is not yet
// a product.
func (s *scaledSum) gains(g *Graph) bool {
	if len(s.x) != 1 {
		return len(s.x) > 1
	}
	return len(g.nodes[s.x[0]].shape) == 1 && !slices.ContainsFunc(s.rest, func(p ID) bool {
		return g.nodes[p].op == opMatMul
	})
}

// collect splits a summand that nothing else reads into its parts.
func (s *scaledSum) collect(g *Graph, id ID, shape Shape) {
	n := &g.nodes[id]
	if n.shape.equal(shape) && g.uses(id) == 1 {
		switch n.op {
		case opAdd:
			s.collect(g, n.in[0], shape)
			s.collect(g, n.in[1], shape)
			return
		case opMatMul:
			if g.alone(n.in[0]) {
				s.x, s.b = append(s.x, n.in[0]), append(s.b, n.in[1])
				return
			}
		case opMul:
			for k := range 2 {
				if x, b := &g.nodes[n.in[k]], &g.nodes[n.in[1-k]]; x.kind == constant &&
					x.shape.equal(shape) && len(b.shape) == 0 {
					s.x, s.b = append(s.x, n.in[k]), append(s.b, n.in[1-k])
					return
				}
			}
		}
	}
	s.rest = append(s.rest, id)
}

// multiply makes node id the sum of one product and the rest. New nodes are inserted just before it.
func (g *Graph) multiply(id ID, s scaledSum) {
	rows := g.nodes[id].shape[0]
	var values []float64
	var made []def.Rescaling
	for _, x := range s.x {
		values, made = append(values, g.nodes[x].values...), append(made, g.nodes[x].makings()...)
	}
	b := &Builder{nodes: slices.Clone(g.nodes[:id])}
	add := func(o *op, in ...ID) ID {
		n := node{op: o, in: in}
		if err := o.infer(b, &n); err != nil {
			panic("graph: " + err.Error())
		}
		b.finish(&n)
		return b.push(n)
	}
	x := b.Const("columns", Shape{rows, len(values) / rows}, values)
	b.Made(x, made)
	total := add(opMatMul, x, add(opAppend, s.b...))
	for _, r := range s.rest {
		total = add(opAdd, r, total)
	}
	g.insert(id, b.nodes[id:total])
	g.nodes[total] = b.nodes[total]
}

// insert puts nodes before node id, and renumbers that node and those after it.
func (g *Graph) insert(id ID, fresh []node) {
	shift := ID(len(fresh))
	move := func(ids []ID) []ID {
		out := slices.Clone(ids)
		for i, p := range out {
			if p >= id {
				out[i] = p + shift
			}
		}
		return out
	}
	for k := int(id); k < len(g.nodes); k++ {
		g.nodes[k].in = move(g.nodes[k].in)
	}
	for _, list := range g.roots() {
		*list = move(*list)
	}
	for i, p := range g.parts {
		if p.node >= id {
			g.parts[i].node += shift
		}
	}
	g.nodes = slices.Insert(g.nodes, int(id), fresh...)
}
