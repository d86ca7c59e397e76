package sfvi

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A gaussian is q(θ) of one party: θ = μ + S(I + C)ε with S = diag(exp ℓ), C strictly lower triangular
// (absent for mean-field) and ε standard normal; S(I + C) is the Cholesky factor of the covariance. Every
// step of ℓ and C is relative to the scale of its coordinate, so one step size serves parameters of any
// scale, and the factor cannot become singular.
//
// Coordinates that are weights are points: they are elements of μ, have neither ε nor ℓ, and no part in the
// entropy. The gradient of the ELBO by them is that of log p along the path. (They move log q(z | θ) as θ
// does; the mean of that gradient is 0.)
//
// Its variational parameters are laid out as μ (all), ℓ (dim), then the rows of C (0, 1, 2, … elements).
type gaussian struct {
	all    int   // coordinates of θ
	dim    int   // those that are random
	free   []int // which these are, in ascending order; nil: all
	full   bool
	eps    []float64 // ε of the last draw
	unit   []float64 // (I + C)ε
	sd     []float64 // exp ℓ
	back   []float64 // (I + C)⁻ᵀε, and then that plus sd·v
	square float64   // (θ − μ)ᵀ·covariance⁻¹·(θ − μ) of the last draw
}

// newGaussian returns q of so many coordinates, of which some are weights.
func newGaussian(all int, weights []int, full bool) gaussian {
	dim := all - len(weights)
	v := make([]float64, 4*dim)
	return gaussian{all: all, dim: dim, free: others(all, weights), full: full, eps: v[:dim],
		unit: v[dim : 2*dim], sd: v[2*dim : 3*dim], back: v[3*dim:]}
}

// others returns the coordinates that are not weights, nil where there are no weights.
func others(all int, weights []int) []int {
	if len(weights) == 0 {
		return nil
	}
	out := make([]int, 0, all-len(weights))
	for i := range all {
		if len(weights) > 0 && weights[0] == i {
			weights = weights[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}

// coordinate is that of random coordinate i in θ.
func (q *gaussian) coordinate(i int) int {
	if q.free == nil {
		return i
	}
	return q.free[i]
}

// weight reports whether a coordinate of θ is a weight.
func (q *gaussian) weight(at int) bool {
	_, random := slices.BinarySearch(q.free, at)
	return q.free != nil && !random
}

// size is the number of variational parameters.
func (q *gaussian) size() int {
	if q.full {
		return q.all + q.dim + q.dim*(q.dim-1)/2
	}
	return q.all + q.dim
}

// row is the part of row i of C that is stored.
func (q *gaussian) row(phi []float64, i int) []float64 {
	return phi[q.all+q.dim+i*(i-1)/2:][:i]
}

// draw sets theta from the noise in eps and returns −log q(θ).
func (q *gaussian) draw(phi, theta []float64) float64 {
	d := q.dim
	copy(q.unit, q.eps)
	if q.full {
		for i := range d {
			q.unit[i] += vec.Dot(i, q.row(phi, i), q.eps)
		}
	}
	q.square = vec.Dot(d, q.eps, q.eps)
	vec.Exp(d, q.sd, phi[q.all:])
	if q.free == nil {
		vec.FMA(d, theta, q.sd, q.unit, phi)
	} else {
		copy(theta, phi[:q.all])
		for i, at := range q.free {
			theta[at] += float64(q.sd[i] * q.unit[i])
		}
	}
	return float64(float64(d)*halfLog2Pi) + vec.Sum(d, phi[q.all:]) + float64(0.5*q.square)
}

// gradient turns v = ∂/∂θ of log p at the draw (total, through everything that depends on θ) into the
// gradient of the ELBO. Sticking the landing adds −∂ log q/∂θ = L⁻ᵀε = S⁻¹(I + C)⁻ᵀε to v; then ∂μ = v and ∂L
// = lower(vεᵀ), from which ℓ and C follow by the chain rule. ∂μ is added to what grad holds (the path through
// a centre), the rest is overwritten.
func (q *gaussian) gradient(phi, v, grad []float64) {
	d := q.dim
	copy(q.back, q.eps)
	if q.full {
		for i := d - 1; i > 0; i-- {
			vec.Axpy(i, q.back, -q.back[i], q.row(phi, i))
		}
	}
	if q.free == nil {
		vec.MulAdd(d, q.back, q.sd, v) // sd times the full derivative
		for i, u := range q.back {
			grad[i] += u / q.sd[i]
		}
	} else {
		vec.Axpy(q.all, grad, 1, v)
		for i, at := range q.free {
			grad[at] += q.back[i] / q.sd[i]
			q.back[i] += float64(q.sd[i] * v[at])
		}
	}
	vec.Mul(d, grad[q.all:], q.back, q.unit)
	if q.full {
		for i, u := range q.back {
			vec.Scale(i, q.row(grad, i), q.eps, u)
		}
	}
}

// scale sets the standard deviations that the metric of a step needs.
func (q *gaussian) scale(phi []float64) { vec.Exp(q.dim, q.sd, phi[q.all:]) }

// path adds to grad the derivative of log p along the path of the draw, given v = ∂/∂θ of it: without a term
// of log q, whose mean is the entropy.
func (q *gaussian) path(phi, v, grad []float64) {
	d := q.dim
	vec.Accumulate(q.all, grad, v)
	for i := range d {
		u := q.sd[i] * v[q.coordinate(i)]
		grad[q.all+i] += float64(u * q.unit[i])
		if q.full {
			vec.Axpy(i, q.row(grad, i), u, q.eps)
		}
	}
}

// sds sets the sd of each random coordinate.
func (q *gaussian) sds(phi, sd []float64) {
	for i := range q.dim {
		s := 1.0
		if q.full {
			for _, c := range q.row(phi, i) {
				s += float64(c * c)
			}
		}
		sd[i] = portable.Exp(phi[q.all+i]) * math.Sqrt(s)
	}
}

const halfLog2Pi = 0.91893853320467274178
