package quadrature

import (
	"github.com/vflc/vflc/backends/cholesky"
	vec "github.com/vflc/vflc/runtime/vector"
)

// memory is how many differences of iterates the mixing uses.
const memory = 6

// An anderson accelerates a fixed-point iteration x ← G(x) (Anderson 1965; Walker and Ni 2011): the next iterate is the combination of the latest values of
// G, with coefficients that sum to 1, for which the same combination of the residuals G(x) − x is shortest. It sees sums over the parties alone; the
// parties combine their own parts with the same coefficients.
type anderson struct {
	n        int
	values   [][]float64 // of G, the latest last
	residual [][]float64
	used     int
	x        []float64 // the iterate
	mix      [memory + 1]float64
}

func newAnderson(n int) *anderson {
	a := &anderson{n: n, x: make([]float64, n)}
	for range memory + 1 {
		a.values, a.residual = append(a.values, make([]float64, n)), append(a.residual, make([]float64, n))
	}
	return a
}

// forget drops all values.
func (a *anderson) forget() { a.used = 0 }

// add takes G at the iterate.
func (a *anderson) add(g []float64) {
	if a.used == len(a.values) {
		rotate(a.values)
		rotate(a.residual)
		a.used--
	}
	copy(a.values[a.used], g)
	vec.Sub(a.n, a.residual[a.used], g, a.x)
	a.used++
}

func rotate(v [][]float64) {
	first := v[0]
	copy(v, v[1:])
	v[len(v)-1] = first
}

// next sets the coefficients of the values, the latest of which is used−1, and moves to their combination. weight is the metric of the residuals.
func (a *anderson) next(weight []float64) {
	m := a.used - 1
	clear(a.mix[:])
	a.mix[m] = 1
	if m > 0 {
		a.solve(m, weight)
	}
	clear(a.x)
	for k := range a.used {
		vec.Axpy(a.n, a.x, a.mix[k], a.values[k])
	}
}

// solve finds the coefficients c of the differences that make residual − Σ c·difference shortest.
func (a *anderson) solve(m int, weight []float64) {
	diff := make([][]float64, m)
	for k := range diff {
		diff[k] = make([]float64, a.n)
		vec.Sub(a.n, diff[k], a.residual[k+1], a.residual[k])
	}
	c, scaled := make([]float64, m), make([]float64, a.n)
	f := cholesky.New(m)
	trace := 0.0
	for i := range m {
		vec.Mul(a.n, scaled, diff[i], weight)
		for j := range m {
			f.Matrix[i*m+j] = vec.Dot(a.n, scaled, diff[j])
		}
		trace += f.Matrix[i*m+i]
		c[i] = vec.Dot(a.n, scaled, a.residual[m])
	}
	for i := range m {
		f.Matrix[i*m+i] += 1e-10 * trace
	}
	if !f.Definite() {
		return
	}
	f.Solve(c)
	for i, v := range c {
		a.mix[i+1] -= v
		a.mix[i] += v
	}
}
