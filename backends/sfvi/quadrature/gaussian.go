package quadrature

import (
	"math"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A gaussian is q(θ) of one party as far as its covariance goes: the inverse of the precision (full), or of
// its diagonal.
type gaussian struct {
	d         int
	full      bool
	precision algebra.Factor
	column    []float64
	scaled    []float64 // a column of some rows of a matrix times weights
	product   []float64
}

func newGaussian(d int, full bool) *gaussian {
	return &gaussian{d: d, full: full, precision: algebra.NewFactor(d), column: make([]float64, d),
		scaled: make([]float64, inBlock), product: make([]float64, d)}
}

// outer adds Mᵀ·diag(w)·M to a matrix of d rows, for the rows of M from one on that have weights, at most
// inBlock.
func (q *gaussian) outer(a []float64, of *density.Affine, from int, w []float64) {
	d := q.d
	for m := range of.Stretches(from, len(w)) {
		for i := range d {
			s := q.scaled[:m.N]
			vec.Mul(m.N, s, m.Matrix[i*m.Stride:], w[m.From-from:][:m.N])
			for j := range i + 1 {
				v := vec.Dot(m.N, s, m.Matrix[j*m.Stride:])
				a[i*d+j] += v
				if i != j {
					a[j*d+i] += v
				}
			}
		}
	}
}

// settle completes a precision in precision.Matrix. It reports whether that is positive definite.
func (q *gaussian) settle() bool {
	if !q.full {
		for i := range q.d {
			for j := range q.d {
				if i != j {
					q.precision.Matrix[i*q.d+j] = 0
				}
			}
		}
	}
	return q.precision.Definite()
}

// spread sets v to the variances of rows of Mθ, from one on.
func (q *gaussian) spread(of *density.Affine, from int, v []float64) {
	if q.d == 0 {
		clear(v)
	}
	for m := range of.Stretches(from, len(v)) {
		for i := range m.N {
			for j := range q.d {
				q.column[j] = m.Matrix[j*m.Stride+i]
			}
			q.precision.Forward(q.column)
			v[m.From-from+i] = vec.Dot(q.d, q.column, q.column)
		}
	}
}

// covariance writes the covariance of Aθ, by rows, for a matrix A of m rows.
func (q *gaussian) covariance(a []float64, m int, out []float64) {
	c := make([]float64, q.d*m)
	for i := range m {
		for j := range q.d {
			c[i*q.d+j] = a[j*m+i]
		}
		q.precision.Forward(c[i*q.d:][:q.d])
	}
	for i := range m {
		for j := range m {
			out[i*m+j] = vec.Dot(q.d, c[i*q.d:][:q.d], c[j*q.d:])
		}
	}
}

// entropy is that of q, less the expectation of ½(θ − Eθ)ᵀP(θ − Eθ) for the precision P of the prior.
func (q *gaussian) entropy(prior []float64) float64 {
	value := float64(0.5*float64(q.d)*(1+portable.Log(2*math.Pi))) - float64(0.5*q.precision.LogDet())
	for i := range q.d {
		copy(q.column, prior[i*q.d:][:q.d])
		q.precision.Solve(q.column)
		value -= float64(0.5 * q.column[i])
	}
	return value
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
