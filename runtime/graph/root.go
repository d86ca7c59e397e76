package graph

import (
	"slices"

	"github.com/vflc/vflc/stdlib/linear"
)

// A Rooted parameter X, a vector, is multiplied by Root, a triangular matrix that depends on other parameters
// alone: At is the product, and Root takes what that is multiplied by after.
type Rooted struct{ X, Root, At ID }

// Roots finds the vectors of parameters that one triangular matrix multiplies.
func (b *Builder) Roots() (out []Rooted) {
	products := map[ID][]Rooted{}
	for id := range b.nodes {
		if n := &b.nodes[id]; n.op == opMatMul && b.nodes[n.in[1]].kind == param {
			products[n.in[1]] = append(products[n.in[1]], Rooted{n.in[1], n.in[0], ID(id)})
		}
	}
	for _, x := range b.params {
		if len(products[x]) != 1 || len(b.nodes[x].shape) != 1 {
			continue
		}
		r, barred := products[x][0], b.reached(append(slices.Clone(b.inputs), x))
		if !b.triangular(r.Root) || barred[r.Root] {
			continue
		}
		for b.rescaled(&r, barred) {
		}
		if !b.Constant(r.Root) {
			out = append(out, r)
		}
	}
	return out
}

// rescaled goes on to the product of At with a number, if that is its only use.
func (b *Builder) rescaled(r *Rooted, barred []bool) bool {
	next, by := NoID, NoID
	for id := range barred { // what was there before
		n := &b.nodes[id]
		at := slices.Index(n.in, r.At)
		if at < 0 {
			continue
		}
		if next != NoID || n.op != opMul {
			return false
		}
		if next, by = ID(id), n.in[1-at]; barred[by] || b.nodes[by].shape.Len() != 1 {
			return false
		}
	}
	if next != NoID {
		r.At, r.Root = next, b.must("mul", r.Root, by)
	}
	return next != NoID
}

// triangular reports whether a node is a Cholesky factor, or a multiple of one.
func (b *Builder) triangular(id ID) bool {
	n := &b.nodes[id]
	if n.kind == constant {
		return len(n.shape) == 2 && n.shape[0] == n.shape[1] && linear.CholeskyFactor(n.values, n.shape[0])
	}
	return n.op == opCholesky || n.op == opMul && slices.ContainsFunc(n.in, b.triangular)
}
