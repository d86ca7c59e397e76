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
