package laplace

import (
	"math"

	"github.com/vflc/vflc/backends/cholesky"
	"github.com/vflc/vflc/backends/linear"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A server makes Newton's steps for all parties. It has their gradients and the curvature, and knows how far they have moved since the latter was decrypted, but not from where.
type server struct {
	*party
	at     []int // where the columns of each party begin, and their number
	p      int
	prior  []float64       // precisions of all parties
	gram   []float64       // as decrypted
	fresh  []float64       // gram + prior
	h      cholesky.Factor // the same, corrected by what steps did to the gradient
	grad   []float64       // at the parties' point
	base   []float64       // where the last step began
	step   []float64       // the last
	moved  []float64       // since the curvature was decrypted
	opened int             // how often it was
	least  float64         // decrement of the point where the last step began
	speeds []float64       // by how much the last steps made it smaller
	reject int             // steps in a row that made it larger

	squares []float64 // of the deviations of the pairs of draws
	logs    []float64 // log p of the draws that were weighed
}

func newServer(p *party, columns []int) *server {
	s := &server{party: p, at: []int{0}}
	for _, c := range columns {
		s.p += c
		s.at = append(s.at, s.p)
	}
	for _, v := range []*[]float64{&s.prior, &s.gram, &s.fresh} {
		*v = make([]float64, s.p*s.p)
	}
	for _, v := range []*[]float64{&s.grad, &s.base, &s.step, &s.moved} {
		*v = make([]float64, s.p)
	}
	s.h = cholesky.New(s.p)
	return s
}

const (
	mostStarting = 50   // steps to the start
	between      = 1e-4 // points whose slopes differ by the curvature
)

// start sets theta to the server's parameters that fit the response best without the clients, and returns the mean curvature of the likelihood there. All of that is its own.
func (s *server) start(theta []float64) float64 {
	d, n, r := s.d, s.n, &s.lin.Rows[0]
	mine, lp, slope, curvature, step := make([]float64, d), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, d)
	f, scaled := cholesky.New(d), make([]float64, n)
	value := func(at []float64) float64 {
		linear.Apply(s.by, at, s.cut)
		r.Evaluate(nil, s.cut, lp, slope, nil, nil)
		return vec.Sum(n, lp) + linear.Value(&s.lin.Prior, at, s.work)
	}
	now := value(mine)
	for range mostStarting {
		bend(r.Evaluate, s.cut, curvature)
		linear.Gradient(&s.lin.Prior, mine, step)
		linear.Pull(s.by, slope, step)
		copy(f.Matrix, s.lin.Prior.Precision)
		for i := range d {
			vec.Mul(n, scaled, s.by.Matrix[i*n:], curvature)
			for j := range d {
				f.Matrix[i*d+j] += vec.Dot(n, scaled, s.by.Matrix[j*n:])
			}
		}
		rise := vec.Dot(d, step, step)
		if d == 0 || !f.Decompose() {
			break
		}
		f.Solve(step)
		next := append([]float64(nil), mine...)
		vec.Accumulate(d, next, step)
		then := value(next)
		for k := 0; k < 30 && !(then >= now); k++ {
			for i := range next {
				next[i] = 0.5 * (next[i] + mine[i])
			}
			then = value(next)
		}
		if !(then >= now) {
			value(mine)
			break
		}
		copy(mine, next)
		if now = then; rise < 1e-12 {
			break
		}
	}
	for i, at := range s.lin.Index {
		theta[at] = mine[i]
	}
	bend(r.Evaluate, s.cut, curvature)
	return vec.Sum(n, curvature) / float64(n)
}

// bend sets curvature to minus the second derivatives of rows of a likelihood at their predictors.
func bend(evaluate func(phi, eta, lp, slope, seeds, by []float64), eta, curvature []float64) {
	n := len(eta)
	at, lp, above := make([]float64, n), make([]float64, n), make([]float64, n)
	vec.AddScalar(n, at, eta, between)
	evaluate(nil, at, lp, above, nil, nil)
	vec.AddScalar(n, at, eta, -between)
	evaluate(nil, at, lp, curvature, nil, nil)
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
	stop             // they go the step, the last of as many as are allowed
	giveUp           // no step leads on
)

const (
	mostOpened   = 4
	mostRejected = 12
	within       = 0.02 // of a posterior standard deviation, is what the mode is known to
	far          = 0.02 // square of a move of the predictors by a seventh of their unit, in the root mean square, beyond which the curvature is another
	slow         = 0.5  // times the length before, is a step of a curvature that fits no more
)

// open takes a curvature that was decrypted at the parties' point.
func (s *server) open() {
	vec.Add(s.p*s.p, s.fresh, s.gram, s.prior)
	copy(s.h.Matrix, s.fresh)
	clear(s.moved)
	s.speeds = s.speeds[:0]
	s.opened++
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

// judge takes the gradient after the last step. It reports whether the step goes too far: the decrement, by the curvature of that step, did not fall.
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
	there, again := s.reached(curvature), len(s.speeds) > 0 && s.opened < mostOpened
	switch {
	case !(s.least <= math.MaxFloat64):
		return giveUp, s.least
	case last && !there:
		return stop, s.least
	case again && (there && s.norm(s.fresh, over) > far*curvature || s.stuck()):
		return openAgain, s.least
	case there:
		return arrive, s.least
	}
	return goOn, s.least
}

// stuck reports whether the last two steps brought the mode little nearer.
func (s *server) stuck() bool {
	n := len(s.speeds)
	return n > 1 && min(s.speeds[n-1], s.speeds[n-2]) > slow
}

// reached reports whether the step ends within a small part of each parameter's standard deviation from the mode. Steps become shorter by a factor: after fresh curvature, by no more than six times the root mean square
// by which the step moves predictors, since a likelihood's curvature changes by about as much as its logarithm does; later by that of the last two.
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
