package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// CorrMatrix maps to correlation matrices.
func CorrMatrix() def.Structured {
	return def.Structured{
		Name: "corr_matrix",
		Doc: `Correlation matrices: y = L Lᵀ with L as for corr_cholesky, whose log-Jacobian gains Σ_j (K - j) log L_jj. In a model, corr_cholesky is faster and more stable.

Source: Stan Reference Manual, "Correlation matrices".`,
		Support:  def.CorrMatrix,
		Rank:     2,
		Least:    1,
		Free:     below,
		Work:     func(k int) int { return 2 * k * k },
		Forward:  corrMatrixForward,
		Fixed:    func(i, k int) bool { return i%k <= i/k },
		Backward: corrMatrixBackward,
		Inverse: func(x, y []float64, k int) {
			l := make([]float64, k*k)
			linear.Cholesky(l, y, k)
			corrCholeskyInverse(x, l, k)
		},
		Contains: func(y []float64, k int) bool {
			for i := range k {
				if !(math.Abs(y[i+k*i]-1) <= 1e-8) {
					return false
				}
			}
			return linear.PositiveDefinite(y, k)
		},
	}
}

func corrMatrixForward(y, x, work []float64, k int) float64 {
	l := work[:k*k]
	sum := corrCholeskyForward(l, x, nil, k)
	linear.TimesOwnTranspose(y, l, k)
	for i := range k {
		y[i+k*i] = 1
		sum += float64(float64(k-1-i) * portable.Log(l[i+k*i]))
	}
	return sum
}

func corrMatrixBackward(dx, dy, x, _, work []float64, k int, jacobian bool) {
	l, dl := work[:k*k], work[k*k:2*k*k]
	corrCholeskyForward(l, x, nil, k)
	for i := range k {
		dy[i+k*i] = 0 // it is 1
	}
	linear.TimesOwnTransposeBack(dl, dy, l, k)
	if jacobian {
		for i := range k {
			dl[i+k*i] += float64(k-1-i) / l[i+k*i]
		}
	}
	corrCholeskyBackward(dx, dl, x, l, nil, k, jacobian)
}
