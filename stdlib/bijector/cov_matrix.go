package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// CovMatrix maps to covariance matrices.
func CovMatrix() def.Structured {
	return def.Structured{
		Name: "cov_matrix",
		Doc: `Covariance matrices: y = L Lᵀ with L lower triangular, its elements below the diagonal free and log L_ii free, row by row;
log|J| = K log 2 + Σ_i (K - i + 2) log L_ii.

Source: Stan Reference Manual, "Covariance matrices".`,
		Support:  def.CovMatrix,
		Rank:     2,
		Least:    1,
		Free:     func(k int) int { return k * (k + 1) / 2 },
		Work:     func(k int) int { return 2 * k * k },
		Forward:  covMatrixForward,
		Fixed:    func(i, k int) bool { return i%k < i/k },
		Backward: covMatrixBackward,
		Inverse:  covMatrixInverse,
		Contains: linear.PositiveDefinite,
	}
}

// logCholesky sets the factor from its coordinates and returns the log-Jacobian of the map to L Lᵀ.
func logCholesky(l, x []float64, k int) float64 {
	clear(l)
	sum, at := float64(k)*math.Ln2, 0
	for i := range k {
		for j := range i {
			l[i+k*j] = x[at]
			at++
		}
		l[i+k*i] = max(portable.Exp(x[at]), math.SmallestNonzeroFloat64)
		sum += float64(float64(k-i+1) * x[at])
		at++
	}
	return sum
}

func covMatrixForward(y, x, work []float64, k int) float64 {
	l := work[:k*k]
	sum := logCholesky(l, x, k)
	linear.TimesOwnTranspose(y, l, k)
	return sum
}

func covMatrixBackward(dx, dy, x, _, work []float64, k int, jacobian bool) {
	l, dl := work[:k*k], work[k*k:2*k*k]
	logCholesky(l, x, k)
	linear.TimesOwnTransposeBack(dl, dy, l, k)
	at := 0
	for i := range k {
		for j := range i {
			dx[at] += dl[i+k*j]
			at++
		}
		dx[at] += float64(dl[i+k*i] * l[i+k*i])
		if jacobian {
			dx[at] += float64(k - i + 1)
		}
		at++
	}
}

func covMatrixInverse(x, y []float64, k int) {
	l := make([]float64, k*k)
	linear.Cholesky(l, y, k)
	at := 0
	for i := range k {
		for j := range i {
			x[at] = l[i+k*j]
			at++
		}
		x[at] = portable.Log(l[i+k*i])
		at++
	}
}
