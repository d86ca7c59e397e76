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

// Multiple divides a square matrix into a number that parameters change and a Cholesky factor that none does.
func (b *Builder) Multiple(id ID) (number ID, factor []float64, ok bool) {
	number, factor = b.timesMatrix(id)
	k := b.nodes[id].shape.rows()
	return number, factor, number != NoID && len(factor) == k*k && linear.CholeskyFactor(factor, k)
}

// RootOfInverse is a Cholesky factor of the inverse of a precision matrix that is a number times data.
func (b *Builder) RootOfInverse(id ID) (ID, bool) {
	number, matrix := b.timesMatrix(id)
	k := b.nodes[id].shape.rows()
	if number == NoID || len(matrix) != k*k || !linear.PositiveDefinite(matrix, k) {
		return NoID, false
	}
	l, inverse := make([]float64, k*k), make([]float64, k*k)
	matrixProducts.Cholesky(l, matrix, k)
	matrixProducts.Inverse(inverse, l, k)
	root := b.must("cholesky", b.Const("", Shape{k, k}, inverse))
	return b.must2("mul", b.must("inv", b.must("sqrt", number)), root)
}

// scaledFactor is the Cholesky factor of a constant covariance matrix, times the root of what that is
// multiplied by.
func (b *Builder) scaledFactor(id ID) (ID, bool) {
	number, matrix := b.timesMatrix(id)
	k := b.nodes[id].shape.rows()
	if number == NoID || len(matrix) != k*k || !linear.PositiveDefinite(matrix, k) {
		return NoID, false
	}
	return b.must2("mul", b.must("sqrt", number), b.must("cholesky", b.Const("", Shape{k, k}, matrix)))
}
