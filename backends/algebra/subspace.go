package algebra

import (
	"math"

	vec "github.com/vflc/vflc/runtime/vector"
)

// negligible is the length, relative to the longest, of a column that is a combination of others up to
// rounding.
const negligible = 1e-8

// Basis is an orthonormal one of columns of n numbers, by Gram and Schmidt's method with the longest
// remaining column next; nil where it has more than most vectors. It overwrites the columns.
func Basis(y []float64, n, most int) [][]float64 {
	basis, _ := BasisOf(y, n, most)
	return basis
}

// BasisOf is Basis with the products of the vectors with the columns, vector by vector.
func BasisOf(y []float64, n, most int) (basis [][]float64, products []float64) {
	basis, first := [][]float64{}, 0.0
	columns := len(y) / n
	for {
		longest, at := 0.0, 0
		for col := range columns {
			if l := vec.Dot(n, y[col*n:], y[col*n:]); l > longest {
				longest, at = l, col
			}
		}
		first = max(first, longest)
		if math.Sqrt(longest) <= negligible*math.Sqrt(first) {
			return basis, products
		}
		if len(basis) >= most || !(longest <= math.MaxFloat64) {
			return nil, nil
		}
		b := append([]float64(nil), y[at*n:][:n]...)
		for _, a := range basis { // once more, for rounding
			vec.Axpy(n, b, -vec.Dot(n, a, b), a)
		}
		vec.Scale(n, b, b, 1/math.Sqrt(vec.Dot(n, b, b)))
		for col := range columns {
			v := y[col*n:][:n]
			p := vec.Dot(n, b, v)
			vec.Axpy(n, v, -p, b)
			products = append(products, p)
		}
		basis = append(basis, b)
	}
}

// Regress finds the d × d matrix that maps the columns of z, of which row i is z[i*columns:], to those of
// image best.
func Regress(image, z []float64, d, columns int) ([]float64, bool) {
	f, t := NewFactor(d), make([]float64, d*d)
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
