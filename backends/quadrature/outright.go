package quadrature

import (
	"math"

	"github.com/vflc/vflc/backends/cholesky"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The system of the joint Gaussian is the identity plus a matrix M of the rank that there are parameters. The products of M with more columns than that show
// its whole range, and M itself on it: with Q a basis of the range, M = QTQᵀ and MP = QC follow T = C(QᵀP)⁺.

// negligible is the length, relative to the longest, of a column that is a combination of others up to rounding.
const negligible = 1e-8

// outright solves the system from the first products, q = p + Mp at p = r. It reports false where there are too few columns for that.
func (c *conjugate) outright(columns int) bool {
	y := make([]float64, c.n*columns)
	vec.Sub(len(y), y, c.q, c.p)
	basis := c.basis(y, columns)
	if basis == nil {
		return false
	}
	d := len(basis)
	z, image := make([]float64, d*columns), make([]float64, d*columns)
	for k, b := range basis {
		for col := range columns {
			p, q := c.p[col*c.n:][:c.n], c.q[col*c.n:][:c.n]
			z[k*columns+col] = vec.Dot(c.n, b, p)
			image[k*columns+col] = vec.Dot(c.n, b, q) - z[k*columns+col]
		}
	}
	t, ok := regress(image, z, d, columns)
	if !ok {
		return false
	}
	system := cholesky.New(d)
	for i := range d {
		for j := range d {
			system.Matrix[i*d+j] = 0.5 * (t[i*d+j] + t[j*d+i])
		}
		system.Matrix[i*d+i]++
	}
	if !system.Definite() {
		return false
	}
	h := make([]float64, d)
	for col := range columns {
		v := c.v[col*c.n:][:c.n]
		copy(v, c.r[col*c.n:])
		for k := range h {
			h[k] = z[k*columns+col]
		}
		system.Solve(h)
		for k, b := range basis {
			vec.Axpy(c.n, v, h[k]-z[k*columns+col], b)
		}
	}
	return true
}

// basis is an orthonormal one of the columns, by Gram and Schmidt's method with the longest remaining column next; nil where its size is more than half their number.
// It overwrites the columns.
func (c *conjugate) basis(y []float64, columns int) [][]float64 {
	basis, first := [][]float64{}, 0.0
	for {
		longest, at := 0.0, 0
		for col := range columns {
			if l := vec.Dot(c.n, y[col*c.n:], y[col*c.n:]); l > longest {
				longest, at = l, col
			}
		}
		first = max(first, longest)
		if math.Sqrt(longest) <= negligible*math.Sqrt(first) {
			return basis
		}
		if len(basis) >= columns/2 || !finite(longest) {
			return nil
		}
		b := append([]float64(nil), y[at*c.n:][:c.n]...)
		for _, a := range basis { // once more, for rounding
			vec.Axpy(c.n, b, -vec.Dot(c.n, a, b), a)
		}
		vec.Scale(c.n, b, b, 1/math.Sqrt(vec.Dot(c.n, b, b)))
		for col := range columns {
			v := y[col*c.n:][:c.n]
			vec.Axpy(c.n, v, -vec.Dot(c.n, b, v), b)
		}
		basis = append(basis, b)
	}
}

// regress finds the d × d matrix that maps the columns of z to those of image best.
func regress(image, z []float64, d, columns int) ([]float64, bool) {
	f, t := cholesky.New(d), make([]float64, d*d)
	for i := range d {
		for j := range d {
			f.Matrix[i*d+j] = vec.Dot(columns, z[i*columns:], z[j*columns:])
			t[i*d+j] = vec.Dot(columns, image[i*columns:], z[j*columns:])
		}
	}
	if !f.Definite() {
		return nil, false
	}
	for i := range d {
		f.Solve(t[i*d:][:d])
	}
	return t, true
}
