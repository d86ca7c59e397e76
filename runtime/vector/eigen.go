package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// EigenRoom is how many numbers Eigen needs as workspace for each row.
const EigenRoom = 3

// mostTurns bounds the steps for one eigenvalue, of which two are usual.
const mostTurns = 60

// Eigen replaces the symmetric row-major matrix a of n rows by its eigenvectors, in columns, and sets the n
// values, in no order. scratch is a matrix of the same size and room has EigenRoom·n numbers. It reports
// whether it converged; then a is finite if it was before. The method is Householder's, and the implicit QL
// algorithm (Golub and Van Loan, Matrix Computations, 8.3).
func Eigen(n int, a, values, scratch, room []float64) bool {
	off, v, w := room[:n], room[n:][:n], room[2*n:][:n]
	threeDiagonals(n, a, values, off, v, w)
	transposed(n, scratch, a)
	ok := Tridiagonal(values, off, func(i int, c, s float64) {
		upper, lower := scratch[i*n:][:n], scratch[(i+1)*n:][:n]
		Scale(n, v, upper, s)
		Axpy(n, v, c, lower)
		Scale(n, upper, upper, c)
		Axpy(n, upper, -s, lower)
		copy(lower, v)
	})
	transposed(n, a, scratch)
	return ok
}

func transposed(n int, to, from []float64) {
	for i := range n {
		for j := range n {
			to[j*n+i] = from[i*n+j]
		}
	}
}

// threeDiagonals replaces a by an orthogonal Q with a = Q·T·Qᵀ, and sets the diagonal of T and, below it, the
// first n-1 numbers of off.
func threeDiagonals(n int, a, diagonal, off, v, w []float64) {
	scale := off // Householder's reflections are I - scale·xxᵀ, x in the row that they clear
	for k := range n - 1 {
		x := a[k*n+k+1:][:n-k-1]
		diagonal[k] = a[k*n+k]
		m := len(x)
		tail := Dot(m-1, x[1:], x[1:])
		if tail == 0 {
			w[k], scale[k] = x[0], 0
			continue
		}
		length := math.Sqrt(float64(x[0]*x[0]) + tail)
		w[k] = -math.Copysign(length, x[0])
		x[0] -= w[k]
		scale[k] = 2 / (float64(x[0]*x[0]) + tail)
		p := v[:m]
		clear(p)
		MatTVecAdd(m, p, 1, a[(k+1)*n+k+1:], n, x, m)
		Scale(m, p, p, scale[k])
		Axpy(m, p, float64(-0.5*scale[k])*Dot(m, p, x), x)
		for i := range m {
			row := a[(k+1+i)*n+k+1:][:m]
			Axpy(m, row, -x[i], p)
			Axpy(m, row, -p[i], x)
		}
	}
	diagonal[n-1] = a[n*n-1]
	clear(a[(n-1)*n:])
	a[n*n-1] = 1
	for k := n - 2; k >= 0; k-- {
		x := a[k*n+k+1:][:n-k-1]
		m, p := len(x), v[:n-k-1]
		clear(p)
		for i := range m {
			Axpy(m, p, float64(scale[k]*x[i]), a[(k+1+i)*n+k+1:])
		}
		for i := range m {
			row := a[(k+1+i)*n:][:n]
			Axpy(m, row[k+1:], -x[i], p)
			row[k] = 0
		}
		clear(x)
		a[k*n+k] = 1
	}
	copy(off, w[:n-1])
}

// Tridiagonal replaces the diagonal of a symmetric matrix of three diagonals by its eigenvalues, in no order.
// off has its other diagonal, and one number more; it is overwritten. turn, where not nil, is called for each
// rotation of the vectors i and i+1. It reports whether it converged.
func Tridiagonal(d, off []float64, turn func(i int, c, s float64)) bool {
	n := len(d)
	off[n-1] = 0
	for l := range n {
		for step := 0; ; step++ {
			m := l
			for m < n-1 {
				size := math.Abs(d[m]) + math.Abs(d[m+1])
				if size+math.Abs(off[m]) == size {
					break
				}
				m++
			}
			if m == l {
				break
			}
			if step == mostTurns {
				return false
			}
			chase(d, off, l, m, turn)
		}
	}
	return true
}

// chase does one step on the rows from l to m, with the shift of Wilkinson.
func chase(d, off []float64, l, m int, turn func(i int, c, s float64)) {
	half := (d[l+1] - d[l]) / (2 * off[l])
	g := d[m] - d[l] + off[l]/(half+math.Copysign(portable.Hypot(half, 1), half))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := float64(s*off[i]), float64(c*off[i])
		r := portable.Hypot(f, g)
		off[i+1] = r
		if r == 0 {
			d[i+1] -= p
			off[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = float64((d[i]-g)*s) + float64(2*c*b)
		p = float64(s * r)
		d[i+1] = g + p
		g = float64(c*r) - b
		if turn != nil {
			turn(i, c, s)
		}
	}
	d[l] -= p
	off[l], off[m] = g, 0
}
