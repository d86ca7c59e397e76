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
func Apply(a *density.Affine, theta, y []float64) {
	n := len(a.Offset)
	if n == 0 {
		return
	}
	vec.MatVec(n, y, a.Matrix, n, theta, 1, len(theta))
	vec.Accumulate(n, y, a.Offset)
}

// Pull adds Matrixᵀ·r to g.
func Pull(a *density.Affine, r, g []float64) {
	if n := len(a.Offset); n > 0 {
		vec.MatTVecAdd(n, g, 1, a.Matrix, n, r, len(g))
	}
}

// ApplyFrom is Apply for the rows from one on of which there is y.
func ApplyFrom(a *density.Affine, from int, theta, y []float64) {
	if n, rows := len(y), len(a.Offset); n > 0 && len(theta) > 0 {
		vec.MatVec(n, y, a.Matrix[from:], rows, theta, 1, len(theta))
	} else {
		clear(y)
	}
	vec.Accumulate(len(y), y, a.Offset[from:])
}

// PullFrom is Pull for the rows from one on of which there is r.
func PullFrom(a *density.Affine, from int, r, g []float64) {
	if n, rows := len(r), len(a.Offset); n > 0 && len(g) > 0 {
		vec.MatTVecAdd(n, g, 1, a.Matrix[from:], rows, r, len(g))
	}
}
