package quadrature

import (
	"github.com/vflc/vflc/backends/algebra"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A root is R with RRᵀ = W − BᵀA⁻¹B, over the predictors of all likelihoods. With D that of W, A = LLᵀ and U
// = D⁻¹BᵀL⁻ᵀ it is DM for M = I − U(I + C)⁻¹Uᵀ and CCᵀ = I − UᵀU. Its methods overwrite a vector.
type root struct {
	rows          []*rows
	n, m          int
	scale         []float64   // of D where a row has one predictor, of some rows
	wide, inverse [][]float64 // by likelihood, D and its inverse where a row has several
	u             []float64   // by column
	c, y          algebra.Factor
	few           []float64
}

// newRoot takes the root of the curvatures of the likelihoods, as concave functions, given the globals' L
// where there are any.
func newRoot(all []*rows, n int, g *globals) *root {
	r := &root{rows: all, n: n, scale: make([]float64, min(n, inBlock))}
	for _, l := range all {
		wide, inverse := l.sound()
		r.wide, r.inverse = append(r.wide, wide), append(r.inverse, inverse)
	}
	if g == nil {
		return r
	}
	r.m = g.m
	r.few, r.u = make([]float64, r.m), make([]float64, n*r.m)
	at := 0
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
		r.each(r.u[k*n:][:n], true)
	}
	r.complete()
	return r
}

// complete finds C. Where the globals leave nothing of the curvature in some direction they are taken to have
// less to do with it.
func (r *root) complete() {
	m, n := r.m, r.n
	r.c, r.y = algebra.NewFactor(m), algebra.NewFactor(m)
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

// each multiplies by D, or divides by it.
func (r *root) each(v []float64, divide bool) {
	at := 0
	for k, l := range r.rows {
		switch part := v[at : at+l.n]; {
		case r.wide[k] != nil && divide:
			l.product(r.inverse[k], part)
		case r.wide[k] != nil:
			l.product(r.wide[k], part)
		default:
			r.times(part, l.curvature, divide)
		}
		at += l.n
	}
}

// times multiplies by the roots of curvatures, or divides by them. They are taken anew each time: an array of
// them would have a number for each row.
func (r *root) times(v, curvature []float64, divide bool) {
	by := vec.Mul
	if divide {
		by = vec.Div
	}
	for from, to := range blocks(len(v)) {
		n, part := to-from, v[from:to]
		vec.Sqrt(n, r.scale, curvature[from:])
		by(n, part, part, r.scale)
	}
}

// onto multiplies by R.
func (r *root) onto(v []float64) {
	r.less(v, r.y.Forward, -1)
	r.each(v, false)
}

// back multiplies by Rᵀ.
func (r *root) back(v []float64) {
	r.each(v, false)
	r.less(v, r.y.Backward, -1)
}

// undo multiplies by R⁻¹.
func (r *root) undo(v []float64) {
	r.each(v, true)
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

// beside adds to out sign times L⁻¹B times the predictors of which v is Rᵀ: by as much the globals'
// standardised mean is lower.
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
