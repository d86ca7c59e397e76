// Package linear holds the algebra of small dense matrices, with derivatives: Cholesky factors, triangular systems, products. Matrices are k×k and stored by
// columns; element i, j of a is a[i+k*j]. Nothing allocates but where a comment says so.
//
// The reverse of the Cholesky factorisation is that of Murray (2016), Differentiation of the Cholesky decomposition, arXiv:1602.07527; the others are in
// Giles (2008), Collected matrix derivative results for forward and reverse mode algorithmic differentiation.
package linear

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Cholesky sets l to the lower triangular factor of a, of which it reads the lower triangle. It reports whether a is positive definite; where it is not, l is
// NaN. l and a may be one array.
func Cholesky(l, a []float64, k int) bool {
	for j := range k {
		for i := j; i < k; i++ {
			sum := a[i+k*j]
			for m := range j {
				sum -= float64(l[i+k*m] * l[j+k*m])
			}
			switch {
			case i > j:
				l[i+k*j] = sum / l[j+k*j]
			case sum > 0 && !math.IsInf(sum, 1):
				l[j+k*j] = math.Sqrt(sum)
			default:
				fill(l[:k*k], math.NaN())
				return false
			}
		}
		for i := range j {
			l[i+k*j] = 0
		}
	}
	return true
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// CholeskyBack adds to da the derivative by a, a symmetric matrix whose two triangles share it, given the derivative dl by l, of which it reads the lower triangle and
// which it overwrites. Murray (2016), equation (8): symmetric(L⁻ᵀ Φ(Lᵀ dL) L⁻¹), with Φ the lower triangle and half the diagonal.
func CholeskyBack(da, dl, l, work []float64, k int) {
	p := work[:k*k]
	for j := range k {
		for i := range k {
			if p[i+k*j] = 0; i >= j {
				for m := i; m < k; m++ {
					p[i+k*j] += float64(l[m+k*i] * dl[m+k*j])
				}
			}
			if i == j {
				p[i+k*j] /= 2
			}
		}
	}
	for j := range k { // L⁻ᵀ P
		SolveUpper(p[k*j:k*(j+1)], l, k)
	}
	for i := range k { // … L⁻¹: each row r solves r L = row, or Lᵀ rᵀ = rowᵀ
		for j := k - 1; j >= 0; j-- {
			sum := p[i+k*j]
			for m := j + 1; m < k; m++ {
				sum -= float64(p[i+k*m] * l[m+k*j])
			}
			p[i+k*j] = sum / l[j+k*j]
		}
	}
	for j := range k {
		for i := range k {
			da[i+k*j] += float64(0.5 * (p[i+k*j] + p[j+k*i]))
		}
	}
}

// SolveLower overwrites b with L⁻¹ b.
func SolveLower(b, l []float64, k int) {
	for i := range k {
		sum := b[i]
		for m := range i {
			sum -= float64(l[i+k*m] * b[m])
		}
		b[i] = sum / l[i+k*i]
	}
}

// SolveUpper overwrites b with L⁻ᵀ b.
func SolveUpper(b, l []float64, k int) {
	for i := k - 1; i >= 0; i-- {
		sum := b[i]
		for m := i + 1; m < k; m++ {
			sum -= float64(l[m+k*i] * b[m])
		}
		b[i] = sum / l[i+k*i]
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
func Inverse(y, l []float64, k int) {
	clear(y[:k*k])
	for j := range k {
		col := y[k*j : k*(j+1)]
		col[j] = 1
		SolveLower(col, l, k)
		SolveUpper(col, l, k)
	}
}

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

// TimesOwnTransposeBack sets dl to the derivative by L, given that by L Lᵀ: the lower triangle of (dy + dyᵀ) L.
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
	for j := range k {
		for i := range j {
			x, y := a[i+k*j], a[j+k*i]
			if !(math.Abs(x-y) <= 1e-8*max(1, math.Abs(x), math.Abs(y))) {
				return false
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
		for i := range k {
			v := l[i+k*j]
			if math.IsNaN(v) || math.IsInf(v, 0) || i < j && v != 0 || i == j && !(v > 0) {
				return false
			}
		}
	}
	return true
}

// Factor overwrites a with its LU factors, with rows exchanged as pivots says (Golub and Van Loan, Matrix Computations, algorithm 3.4.1). A singular a gives factors that are not
// finite.
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
