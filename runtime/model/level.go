package model

import (
	"math"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// levels is the server's evaluation in coordinates in which levels follow the contributions that are added to the same predictors (density.Levelled).
type levels struct {
	of           []graph.Level
	share, mean  []float64
	asked        bool      // somebody lets them follow, if only with shares of 0
	theta, truly []float64 // of the last Evaluate, and θ itself at the last target
}

func newLevels(spec *Spec) *levels {
	n, dim := len(spec.Levels), spec.Graph.Dim()
	return &levels{of: spec.Levels, share: make([]float64, n), mean: make([]float64, n), theta: make([]float64, dim), truly: make([]float64, dim)}
}

// Levels lists the coordinates that are added to whole sums of contributions; none but at the server.
func (p *Party) Levels() (out [][]int) {
	if p.levels == nil {
		return nil
	}
	for _, l := range p.levels.of {
		out = append(out, l.At)
	}
	return out
}

// Follow sets the share with which each level follows the mean of the contributions.
func (p *Party) Follow(shares []float64) {
	l := p.levels
	copy(l.share, shares)
	l.asked = true
}

// Means sets to to the means of the contributions at the last Target.
func (p *Party) Means(to []float64) { copy(to, p.levels.mean) }

// Shares sets to to the shares that the curvature at the last Target suggests.
func (p *Party) Shares(to []float64) { p.levels.shares(p.here(), to) }

// target takes the levels to θ, evaluates, and turns the derivatives by the inputs into those at fixed coordinates. No output depends on a level.
func (l *levels) target(e *graph.Exec) float64 {
	if !l.asked {
		return e.Target()
	}
	copy(l.truly, l.theta)
	for k, level := range l.of {
		l.mean[k] = 0
		for _, in := range level.Inputs {
			v := e.Input(in)
			l.mean[k] += vector.Sum(len(v), v) / float64(len(v))
		}
		move(l.truly, level.At, -float64(l.share[k]*l.mean[k]))
	}
	e.Forward(l.truly)
	lp := e.Target()
	for k, level := range l.of {
		if l.share[k] == 0 {
			continue
		}
		for _, in := range level.Inputs {
			v := e.InputAdjoint(in)
			vector.Shift(len(v), v, -float64(l.share[k]*along(e.Grad(), level.At))/float64(len(v)))
		}
	}
	return lp
}

// levelStep is how far shares goes to measure a curvature, relative to 1/√ of it.
const levelStep = 1e-3

// shares measures, for a level at a time, how the derivatives by it and by the contributions change with it.
func (l *levels) shares(e *graph.Exec, to []float64) {
	for k, level := range l.of {
		own, received := l.slopes(e, level)
		step := levelStep
		for range 2 { // the first measures how long the step should be
			move(l.truly, level.At, step)
			own2, received2 := l.slopes(e, level)
			move(l.truly, level.At, -step)
			curvature := (own - own2) / step
			to[k] = min(max(0, (received-received2)/(own-own2)), 1)
			if !(curvature > 0) || math.IsInf(curvature, 1) || math.IsNaN(to[k]) {
				to[k] = 1
				break
			}
			step = levelStep / math.Sqrt(curvature)
		}
	}
}

// slopes are the derivatives of the density by a level, and by a common change of one input that is added where it is.
func (l *levels) slopes(e *graph.Exec, level graph.Level) (own, received float64) {
	e.Forward(l.truly)
	e.Target()
	for _, in := range level.Inputs {
		v := e.InputAdjoint(in)
		received += vector.Sum(len(v), v) / float64(len(level.Inputs))
	}
	return along(e.Grad(), level.At), received
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
