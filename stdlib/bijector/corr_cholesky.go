package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// CorrCholesky maps to Cholesky factors of correlation matrices.
func CorrCholesky() def.Structured {
	return def.Structured{
		Name: "corr_cholesky",
		Doc: `Cholesky factors L of correlation matrices: lower triangular, with a positive diagonal and rows of length 1. Row by row, z = tanh(u) is the partial correlation
and L_ij = z_ij √(1 - Σ_{m<j} L_im²), with the rest of the length on the diagonal.

Source: Stan Reference Manual, "Cholesky factors of correlation matrices"; Lewandowski, Kurowicka and Joe (2009), Journal of Multivariate Analysis 100.`,
		Support:  def.CorrCholesky,
		Rank:     2,
		Least:    1,
		Free:     below,
		Forward:  corrCholeskyForward,
		Fixed:    func(i, k int) bool { return i%k < i/k || i == 0 },
		Backward: corrCholeskyBackward,
		Inverse:  corrCholeskyInverse,
		Contains: func(y []float64, k int) bool {
			for i := range k {
				r := 0.0
				for j := range k {
					r += float64(y[i+k*j] * y[i+k*j])
					if j > i && y[i+k*j] != 0 {
						return false
					}
				}
				if !(y[i+k*i] > 0) || !(math.Abs(r-1) <= 1e-8) {
					return false
				}
			}
			return true
		},
	}
}

// below is the number of elements below the diagonal of a k×k matrix.
func below(k int) int { return k * (k - 1) / 2 }

// logSech2 is log(1 - tanh²u).
func logSech2(u float64) float64 {
	a := math.Abs(u)
	return 2 * (math.Ln2 - a - portable.Log1p(portable.Exp(-2*a)))
}

// The elements of row i are L_ij = tanh(u_j) Π_{m<j} sech(u_m), so that log|J| = Σ_j (1 + (i-1-j)/2) log
// sech²(u_j), with i and j from 1.
func corrCholeskyForward(y, x, _ []float64, k int) float64 {
	clear(y)
	sum, at := 0.0, 0
	for i := range k {
		left := 0.0 // log Π sech
		for j := range i {
			u := x[at]
			at++
			y[i+k*j] = portable.Tanh(u) * portable.Exp(left)
			s := logSech2(u)
			left += float64(s / 2)
			sum += float64((1 + float64(float64(i-1-j)/2)) * s)
		}
		y[i+k*i] = max(portable.Exp(left), math.SmallestNonzeroFloat64)
	}
	return sum
}

func corrCholeskyBackward(dx, dy, x, y, _ []float64, k int, jacobian bool) {
	at := 0
	for i := range k {
		left := 0.0
		for j := range i {
			u := x[at]
			rest := 0.0 // Σ over the elements after j that scale with sech(u_j)
			for m := j + 1; m <= i; m++ {
				rest += float64(dy[i+k*m] * y[i+k*m])
			}
			z, s := portable.Tanh(u), logSech2(u)
			dx[at] += float64(dy[i+k*j]*portable.Exp(left+s)) - float64(z*rest)
			if jacobian {
				dx[at] -= float64(2 * z * (1 + float64(float64(i-1-j)/2)))
			}
			left += float64(s / 2)
			at++
		}
	}
}

func corrCholeskyInverse(x, y []float64, k int) {
	at := 0
	for i := range k {
		for j := range i { // tanh u = L_ij/√(Σ_{m≥j} L_im²), and so sinh u = L_ij/√(Σ_{m>j} L_im²)
			rest := 0.0
			for m := j + 1; m <= i; m++ {
				rest = portable.Hypot(rest, y[i+k*m])
			}
			x[at] = portable.Asinh(y[i+k*j] / rest)
			at++
		}
	}
}
