package graph

import (
	"slices"

	"github.com/vflc/vflc/stdlib/linear"
)

// Root is the triangular matrix that a parameter, a vector, is multiplied by where it is used, as far as that
// is computed from other parameters and not the same for all draws; at is the product. A number by which that
// is multiplied is part of the matrix. NoID where there is none, or several.
func (b *Builder) Root(x ID) (root, at ID) {
	root, at = NoID, NoID
	for id := range b.nodes {
		n := &b.nodes[id]
		if n.op != opMatMul || n.in[1] != x || len(n.shape) != 1 {
			continue
		}
		if root != NoID || !b.triangular(n.in[0]) {
			return NoID, NoID
		}
		root, at = n.in[0], ID(id)
	}
	barred := b.reached(append(slices.Clone(b.inputs), x))
	if root == NoID || barred[root] {
		return NoID, NoID
	}
	for {
		next, by := b.rescaled(at, barred)
		if next == NoID {
			break
		}
		root, at = b.must("mul", root, by), next
	}
	if b.Constant(root) {
		return NoID, NoID
	}
	return root, at
}

// rescaled is the product of a node with a number, if that is its only use.
func (b *Builder) rescaled(at ID, barred []bool) (next, by ID) {
	next, by = NoID, NoID
	for id := range barred { // nodes that Root adds are none
		n := &b.nodes[id]
		k := slices.Index(n.in, at)
		if k < 0 {
			continue
		}
		if next != NoID || n.op != opMul {
			return NoID, NoID
		}
		if next, by = ID(id), n.in[1-k]; barred[by] || b.nodes[by].shape.Len() != 1 {
			return NoID, NoID
		}
	}
	return next, by
}

// triangular reports whether a node is a Cholesky factor, or a multiple of one.
func (b *Builder) triangular(id ID) bool {
	n := &b.nodes[id]
	if n.kind == constant {
		return len(n.shape) == 2 && n.shape[0] == n.shape[1] && linear.CholeskyFactor(n.values, n.shape[0])
	}
	return n.op == opCholesky || n.op == opMul && slices.ContainsFunc(n.in, b.triangular)
}
