package encrypted

import (
	"github.com/vflc/vflc/backends/algebra"
	vec "github.com/vflc/vflc/runtime/vector"
)

const (
	mostSteps  = 200  // of Newton's
	mostHalved = 30   // of one of them
	between    = 1e-4 // points whose gradients differ by the curvature
	near       = 1e-9 // the rise that a step promises where the last is made
)

// alone are the parameters of the server with which it fits the response best where the clients contribute
// nothing, by Newton's steps.
func (p *party) alone() []float64 {
	d := len(p.index)
	at, next, grad, step := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	now, bend := p.lonely(at, grad), algebra.NewFactor(d)
	for range mostSteps {
		p.bend(at, bend.Matrix)
		if copy(step, grad); d == 0 || !bend.Decompose() {
			break
		}
		if bend.Solve(step); vec.Dot(d, step, grad) < near {
			break
		}
		vec.Add(d, next, at, step)
		then := p.lonely(next, grad)
		for k := 0; k < mostHalved && !(then >= now); k++ {
			for i, from := range at {
				next[i] = 0.5 * (next[i] + from)
			}
			then = p.lonely(next, grad)
		}
		if !(then >= now) {
			break
		}
		now = then
		copy(at, next)
	}
	return at
}

// bend sets m to minus the second derivatives of lonely.
func (p *party) bend(theta, m []float64) {
	d := len(theta)
	at, above, below := append([]float64(nil), theta...), make([]float64, d), make([]float64, d)
	for i, v := range theta {
		at[i] = v + between
		p.lonely(at, above)
		at[i] = v - between
		p.lonely(at, below)
		at[i] = v
		for j := range d {
			m[i*d+j] = (below[j] - above[j]) / (2 * between)
		}
	}
}

// lonely is the log density of the server without the clients, and sets grad to its gradient.
func (p *party) lonely(theta, grad []float64) float64 {
	r, n := &p.lin.Rows[0], len(p.cut)
	lp, slope, by := make([]float64, n), make([]float64, n), make([]float64, len(theta)-p.c)
	algebra.Apply(p.by, theta[:p.c], p.cut)
	r.Evaluate(theta[p.c:], p.cut, lp, slope, nil, by)
	value := p.prior(theta, grad)
	algebra.Pull(p.by, slope, grad[:p.c])
	vec.Accumulate(len(by), grad[p.c:], by)
	return vec.Sum(n, lp) + value
}
