package simulate

import (
	"fmt"
	"math"
)

// LogDensity sets dst[i] to the log density of element i of response k at parameters x. Where auxiliary variables reach it, they are
// integrated out: in the augmented model the elements of a response are independent given the parameters, with one normal deviation of
// variance Σ ρ² each. The error gives the reason where there is no such density.
func (s *Simulator) LogDensity(k int, x, dst []float64) error {
	y := &s.model.Responses[k]
	if y.Dependent != "" {
		return fmt.Errorf("%s has no pointwise density: %s", y.Name, y.Dependent)
	}
	s.exec.Forward(x)
	if len(y.Noise) == 0 {
		copy(dst, s.exec.Report(y.LogDensity))
		return nil
	}
	q := newQuadrature(dst, func(t float64) []float64 { return s.shifted(y, t) })
	if !q.run() {
		return fmt.Errorf("%s: the integral over the auxiliary variables did not converge; rho is large compared with the width of the likelihood", y.Name)
	}
	return nil
}

// shifted evaluates the log densities with the total deviation of every element at t standard deviations, all of it in one auxiliary variable.
func (s *Simulator) shifted(y *Response, t float64) []float64 {
	total := 0.0
	for _, n := range y.Noise {
		total = math.Hypot(total, s.model.Noise[n].Rho)
	}
	for i, n := range y.Noise {
		in, v := s.exec.Input(s.model.Noise[n].Input), 0.0
		if i == 0 {
			v = t * total / s.model.Noise[n].Rho
		}
		for e := range in {
			in[e] = v
		}
	}
	return s.exec.Report(y.LogDensity)
}

const (
	reach     = 8.5  // standard deviations: the normal has a mass of 1e-17 beyond
	firstStep = 0.5  // of the trapezoidal rule, in standard deviations
	levels    = 10   // halvings of the step
	precision = 1e-8 // of the log density, between two steps
)

// A quadrature computes log ∫ exp(f_i(t)) φ(t) dt for many i at once by the trapezoidal rule, which converges exponentially for analytic integrands that
// vanish at both ends (Trefethen and Weideman 2014); the step is halved until no element changes.
type quadrature struct {
	f    func(t float64) []float64
	out  []float64 // results at the last step
	top  []float64 // running maximum of log terms
	sum  []float64 // of exp(term − top)
	step float64
}

func newQuadrature(out []float64, f func(t float64) []float64) *quadrature {
	q := &quadrature{f: f, out: out, top: make([]float64, len(out)), sum: make([]float64, len(out)), step: firstStep}
	for i := range q.top {
		q.top[i] = math.Inf(-1)
	}
	return q
}

// run reports whether the result has converged.
func (q *quadrature) run() bool {
	q.add(0)
	q.pairs(1, 1)
	q.settle()
	for range levels {
		q.step /= 2
		q.pairs(1, 2)
		if q.settle() < precision {
			return true
		}
	}
	return false
}

// pairs adds the points ±step·k for k = first, first+by, …
func (q *quadrature) pairs(first, by int) {
	for k := first; float64(k)*q.step <= reach; k += by {
		q.add(float64(k) * q.step)
		q.add(-float64(k) * q.step)
	}
}

func (q *quadrature) add(t float64) {
	log := -0.5 * t * t
	for i, v := range q.f(t) {
		v += log
		switch {
		case math.IsInf(v, -1):
		case v <= q.top[i]:
			q.sum[i] += math.Exp(v - q.top[i])
		default:
			q.sum[i] = q.sum[i]*math.Exp(q.top[i]-v) + 1
			q.top[i] = v
		}
	}
}

// settle sets the results at the current step and returns the largest change from the step before. The log of a density that is 0 everywhere stays −Inf.
func (q *quadrature) settle() float64 {
	worst := 0.0
	for i := range q.out {
		v := math.Inf(-1)
		if q.sum[i] != 0 {
			v = q.top[i] + math.Log(q.sum[i]*q.step) - 0.5*math.Log(2*math.Pi)
		}
		switch {
		case math.IsNaN(v):
			worst = math.Inf(1)
		case v != q.out[i]:
			worst = max(worst, math.Abs(v-q.out[i]))
		}
		q.out[i] = v
	}
	return worst
}
