package quadrature

import (
	"math"

	"github.com/vflc/vflc/backends/cholesky"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A root is R with RRᵀ = W − BᵀA⁻¹B, over the predictors of all likelihoods. With D that of W, A = LLᵀ and U = D⁻¹BᵀL⁻ᵀ it is DM for M = I − U(I + C)⁻¹Uᵀ and CCᵀ = I − UᵀU. Its methods
// overwrite a vector.
type root struct {
	rows  []*rows
	n, m  int
	scale []float64   // of D where a row has one predictor
	lower [][]float64 // by likelihood, of D where it has several
	u     []float64   // by column
	c, y  cholesky.Factor
	few   []float64
}

// newRoot takes the root of the curvatures of the likelihoods, as concave functions, given the globals' L where there are any.
func newRoot(all []*rows, n int, g *globals) *root {
	r := &root{rows: all, n: n, scale: make([]float64, n)}
	at := 0
	for _, l := range all {
		r.lower = append(r.lower, l.sound())
		for i, w := range l.curvature {
			r.scale[at+i] = math.Sqrt(w)
		}
		at += l.n
	}
	if g == nil {
		return r
	}
	r.m = g.m
	r.few, r.u = make([]float64, r.m), make([]float64, n*r.m)
	at = 0
	for _, l := range all {
		for i := range l.n {
			for k := range r.few {
				r.few[k] = l.mixed[k*l.n+i]
			}
			g.precision.Forward(r.few)
			for k, v := range r.few {
				r.u[k*n+at+i] = v
			}
		}
		at += l.n
	}
	for k := range r.m {
		r.each(r.u[k*n:][:n], divideBy)
	}
	r.complete()
	return r
}

// complete finds C. Where the globals leave nothing of the curvature in some direction they are taken to have less to do with it.
func (r *root) complete() {
	m, n := r.m, r.n
	r.c, r.y = cholesky.New(m), cholesky.New(m)
	for try := true; try; {
		for i := range m {
			for j := range m {
				r.c.Matrix[i*m+j] = -vec.Dot(n, r.u[i*n:], r.u[j*n:])
			}
			r.c.Matrix[i*m+i]++
		}
		if try = !r.c.Definite(); try {
			vec.Scale(len(r.u), r.u, r.u, 0.99)
		}
	}
	copy(r.y.Lower, r.c.Lower)
	for i := range m {
		r.y.Lower[i*m+i]++
	}
}

// What is done with D, in each row.
const (
	times = iota
	timesTransposed
	divideBy
)

// each applies D.
func (r *root) each(v []float64, how int) {
	at := 0
	for k, l := range r.rows {
		switch part, scale := v[at:at+l.n], r.scale[at:]; {
		case r.lower[k] != nil:
			l.triangular(r.lower[k], part, how)
		case how == divideBy:
			vec.Div(l.n, part, part, scale)
		default:
			vec.Mul(l.n, part, part, scale)
		}
		at += l.n
	}
}

// triangular applies the lower factors of the rows.
func (r *rows) triangular(lower, v []float64, how int) {
	n, k := r.count(), r.Width
	at := func(a, b int) []float64 { return lower[(a*k+b)*n:] }
	part := make([]float64, n)
	for step := range k {
		a := step
		if how == times { // the last first: it needs those before
			a = k - 1 - step
		}
		switch to := r.of(a, v); how {
		case times:
			vec.Mul(n, part, to, at(a, a))
			for b := range a {
				vec.MulAdd(n, part, at(a, b), r.of(b, v))
			}
			copy(to, part)
		case timesTransposed:
			vec.Mul(n, part, to, at(a, a))
			for b := a + 1; b < k; b++ {
				vec.MulAdd(n, part, at(b, a), r.of(b, v))
			}
			copy(to, part)
		case divideBy:
			clear(part)
			for b := range a {
				vec.MulAdd(n, part, at(a, b), r.of(b, v))
			}
			vec.Sub(n, to, to, part)
			vec.Div(n, to, to, at(a, a))
		}
	}
}

// onto multiplies by R.
func (r *root) onto(v []float64) {
	r.less(v, r.y.Forward, -1)
	r.each(v, times)
}

// back multiplies by Rᵀ.
func (r *root) back(v []float64) {
	r.each(v, timesTransposed)
	r.less(v, r.y.Backward, -1)
}

// undo multiplies by R⁻¹.
func (r *root) undo(v []float64) {
	r.each(v, divideBy)
	r.less(v, func(few []float64) {
		r.c.Forward(few)
		r.y.Backward(few)
	}, 1)
}

// less adds sign·U·f(Uᵀv).
func (r *root) less(v []float64, f func([]float64), sign float64) {
	if r.m == 0 {
		return
	}
	for k := range r.few {
		r.few[k] = vec.Dot(r.n, r.u[k*r.n:], v)
	}
	f(r.few)
	for k, x := range r.few {
		vec.Axpy(r.n, v, sign*x, r.u[k*r.n:])
	}
}

// beside adds to out sign times L⁻¹B times the predictors of which v is Rᵀ: by as much the globals' standardised mean is lower.
func (r *root) beside(v []float64, sign float64, out []float64) {
	m := r.m
	if m == 0 {
		return
	}
	for k := range r.few {
		r.few[k] = vec.Dot(r.n, r.u[k*r.n:], v)
	}
	r.y.Forward(r.few)
	r.c.Backward(r.few)
	for j := range m { // (I + C)ᵀ
		for i := j; i < m; i++ {
			out[j] += float64(sign * r.y.Lower[i*m+j] * r.few[i])
		}
	}
}
