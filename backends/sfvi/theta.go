package sfvi

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/cholesky"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A gaussian is q(θ) of one party: θ = μ + S(I + C)ε with S = diag(exp ℓ), C strictly lower triangular
// (absent for mean-field) and ε standard normal; S(I + C) is the Cholesky factor of the covariance. Every
// step of ℓ and C is relative to the scale of its coordinate, so one step size serves parameters of any
// scale, and the factor cannot become singular.
//
// With a rank r > 0 it is θ = μ + S(ε + Bη) instead, with η of r elements: the covariance S(I + BBᵀ)S is
// diagonal plus low rank (Ong, Nott and Smith 2018, "Gaussian variational approximation with a factor
// covariance structure"). Time and memory are linear in the dimensions.
//
// Coordinates that are weights are points: they are elements of μ, have neither ε nor ℓ, and no part in the
// entropy. The gradient of the ELBO by them is that of log p along the path. (They move log q(z | θ) as θ
// does; the mean of that gradient is 0.)
//
// Its variational parameters are laid out as μ (all), ℓ (dim), then the rows of C (0, 1, 2, … elements) or of
// B (r each).
type gaussian struct {
	all  int   // coordinates of θ
	dim  int   // those that are random
	free []int // which these are, in ascending order; nil: all
	full bool
	rank int       // r
	eps  []float64 // ε of the last draw, then η
	unit []float64 // (I + C)ε, or ε + Bη
	sd   []float64 // exp ℓ
	back []float64 // (I + C)⁻ᵀε, or (I + BBᵀ)⁻¹(ε + Bη), and then that plus sd·v
	// inner is I + BᵀB, of r rows, and short a vector of r elements.
	inner  cholesky.Factor
	short  []float64
	square float64 // (θ − μ)ᵀ·covariance⁻¹·(θ − μ) of the last draw
}

// newLowRank returns q of so many coordinates, of which some are weights, with a covariance of a diagonal
// plus one of a rank.
func newLowRank(all int, weights []int, rank int) gaussian {
	q := newGaussian(all, weights, false)
	q.rank, q.eps = rank, make([]float64, q.dim+rank)
	q.inner, q.short = cholesky.New(rank), make([]float64, rank)
	return q
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
	return q.all + q.dim + q.dim*q.rank
}

// loading is row i of B.
func (q *gaussian) loading(phi []float64, i int) []float64 {
	return phi[q.all+q.dim+i*q.rank:][:q.rank]
}

// spread adds Bη to ε in unit, sets back to (I + BBᵀ)⁻¹ of that by Woodbury's identity, and returns log det(I
// + BBᵀ) and the product of the two.
func (q *gaussian) spread(phi []float64) (logDet, square float64) {
	r, m := q.rank, q.inner.Matrix
	clear(m)
	clear(q.short)
	for i := range q.dim {
		b := q.loading(phi, i)
		q.unit[i] += vec.Dot(r, b, q.eps[q.dim:])
		vec.Axpy(r, q.short, q.unit[i], b)
		for k, v := range b {
			vec.Axpy(r, m[k*r:], v, b)
		}
	}
	for k := range r {
		m[k*r+k]++
	}
	if !q.inner.Definite() { // a parameter is not finite, and so the density is not
		return math.NaN(), math.NaN()
	}
	q.inner.Solve(q.short)
	for i, u := range q.unit {
		q.back[i] = u - vec.Dot(r, q.loading(phi, i), q.short)
	}
	return q.inner.LogDet(), vec.Dot(q.dim, q.unit, q.back)
}

// row is the part of row i of C that is stored.
func (q *gaussian) row(phi []float64, i int) []float64 {
	return phi[q.all+q.dim+i*(i-1)/2:][:i]
}

// draw sets theta from the noise in eps and returns −log q(θ).
func (q *gaussian) draw(phi, theta []float64) float64 {
	d := q.dim
	copy(q.unit, q.eps[:d])
	entropy, square := 0.0, 0.0 // beside that of S
	switch {
	case q.rank > 0:
		entropy, square = q.spread(phi)
		entropy /= 2
	case q.full:
		for i := range d {
			q.unit[i] += vec.Dot(i, q.row(phi, i), q.eps)
		}
	}
	if q.rank == 0 {
		square = vec.Dot(d, q.eps, q.eps)
	}
	q.square = square
	vec.Exp(d, q.sd, phi[q.all:])
	if q.free == nil {
		vec.FMA(d, theta, q.sd, q.unit, phi)
	} else {
		copy(theta, phi[:q.all])
		for i, at := range q.free {
			theta[at] += float64(q.sd[i] * q.unit[i])
		}
	}
	return float64(float64(d)*halfLog2Pi) + vec.Sum(d, phi[q.all:]) + entropy + float64(0.5*square)
}

// gradient turns v = ∂/∂θ of log p at the draw (total, through everything that depends on θ) into the
// gradient of the ELBO. Sticking the landing adds −∂ log q/∂θ = L⁻ᵀε = S⁻¹(I + C)⁻ᵀε to v; then ∂μ = v and ∂L
// = lower(vεᵀ), from which ℓ and C follow by the chain rule. ∂μ is added to what grad holds (the path through
// a centre), the rest is overwritten.
func (q *gaussian) gradient(phi, v, grad []float64) {
	d := q.dim
	if q.rank == 0 { // else draw has set it
		copy(q.back, q.eps)
	}
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
	if q.rank > 0 {
		for i, u := range q.back {
			vec.Scale(q.rank, q.loading(grad, i), q.eps[d:], u)
		}
	}
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

// moments returns the mean and the sd of each random coordinate.
func (q *gaussian) moments(phi []float64) (mean, sd []float64) {
	mean, sd = make([]float64, q.dim), make([]float64, q.dim)
	for i := range mean {
		mean[i] = phi[q.coordinate(i)]
	}
	q.sds(phi, sd)
	return mean, sd
}

// sds sets the sd of each random coordinate.
func (q *gaussian) sds(phi, sd []float64) {
	for i := range q.dim {
		s := 1.0
		if q.full {
			for _, c := range q.row(phi, i) {
				s += float64(c * c)
			}
		} else if q.rank > 0 {
			b := q.loading(phi, i)
			s += vec.Dot(q.rank, b, b)
		}
		sd[i] = portable.Exp(phi[q.all+i]) * math.Sqrt(s)
	}
}

const halfLog2Pi = 0.91893853320467274178
