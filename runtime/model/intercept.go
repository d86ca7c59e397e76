package model

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// intercepts is the server's evaluation in coordinates in which intercepts follow the mean of what else is
// added to the same predictors (density.Intercepts).
type intercepts struct {
	of           []following
	share, mean  []float64
	asked        bool      // somebody lets them follow, if only with shares of 0
	theta, truly []float64 // of the last Evaluate, and θ itself at the last target
}

// A following intercept is added to sums that the server receives itself, or to those that others receive as
// they receive the parameter.
type following struct {
	graph.Intercept
	shared int   // of the plan; meaningful where there are groups
	groups []int // of the plan
}

// elsewhere reports whether the likelihood is others'.
func (f *following) elsewhere() bool { return len(f.groups) > 0 }

// newIntercepts returns nil where there are none, and where server and clients evaluate likelihoods: the
// server then tells clients what it has before its own.
func newIntercepts(plan *Plan, spec *Spec) *intercepts {
	var of []following
	if plan.AtClients && len(plan.Role(0).Receptions) > 0 {
		return nil
	}
	for _, i := range spec.Intercepts {
		switch f := (following{Intercept: i}); {
		case len(i.Inputs) > 0, i.Output < 0 && slices.ContainsFunc(i.Own, func(v float64) bool {
			return v != 0
		}):
			of = append(of, f)
		case i.Output >= 0:
			f.shared = slices.IndexFunc(plan.Shared, func(s Shared) bool { return s.From.Index == i.Output })
			if f.shared < 0 {
				continue
			}
			if f.groups = plan.Shared[f.shared].Beside; f.elsewhere() {
				of = append(of, f)
			}
		}
	}
	if of == nil {
		return nil
	}
	n, dim := len(of), spec.Graph.Dim()
	return &intercepts{of: of, share: make([]float64, n), mean: make([]float64, n),
		theta: make([]float64, dim), truly: make([]float64, dim)}
}

// Contributed reports whether others contribute to what intercepts are added to.
func (p *Party) Contributed() bool {
	return p.intercepts != nil && (len(p.intercepts.of[0].Inputs) > 0 || p.intercepts.of[0].elsewhere())
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

// FollowSums takes the intercepts that others receive to θ, given the sums of the plan, after Evaluate:
// outputs are then those at θ.
func (p *Party) FollowSums(sums [][]float64) {
	if l := p.intercepts; l != nil && l.asked {
		l.place(p.here(), sums)
		p.here().Forward(l.truly)
	}
}

// AnswerSums turns the derivatives of the density by the sums of the plan into those at fixed coordinates,
// after Target, given those by the shared parameters.
func (p *Party) AnswerSums(adjoints, shared [][]float64) {
	l := p.intercepts
	if l == nil || !l.asked {
		return
	}
	for k := range l.of {
		f := &l.of[k]
		if l.share[k] == 0 || !f.elsewhere() {
			continue
		}
		by := shared[f.shared]
		slope := -float64(l.share[k] * (along(p.here().Grad(), f.At) + vector.Sum(len(by), by)))
		for _, g := range f.groups {
			vector.Shift(len(adjoints[g]), adjoints[g], slope/float64(len(adjoints[g])))
		}
	}
}

// FollowsElsewhere reports whether the derivatives by a shared parameter are needed for AnswerSums.
func (p *Party) FollowsElsewhere(shared int) bool {
	l := p.intercepts
	return l != nil && l.asked && slices.ContainsFunc(l.of, func(f following) bool {
		return f.elsewhere() && f.shared == shared
	})
}

// place sets truly to θ.
func (l *intercepts) place(e *graph.Exec, sums [][]float64) {
	copy(l.truly, l.theta)
	for k := range l.of {
		f := &l.of[k]
		l.mean[k] = 0
		for _, in := range f.Inputs {
			l.mean[k] += meanOf(e.Input(in))
		}
		if sums != nil {
			for _, g := range f.groups {
				l.mean[k] += meanOf(sums[g])
			}
		}
		l.mean[k] += vector.Dot(len(f.Own), f.Own, l.theta)
		move(l.truly, f.At, -float64(l.share[k]*l.mean[k]))
	}
}

func meanOf(v []float64) float64 { return vector.Sum(len(v), v) / float64(len(v)) }

// target takes the intercepts to θ, evaluates, and turns the derivatives by the inputs into those at fixed
// coordinates.
func (l *intercepts) target(e *graph.Exec) float64 {
	if !l.asked || l.of[0].elsewhere() { // then all are
		return e.Target()
	}
	l.place(e, nil)
	e.Forward(l.truly)
	lp := e.Target()
	for k := range l.of {
		f := &l.of[k]
		if l.share[k] == 0 {
			continue
		}
		slope := -float64(l.share[k] * along(e.Grad(), f.At))
		for _, in := range f.Inputs {
			v := e.InputAdjoint(in)
			vector.Shift(len(v), v, slope/float64(len(v)))
		}
		vector.Axpy(len(f.Own), e.Grad(), slope, f.Own)
	}
	return lp
}

// curvatureStep is how far shares goes to measure a curvature, relative to 1/√ of it.
const curvatureStep = 1e-3

// shares measures, for an intercept at a time, how the derivatives by it and by the contributions change with
// it.
func (l *intercepts) shares(e *graph.Exec, to []float64) {
	for k := range l.of {
		intercept := &l.of[k]
		if to[k] = 1; len(intercept.Inputs) == 0 {
			// what others know of the curvature stays there, and nothing here measures the likelihood's part
			continue
		}
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

// slopes are the derivatives of the density by an intercept, and by a common change of one input that is
// added where it is.
func (l *intercepts) slopes(e *graph.Exec, intercept *following) (own, received float64) {
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
