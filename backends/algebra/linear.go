package algebra

import (
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Value is that of a quadratic function.
func Value(q *density.Quadratic, theta, scratch []float64) float64 {
	Gradient(q, theta, scratch)
	value := q.Value
	for i, t := range theta {
		value += float64(0.5 * (q.Gradient[i] + scratch[i]) * t)
	}
	return value
}

// Gradient sets out to that of a quadratic function.
func Gradient(q *density.Quadratic, theta, out []float64) {
	d := len(theta)
	copy(out, q.Gradient)
	for i := range out {
		out[i] -= vec.Dot(d, q.Precision[i*d:], theta)
	}
}

// Apply sets y = Offset + Matrix·θ.
func Apply(a *density.Affine, theta, y []float64) { ApplyFrom(a, 0, theta, y[:a.Len()]) }

// ApplyFrom is Apply for the rows from one on of which there is y.
func ApplyFrom(a *density.Affine, from int, theta, y []float64) {
	Times(a, from, theta, y)
	if a.Offset != nil {
		vec.Accumulate(len(y), y, a.Offset[from:])
	}
}

// Times is ApplyFrom without the offset.
func Times(a *density.Affine, from int, theta, y []float64) {
	if len(theta) == 0 {
		clear(y)
	}
	for s := range a.Stretches(from, len(y)) {
		vec.MatVec(s.N, y[s.From-from:][:s.N], s.Matrix, s.Stride, theta, 1, len(theta))
	}
}

// Pull adds Matrixᵀ·r to g.
func Pull(a *density.Affine, r, g []float64) { PullFrom(a, 0, r[:a.Len()], g) }

// PullFrom is Pull for the rows from one on of which there is r.
func PullFrom(a *density.Affine, from int, r, g []float64) {
	for s := range a.Stretches(from, len(r)) {
		vec.MatTVecAdd(s.N, g, 1, s.Matrix, s.Stride, r[s.From-from:][:s.N], len(g))
	}
}
