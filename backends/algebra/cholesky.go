// Package algebra is the linear algebra of algorithms, of matrices of the size of a party's parameters, with
// the same bits on every processor: symmetric systems, ranges of low rank, linear forms,
// and directions of descent.
package algebra

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/linear"
)

// A Factor is the lower factor of a positive definite matrix, by rows. It allocates nothing after it is made.
type Factor struct {
	n      int
	Matrix []float64 // to be filled before Decompose, both triangles
	Lower  []float64 // set by Decompose
}

// NewFactor makes room for a matrix of n rows.
func NewFactor(n int) Factor {
	return Factor{n: n, Matrix: make([]float64, n*n), Lower: make([]float64, n*n)}
}

// Decompose finds the factor of the matrix, its diagonal raised by as much as it takes: by a growing multiple
// of its absolute values, so that a direction in which the density is not concave has a step of sensible
// length too. It reports false where the matrix is not finite or zero.
func (c *Factor) Decompose() bool {
	largest := 0.0
	for i := range c.n {
		largest = max(largest, math.Abs(c.Matrix[i*c.n+i]))
	}
	if square := dot(c.Matrix, c.Matrix); square-square != 0 || largest == 0 && c.n > 0 {
		return false
	}
	for raise := 0.0; raise < 1e6; raise = max(0.25, 4*raise) {
		if c.try(raise, 1e-12*largest) {
			return true
		}
	}
	return false
}

// Definite finds the factor of the matrix as it is, and reports whether the matrix is positive definite.
func (c *Factor) Definite() bool {
	largest := 0.0
	for i := range c.n {
		largest = max(largest, math.Abs(c.Matrix[i*c.n+i]))
	}
	return largest-largest == 0 && c.try(0, 1e-14*largest)
}

func (c *Factor) try(raise, least float64) bool {
	n, l := c.n, c.Lower
	for i := range n {
		for j := range i + 1 {
			s := float64(0.5 * (c.Matrix[i*n+j] + c.Matrix[j*n+i]))
			if i == j {
				s += float64(raise * (math.Abs(s) + least))
			}
			l[i*n+j] = s
		}
	}
	return linear.CholeskyRows(l, n, least)
}

// Solve overwrites v with the solution of Matrix·u = v.
func (c *Factor) Solve(v []float64) {
	c.Forward(v)
	c.Backward(v)
}

// Forward overwrites v with the solution of L·u = v.
func (c *Factor) Forward(v []float64) {
	n, l := c.n, c.Lower
	for i := range n {
		v[i] = (v[i] - dot(l[i*n:i*n+i], v)) / l[i*n+i]
	}
}

// Backward overwrites v with the solution of Lᵀ·u = v.
func (c *Factor) Backward(v []float64) {
	n, l := c.n, c.Lower
	for i := n - 1; i >= 0; i-- {
		v[i] /= l[i*n+i]
		for j := range i {
			v[j] -= float64(l[i*n+j] * v[i])
		}
	}
}

// LogDet is the logarithm of the determinant.
func (c *Factor) LogDet() float64 {
	sum := 0.0
	for i := range c.n {
		sum += float64(2 * portable.Log(c.Lower[i*c.n+i]))
	}
	return sum
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	t := 0.0
	for i, v := range a {
		t += float64(v * b[i])
	}
	return t
}

// Len is the number of rows.
func (c *Factor) Len() int { return c.n }
