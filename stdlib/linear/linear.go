// Package linear holds the algebra of small dense matrices, with derivatives: Cholesky factors, triangular
// systems, products. Matrices are k×k and stored by columns; element i, j of a is a[i+k*j]. Nothing allocates
// but where a comment says so.
//
// The reverse of the Cholesky factorisation is that of Murray (2016), Differentiation of the Cholesky
// decomposition, arXiv:1602.07527; the others are in Giles (2008), Collected matrix derivative results for
// forward and reverse mode algorithmic differentiation.
package linear

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Cholesky sets l to the lower triangular factor of a, of which it reads the lower triangle. It reports
// whether a is positive definite; where it is not, l is NaN. l and a may be one array.
func Cholesky(l, a []float64, k int) bool { return Products{}.factor(l, a, k, 0) }

// CholeskyRows is Cholesky of a matrix that is stored by rows, as its factor then is, in place. It asks for
// pivots above least.
func CholeskyRows(a []float64, k int, least float64) bool {
	transpose(a, k)
	positive := Products{}.factor(a, a, k, least)
	transpose(a, k)
	return positive
}

func transpose(a []float64, k int) {
	for j := range k {
		for i := range j {
			a[i+k*j], a[j+k*i] = a[j+k*i], a[i+k*j]
		}
	}
}

// combine adds sign times the sum of n columns to y: column m begins at x[m·stride], and its factor is
// b[m·step]. Four columns at once are read for each element that is written.
func combine(sign float64, y, x, b []float64, stride, step, n int) {
	m := 0
	for ; m+4 <= n; m += 4 {
		b0, b1, b2, b3 := sign*b[m*step], sign*b[(m+1)*step], sign*b[(m+2)*step], sign*b[(m+3)*step]
		x0, x1, x2, x3 := x[m*stride:][:len(y)], x[(m+1)*stride:][:len(y)], x[(m+2)*stride:][:len(y)],
			x[(m+3)*stride:][:len(y)]
		for i, v := range y {
			y[i] = v + (float64(b0*x0[i]) + float64(b1*x1[i])) + (float64(b2*x2[i]) + float64(b3*x3[i]))
		}
	}
	for ; m < n; m++ {
		c := sign * b[m*step]
		for i, v := range x[m*stride:][:len(y)] {
			y[i] += float64(c * v)
		}
	}
}

func divide(v []float64, by float64) {
	for i := range v {
		v[i] /= by
	}
}

// dot is Σ a·b, in two sums.
func dot(a, b []float64) float64 {
	var even, odd float64
	b = b[:len(a)]
	for i := 1; i < len(a); i += 2 {
		even += float64(a[i-1] * b[i-1])
		odd += float64(a[i] * b[i])
	}
	if last := len(a) - 1; last%2 == 0 {
		even += float64(a[last] * b[last])
	}
	return even + odd
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// SolveLower overwrites b with L⁻¹ b.
func SolveLower(b, l []float64, k int) {
	for j := range k {
		b[j] /= l[j+k*j]
		c := b[j]
		for i, v := range l[j+1+k*j : k*j+k] {
			b[j+1+i] -= float64(c * v)
		}
	}
}

// SolveUpper overwrites b with L⁻ᵀ b.
func SolveUpper(b, l []float64, k int) {
	for i := k - 1; i >= 0; i-- {
		b[i] = (b[i] - dot(l[i+1+k*i:k*i+k], b[i+1:k])) / l[i+k*i]
	}
}

// LogDiagonal is Σ log L_ii, half the log-determinant of L Lᵀ.
func LogDiagonal(l []float64, k int) float64 {
	sum := 0.0
	for i := range k {
		sum += portable.Log(l[i+k*i])
	}
	return sum
}

// Inverse sets y to (L Lᵀ)⁻¹.
func Inverse(y, l []float64, k int) { Products{}.Inverse(y, l, k) }

// TimesOwnTranspose sets y to L Lᵀ for a lower triangular L.
func TimesOwnTranspose(y, l []float64, k int) {
	for j := range k {
		for i := j; i < k; i++ {
			sum := 0.0
			for m := range j + 1 {
				sum += float64(l[i+k*m] * l[j+k*m])
			}
			y[i+k*j], y[j+k*i] = sum, sum
		}
	}
}

// TimesOwnTransposeBack sets dl to the derivative by L, given that by L Lᵀ: the lower triangle of (dy + dyᵀ)
// L.
func TimesOwnTransposeBack(dl, dy, l []float64, k int) {
	clear(dl[:k*k])
	for j := range k {
		for i := j; i < k; i++ {
			for m := j; m < k; m++ {
				dl[i+k*j] += float64((dy[i+k*m] + dy[m+k*i]) * l[m+k*j])
			}
		}
	}
}

// Symmetric reports whether a equals its transpose, up to rounding.
func Symmetric(a []float64, k int) bool {
	for from := 0; from < k; from += narrow { // some columns at once, since each row is read too
		for i := from; i < k; i++ {
			for j := from; j < min(i, from+narrow); j++ {
				x, y := a[j+k*i], a[i+k*j]
				if x == y && !math.IsInf(x, 0) {
					continue
				}
				if !(math.Abs(x-y) <= 1e-8*max(1, math.Abs(x), math.Abs(y))) {
					return false
				}
			}
		}
	}
	return true
}

// PositiveDefinite reports whether a is symmetric, up to rounding, and positive definite. It allocates.
func PositiveDefinite(a []float64, k int) bool {
	return Symmetric(a, k) && Cholesky(make([]float64, k*k), a, k)
}

// CholeskyFactor reports whether l is lower triangular with a positive diagonal.
func CholeskyFactor(l []float64, k int) bool {
	for j := range k {
		above, below := l[k*j:][:j], l[k*j+j:][:k-j]
		for _, v := range above {
			if v != 0 {
				return false
			}
		}
		if !(below[0] > 0) {
			return false
		}
		for _, v := range below {
			if v-v != 0 { // not finite
				return false
			}
		}
	}
	return true
}

// Factor overwrites a with its LU factors, with rows exchanged as pivots says (Golub and Van Loan, Matrix
// Computations, algorithm 3.4.1). A singular a gives factors that are not finite.
func Factor(a []float64, pivots []int, k int) {
	for c := range k {
		p := c
		for r := c + 1; r < k; r++ {
			if math.Abs(a[r+k*c]) > math.Abs(a[p+k*c]) {
				p = r
			}
		}
		pivots[c] = p
		for j := range k {
			a[c+k*j], a[p+k*j] = a[p+k*j], a[c+k*j]
		}
		for r := c + 1; r < k; r++ {
			a[r+k*c] /= a[c+k*c]
			for j := c + 1; j < k; j++ {
				a[r+k*j] -= float64(a[r+k*c] * a[c+k*j])
			}
		}
	}
}

// Solve overwrites b with A⁻¹ b, given the factors of A.
func Solve(b, lu []float64, pivots []int, k int) {
	for c := range k {
		b[c], b[pivots[c]] = b[pivots[c]], b[c]
	}
	for i := range k {
		for m := range i {
			b[i] -= float64(lu[i+k*m] * b[m])
		}
	}
	for i := k - 1; i >= 0; i-- {
		for m := i + 1; m < k; m++ {
			b[i] -= float64(lu[i+k*m] * b[m])
		}
		b[i] /= lu[i+k*i]
	}
}

// SolveTransposed overwrites b with A⁻ᵀ b, given the factors of A.
func SolveTransposed(b, lu []float64, pivots []int, k int) {
	for i := range k {
		for m := range i {
			b[i] -= float64(lu[m+k*i] * b[m])
		}
		b[i] /= lu[i+k*i]
	}
	for i := k - 1; i >= 0; i-- {
		for m := i + 1; m < k; m++ {
			b[i] -= float64(lu[m+k*i] * b[m])
		}
	}
	for c := k - 1; c >= 0; c-- {
		b[c], b[pivots[c]] = b[pivots[c]], b[c]
	}
}
