package quadrature

import (
	"math"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// What the server decides of an iterate.
const (
	goOn    = iota // from it
	goBack         // to the one before, with twice the damping: the ELBO fell
	finish         // it is the result
	abandon        // none follows: the server cannot go on
)

// The server's answers. Those about an iterate, and then the coefficients with which the values of the map
// are mixed.
const (
	atVerdict = iota
	atDamping
	atELBO
	decision
	coefficients = memory + 1
)

// pairs is the number of pairs of values.
const pairs = coefficients * (coefficients + 1) / 2

// A server is the server's part: its own block, the sums over the clients, and what follows from them.
type server struct {
	*party
	variance [][]float64 // by sum, of what the clients contribute, while the answer to that is found
	mean     [][]float64 // of the fit, where that is evaluated and the clients have the likelihood
	span     *span       // where the likelihood is at the server
	rules    *rules
	globals  *globals // nil: there are none

	conjugate *conjugate // while draws of the joint Gaussian are made
	noise     density.Stream
	g, h      []float64 // gradient and curvature of the likelihood by what is sent

	tolerance, damping float64
	elbo, rise         float64
	blur               float64 // error of the ELBO by the rule of fewest nodes, when it was last used
	calm               int     // iterates in a row that rose by less than the tolerance
	rejected           int     // iterates in a row that fell
}

func newServer(p *party, o *Options, clients int, all *rules) *server {
	s := &server{party: p, rules: all, tolerance: o.Tolerance, damping: float64(clients+1) / 2,
		elbo: math.Inf(-1)}
	width := 1
	for _, r := range s.rows {
		width = max(width, r.Width)
	}
	if len(p.lin.Globals.Index) > 0 {
		s.globals = newGlobals(p.lin.Globals, o.Theta != MeanField, width)
		for _, r := range s.rows {
			r.nodes, r.by = s.globals.nodes, make([]float64, s.globals.m)
		}
	} else if width > 1 {
		for _, r := range s.rows {
			r.nodes = cubature(width, 0)
		}
	}
	if !o.AtClients {
		s.begin()
		return s
	}
	s.damping = float64(clients+2) / 2 // the server's parameters move with the clients'
	m := len(p.lin.Sends.Offset)
	s.g, s.h = make([]float64, m), make([]float64, m*m)
	return s
}

// begin makes what the iterates of a fit need where the likelihood is at the server.
func (s *server) begin() {
	s.span = newSpan(s.lin.Sums, s.lin.Vector)
}

// endSpan drops the span.
func (s *server) endSpan() {
	if s.span == nil {
		return
	}
	for _, sums := range s.span.sums {
		for _, v := range sums {
			s.lin.Free(v)
		}
	}
	s.span = nil
}

// judge decides on the newest iterate, given its ELBO.
func (s *server) judge(elbo float64) int {
	rise := elbo - s.elbo
	if !(rise >= -0.1*s.tolerance) {
		s.damping *= 2
		s.calm = 0
		s.rejected++
		return goBack
	}
	s.rejected = 0
	if s.calm++; !(rise < s.tolerance) {
		s.calm = 0
	}
	s.elbo, s.rise = elbo, rise
	if s.calm == 2 {
		return finish
	}
	return goOn
}

// columnsOf separates the means of each sum from the variances and what follows them.
func columnsOf(sum [][]float64, columns int) (mean, variance [][]float64) {
	for _, v := range sum {
		mean, variance = append(mean, v[:len(v)/columns]), append(variance, v[len(v)/columns:])
	}
	return mean, variance
}

// integrate finds the best combination of the clients' values and the server's own q, where the likelihood
// is; least is the ELBO that is not a step back.
func (s *server) integrate(sum [][]float64, terms []float64, least float64) (elbo float64, ok bool) {
	mean, variance := columnsOf(sum, 2)
	s.variance = variance
	s.span.add(mean, terms)
	elbo, ok = s.maximise(least)
	if s.variance = nil; !ok {
		return elbo, false
	}
	copy(s.now.factor, s.q.precision.Lower)
	return elbo, true
}

// total is the ELBO at coefficients and a mean of the server's, its covariance as in q.
func (s *server) total(mix, theta []float64) float64 {
	value := s.span.part(mix)
	if s.globals != nil {
		value += s.globals.begin()
	}
	for _, r := range s.rows {
		for p := range r.parts() {
			algebra.ApplyFrom(&r.Affine, p.from, theta, p.eta)
			clear(p.mean)
			for k := range s.span.used {
				vec.Axpy(p.n, p.mean, mix[k], s.span.sums[k][r.Group][p.from:])
			}
			vec.Accumulate(p.n, p.mean, p.eta)
		}
		s.q.spread(&r.Affine, 0, r.variance)
		vec.Accumulate(r.n, r.variance, s.variance[r.Group])
		value += r.expect()
		positive(r.curvature)
	}
	return value + s.q.entropy(s.lin.Prior.Precision) + algebra.Value(&s.lin.Prior, theta, s.step)
}

// combine finds the coefficients, which sum to 1, at which the sum of the parties' terms is largest.
func (s *server) combine(terms, mix []float64) {
	used := s.trail.used
	m := used - 1
	clear(mix)
	mix[m] = 1
	own := make([]float64, len(terms))
	s.model(own)
	t := func(i, k int) float64 {
		i, k = max(i, k), min(i, k)
		return terms[i*(i+1)/2+k] + own[i*(i+1)/2+k]
	}
	f, step, trace := algebra.NewFactor(m), make([]float64, m), 0.0
	for i := range m {
		for k := range m {
			f.Matrix[i*m+k] = -(t(i, k) - t(i, m) - t(m, k) + t(m, m))
		}
		step[i] = t(i, m) - t(m, m)
		trace += f.Matrix[i*m+i]
	}
	for i := range m {
		f.Matrix[i*m+i] += float64(1e-12 * trace)
	}
	if !f.Decompose() {
		return
	}
	f.Solve(step)
	for i, v := range step {
		mix[i] += v
		mix[m] -= v
	}
}

// back goes back to the iterate before.
func (s *server) back() {
	s.now, s.best = s.best, s.now
	s.trail.used = 0
}

// shared sets mean and covariance of what the server sends, at the latest value of the map.
func (s *server) shared(out []float64) {
	m := len(s.lin.Sends.Offset)
	if m == 0 {
		return
	}
	algebra.Apply(&s.lin.Sends, s.trail.last().theta, out[:m])
	copy(s.q.precision.Lower, s.next.factor)
	s.q.covariance(s.lin.Sends.Matrix, m, out[m:])
}

// follow finds the next value of the map for the server's own parameters, from gradient and curvature of the
// likelihood by what the server sends.
func (s *server) follow() bool {
	to := s.trail.next()
	copy(to.theta, s.now.theta)
	if s.d == 0 {
		s.settle(s.now)
		return true
	}
	s.curvature(1)
	if !s.q.settle() {
		return false
	}
	s.settle(s.now)
	algebra.Gradient(&s.lin.Prior, s.now.theta, s.step)
	algebra.Pull(&s.lin.Sends, s.g, s.step)
	s.curvature(s.damping)
	if !s.q.precision.Definite() {
		return false
	}
	s.q.precision.Solve(s.step)
	vec.Accumulate(s.d, to.theta, s.step)
	return true
}

// curvature sets the precision to that of the prior and a number of times that of the likelihood.
func (s *server) curvature(times float64) {
	m, d, a := len(s.lin.Sends.Offset), s.d, s.lin.Sends.Matrix
	f := s.q.precision.Matrix
	copy(f, s.lin.Prior.Precision)
	for i := range d {
		for j := range d {
			for k := range m {
				for l := range m {
					f[i*d+j] += float64(times * a[i*m+k] * s.h[k*m+l] * a[j*m+l])
				}
			}
		}
	}
}
