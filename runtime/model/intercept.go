package model

import (
	"math"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// intercepts is the server's evaluation in coordinates in which intercepts follow the contributions that are added to the same predictors (density.Intercepts).
type intercepts struct {
	of           []graph.Intercept
	share, mean  []float64
	asked        bool      // somebody lets them follow, if only with shares of 0
	theta, truly []float64 // of the last Evaluate, and θ itself at the last target
}

func newIntercepts(spec *Spec) *intercepts {
	n, dim := len(spec.Intercepts), spec.Graph.Dim()
	return &intercepts{of: spec.Intercepts, share: make([]float64, n), mean: make([]float64, n), theta: make([]float64, dim), truly: make([]float64, dim)}
}

// Intercepts lists the coordinates that are added to whole sums of contributions; none but at the server.
func (p *Party) Intercepts() (out [][]int) {
	if p.intercepts == nil {
		return nil
	}
	for _, l := range p.intercepts.of {
		out = append(out, l.At)
	}
	return out
}

// Follow sets the share with which each intercept follows the mean of the contributions.
func (p *Party) Follow(shares []float64) {
	l := p.intercepts
	copy(l.share, shares)
	l.asked = true
}

// Means sets to to the means of the contributions at the last Target.
func (p *Party) Means(to []float64) { copy(to, p.intercepts.mean) }

// Shares sets to to the shares that the curvature at the last Target suggests.
func (p *Party) Shares(to []float64) { p.intercepts.shares(p.here(), to) }

// target takes the intercepts to θ, evaluates, and turns the derivatives by the inputs into those at fixed coordinates. No output depends on an intercept.
func (l *intercepts) target(e *graph.Exec) float64 {
	if !l.asked {
		return e.Target()
	}
	copy(l.truly, l.theta)
	for k, intercept := range l.of {
		l.mean[k] = 0
		for _, in := range intercept.Inputs {
			v := e.Input(in)
			l.mean[k] += vector.Sum(len(v), v) / float64(len(v))
		}
		move(l.truly, intercept.At, -float64(l.share[k]*l.mean[k]))
	}
	e.Forward(l.truly)
	lp := e.Target()
	for k, intercept := range l.of {
		if l.share[k] == 0 {
			continue
		}
		for _, in := range intercept.Inputs {
			v := e.InputAdjoint(in)
			vector.Shift(len(v), v, -float64(l.share[k]*along(e.Grad(), intercept.At))/float64(len(v)))
		}
	}
	return lp
}

// curvatureStep is how far shares goes to measure a curvature, relative to 1/√ of it.
const curvatureStep = 1e-3

// shares measures, for an intercept at a time, how the derivatives by it and by the contributions change with it.
func (l *intercepts) shares(e *graph.Exec, to []float64) {
	for k, intercept := range l.of {
		own, received := l.slopes(e, intercept)
		step := curvatureStep
		for range 2 { // the first measures how long the step should be
			move(l.truly, intercept.At, step)
			own2, received2 := l.slopes(e, intercept)
			move(l.truly, intercept.At, -step)
			curvature := (own - own2) / step
			to[k] = min(max(0, (received-received2)/(own-own2)), 1)
			if !(curvature > 0) || math.IsInf(curvature, 1) || math.IsNaN(to[k]) {
				to[k] = 1
				break
			}
			step = curvatureStep / math.Sqrt(curvature)
		}
	}
}

// slopes are the derivatives of the density by an intercept, and by a common change of one input that is added where it is.
func (l *intercepts) slopes(e *graph.Exec, intercept graph.Intercept) (own, received float64) {
	e.Forward(l.truly)
	e.Target()
	for _, in := range intercept.Inputs {
		v := e.InputAdjoint(in)
		received += vector.Sum(len(v), v) / float64(len(intercept.Inputs))
	}
	return along(e.Grad(), intercept.At), received
}

// move adds a number to some coordinates.
func move(x []float64, at []int, by float64) {
	for _, i := range at {
		x[i] += by
	}
}

// along is the derivative by a common change of some coordinates.
func along(grad []float64, at []int) (sum float64) {
	for _, i := range at {
		sum += grad[i]
	}
	return sum
}
