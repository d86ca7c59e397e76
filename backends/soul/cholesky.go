package soul

import "math"

// A cholesky is the lower factor of a positive definite matrix, by rows. It allocates nothing after it is made.
type cholesky struct {
	n      int
	matrix []float64 // to be filled before factor, both triangles
	lower  []float64
}

func newCholesky(n int) cholesky {
	return cholesky{n: n, matrix: make([]float64, n*n), lower: make([]float64, n*n)}
}

// factor finds the factor of the matrix, its diagonal raised by as much as it takes: by a growing multiple of its absolute values, so that a
// direction in which the density is not concave has a step of sensible length too. It reports false where the matrix is not finite or zero.
func (c *cholesky) factor() bool {
	largest := 0.0
	for i := range c.n {
		largest = max(largest, math.Abs(c.matrix[i*c.n+i]))
	}
	if !finite(square(c.matrix)) || largest == 0 && c.n > 0 {
		return false
	}
	for raise := 0.0; raise < 1e6; raise = max(0.25, 4*raise) {
		if c.try(raise, 1e-12*largest) {
			return true
		}
	}
	return false
}

func (c *cholesky) try(raise, least float64) bool {
	n, l := c.n, c.lower
	for i := range n {
		for j := range i + 1 {
			s := 0.5 * (c.matrix[i*n+j] + c.matrix[j*n+i])
			if i == j {
				s += raise * (math.Abs(s) + least)
			}
			s -= dot(l[i*n:i*n+j], l[j*n:])
			if i > j {
				l[i*n+j] = s / l[j*n+j]
				continue
			}
			if !(s > least) {
				return false
			}
			l[i*n+i] = math.Sqrt(s)
		}
	}
	return true
}

// solve overwrites v with the solution of matrix·u = v.
func (c *cholesky) solve(v []float64) {
	n, l := c.n, c.lower
	for i := range n {
		v[i] = (v[i] - dot(l[i*n:i*n+i], v)) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		v[i] /= l[i*n+i]
		for j := range i {
			v[j] -= l[i*n+j] * v[i]
		}
	}
}
