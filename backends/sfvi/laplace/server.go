package laplace

import (
	"math"

	"github.com/vflc/vflc/backends/algebra"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A server makes Newton's steps for all parties. It has their gradients and the curvature, and knows how far
// they have moved since the latter was decrypted, but not from where.
type server struct {
	*party
	at           []int // where the columns of each party begin, and their number
	p            int
	priors       []float64      // precisions of all parties
	gram         []float64      // as decrypted
	fresh        []float64      // gram + prior
	h            algebra.Factor // the same, corrected by what steps did to the gradient
	grad         []float64      // at the parties' point
	base         []float64      // where the last step began
	step         []float64      // the last
	moved        []float64      // since the curvature was decrypted
	opened       int            // how often it was
	least        float64        // decrement of the point where the last step began
	speeds       []float64      // by how much the last steps made it smaller
	reject       int            // steps in a row that made it larger
	weighs       bool           // draws will be weighed, which corrects their mean
	beyond       int            // steps that left the range of polynomials
	room         bool           // for another pair of evaluations
	renews       bool           // the curvature may be decrypted again
	weight       float64        // curvature of all rows at the start
	skew         float64        // the part of it by which it changes in a unit of the predictor
	summed       []float64      // averages of the gradient over the pairs of points so far
	rise         float64        // of log p from the mean to the mode
	apartEffects bool           // they have a precision of their own
	normal       []float64      // numbers of the pairs of draws
	// log determinant of the precision of what are no effects, once deviations are told
	rest float64

	squares []float64 // of the deviations of the pairs of draws
	logs    []float64 // log p of the draws that were weighed
}

func newServer(p *party, columns []int) *server {
	s := &server{party: p, at: []int{0}}
	for _, c := range columns {
		s.p += c
		s.at = append(s.at, s.p)
	}
	for _, v := range []*[]float64{&s.priors, &s.gram, &s.fresh} {
		*v = make([]float64, s.p*s.p)
	}
	for _, v := range []*[]float64{&s.grad, &s.base, &s.step, &s.moved, &s.summed} {
		*v = make([]float64, s.p)
	}
	s.h = algebra.NewFactor(s.p)
	return s
}

const (
	mostStarting = 200  // steps to the start
	between      = 1e-4 // points whose slopes differ by the curvature
)

// start goes to the server's parameters that fit the response best without the clients, and makes the
// server's own block of the curvature there. It returns the mean curvature by the predictor, and that of all
// rows in units of the predictor by which it changes: its own, or where it is constant those in which it is
// 1. All of that is the server's own.
func (s *server) start() (mean, all float64) {
	step, next := make([]float64, s.d), make([]float64, s.d)
	now := s.alone(s.theta, s.party.grad)
	for range mostStarting {
		s.bendAlone()
		if copy(step, s.party.grad); s.d == 0 || !s.own.Decompose() {
			break
		}
		if s.own.Solve(step); vec.Dot(s.d, step, s.party.grad) < 1e-9 {
			break
		}
		vec.Add(s.d, next, s.theta, step)
		then := s.alone(next, s.party.grad)
		for k := 0; k < 30 && !(then >= now); k++ {
			for i, from := range s.theta {
				next[i] = 0.5 * (next[i] + from)
			}
			then = s.alone(next, s.party.grad)
		}
		if !(then >= now) {
			break
		}
		now = then
		copy(s.theta, next)
	}
	s.contribute()
	curvature, there := make([]float64, s.n), append([]float64(nil), s.cut...)
	s.bend(there, curvature)
	mean = vec.Sum(s.n, curvature) / float64(s.n)
	vec.AddScalar(s.n, s.cut, there, 1)
	changed := make([]float64, s.n)
	s.bend(s.cut, changed)
	vec.Sub(s.n, changed, changed, curvature)
	for _, v := range changed {
		s.skew += math.Abs(v)
	}
	s.weight = vec.Sum(s.n, curvature)
	s.skew /= s.weight
	if all = mean * float64(s.n); vec.Dot(s.n, changed, changed) < 1e-8*vec.Dot(s.n, curvature, curvature) {
		all = float64(s.n)
	}
	return mean, all
}

// alone is log p without the clients at a point, and sets grad to its gradient.
func (s *server) alone(theta, grad []float64) float64 {
	r, lp, slope := &s.lin.Rows[0], make([]float64, s.n), make([]float64, s.n)
	algebra.Apply(s.by, theta[:s.c], s.cut)
	by := make([]float64, s.d-s.c)
	r.Evaluate(theta[s.c:], s.cut, lp, slope, nil, by)
	value := s.party.prior(theta, grad)
	algebra.Pull(s.by, slope, grad[:s.c])
	vec.Accumulate(len(by), grad[s.c:], by)
	return vec.Sum(s.n, lp) + value
}

// bendAlone sets the gradient without the clients at the server's point, and the own block to minus its
// derivative.
func (s *server) bendAlone() {
	above, below, at := make([]float64, s.d), make([]float64, s.d), append([]float64(nil), s.theta...)
	for i, v := range s.theta {
		at[i] = v + between
		s.alone(at, above)
		at[i] = v - between
		s.alone(at, below)
		at[i] = v
		for j := range at {
			s.own.Matrix[i*s.d+j] = (below[j] - above[j]) / (2 * between)
		}
	}
	s.alone(s.theta, s.party.grad)
}

// bend sets curvature to minus the second derivatives of rows of the likelihood at predictors.
func (s *server) bend(eta, curvature []float64) {
	phi, by := s.theta[s.c:], make([]float64, s.d-s.c)
	at, lp, above := make([]float64, s.n), make([]float64, s.n), make([]float64, s.n)
	vec.AddScalar(s.n, at, eta, between)
	s.lin.Rows[0].Evaluate(phi, at, lp, above, nil, by)
	vec.AddScalar(s.n, at, eta, -between)
	s.lin.Rows[0].Evaluate(phi, at, lp, curvature, nil, by)
	for i, a := range above {
		curvature[i] = (curvature[i] - a) / (2 * between)
	}
}

// What the server answers.
const (
	goOn      = iota // the parties go the step
	goBack           // the last step went too far: they go another from where it began
	openAgain        // they stay, and the curvature is decrypted there
	arrive           // they go the step, which ends at the mode
	average          // the same, and the mean is elsewhere
	stop             // they go the step, the last of as many as are allowed
	giveUp           // no step leads on
)

const (
	mostOpened   = 4
	mostRejected = 12
	mostBeyond   = 5
	within       = 0.02 // of a posterior standard deviation, is what the mode is known to
	// square of a move of the predictors by a seventh of their unit, in the root mean square, beyond which
	// the curvature is another
	far  = 0.02
	slow = 0.5 // times the length before, is a step of a curvature that fits no more
)

// open takes a curvature that was decrypted at the parties' point.
func (s *server) open() {
	if s.opened > 0 {
		s.renew()
	}
	vec.Add(s.p*s.p, s.fresh, s.gram, s.priors)
	copy(s.h.Matrix, s.fresh)
	clear(s.moved)
	s.speeds = s.speeds[:0]
	s.opened++
}

// renew makes the precision of the priors of globals that at the server's point.
func (s *server) renew() {
	own := make([]float64, s.d*s.d)
	s.precision(own)
	for i := range s.d {
		copy(s.priors[i*s.p:][:s.d], own[i*s.d:])
	}
}

// norm is vᵀMv.
func (s *server) norm(m, v []float64) float64 {
	sum := 0.0
	for i, x := range v {
		sum += float64(x * vec.Dot(s.p, m[i*s.p:], v))
	}
	return sum
}

// solve sets out to the step from a gradient and returns the decrement.
func (s *server) solve(grad, out []float64) float64 {
	copy(out, grad)
	s.h.Solve(out)
	return vec.Dot(s.p, out, grad)
}

// learn corrects the curvature by what the last step did to the gradient.
func (s *server) learn() {
	p, y, hs := s.p, make([]float64, s.p), make([]float64, s.p)
	vec.Sub(p, y, s.base, s.grad)
	for i := range hs {
		hs[i] = vec.Dot(p, s.h.Matrix[i*p:], s.step)
	}
	ys, shs := vec.Dot(p, y, s.step), vec.Dot(p, hs, s.step)
	if !(ys > 1e-8*shs) {
		return
	}
	for i := range p {
		row := s.h.Matrix[i*p:][:p]
		vec.Axpy(p, row, y[i]/ys, y)
		vec.Axpy(p, row, -hs[i]/shs, hs)
	}
}

// judge takes the gradient after the last step. It reports whether the step goes too far: the decrement, by
// the curvature of that step, did not fall.
func (s *server) judge(beyond bool) (tooFarGone bool) {
	after, scratch := math.Inf(1), make([]float64, s.p)
	if !beyond {
		after = s.solve(s.grad, scratch)
	}
	if !(after <= s.least) {
		if after <= 100*s.least {
			s.learn()
		}
		s.reject++
		return true
	}
	s.reject = 0
	s.speeds = append(s.speeds, math.Sqrt(after/s.least))
	vec.Accumulate(s.p, s.moved, s.step)
	s.learn()
	return false
}

// again makes a shorter step from where the last began.
func (s *server) again() int {
	long := s.norm(s.h.Matrix, s.step)
	if s.reject > mostRejected || !s.h.Decompose() {
		return giveUp
	}
	s.least = s.solve(s.base, s.step)
	shorter := min(1, 0.5*math.Sqrt(long/s.norm(s.h.Matrix, s.step)))
	for i := range s.step {
		s.step[i] *= shorter
	}
	return goBack
}

// next decides on the step from the parties' point, given how much curvature all rows have at first.
func (s *server) next(curvature float64, last bool) (verdict int, decrement float64) {
	if !s.h.Decompose() {
		return giveUp, math.Inf(1)
	}
	copy(s.base, s.grad)
	s.least = s.solve(s.grad, s.step)
	over := make([]float64, s.p)
	vec.Add(s.p, over, s.moved, s.step)
	there, again := s.reached(curvature), len(s.speeds) > 0 && s.opened < mostOpened && s.renews
	switch {
	case !(s.least <= math.MaxFloat64):
		return giveUp, s.least
	case last && !there:
		return stop, s.least
	case again && (there && s.norm(s.fresh, over) > far*curvature || s.stuck()):
		return openAgain, s.least
	case !there:
		return goOn, s.least
	case s.weighs || s.c == s.d && s.shift() <= unnoticed:
		return arrive, s.least
	case s.room:
		return average, s.least
	}
	return stop, s.least
}

// stuck reports whether the last two steps brought the mode little nearer.
func (s *server) stuck() bool {
	n := len(s.speeds)
	return n > 1 && min(s.speeds[n-1], s.speeds[n-2]) > slow
}

// reached reports whether the step ends within a small part of each parameter's standard deviation from the
// mode. Steps become shorter by a factor: after fresh curvature, by no more than six times the root mean
// square by which the step moves predictors, since a likelihood's curvature changes by about as much as its
// logarithm does; later by that of the last two.
func (s *server) reached(curvature float64) bool {
	worst := s.worst()
	if worst <= within {
		return true
	}
	shrink := 6 * math.Sqrt(s.least/curvature)
	if n := len(s.speeds); n > 0 {
		shrink = s.speeds[n-1]
		if n > 1 {
			shrink = max(shrink, s.speeds[n-2])
		}
	}
	return shrink < slow && float64(worst*shrink) <= float64(within*(1-shrink))
}

// worst is the largest element of the step, in standard deviations.
func (s *server) worst() (out float64) {
	unit := make([]float64, s.p)
	for i := range unit {
		clear(unit)
		unit[i] = 1
		s.h.Forward(unit)
		out = max(out, math.Abs(s.step[i])/math.Sqrt(vec.Dot(s.p, unit, unit)))
	}
	return out
}
