package nested

import (
	"errors"
	"math"

	"github.com/vflc/vflc/backends/sfvi/quadrature"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Noise of auxiliary variables is integrated out of the likelihood: with independent normal noise in each
// client's contribution that of the sum is normal, and the likelihood a function of the predictor without
// noise.

const (
	reach  = 2   // of the places around a predictor, in sds of the noise, at which curvatures are looked at
	within = 8   // nats below the highest of these
	milder = 7   // nodes of means of what has noise integrated out, which is smoother
	finest = 1e5 // times the noise's variance, beyond which curvatures are not resolved
)

// noises adds the variances of the noise in a client's cuts, by sum.
func (p *party) noises(to []float64) {
	for _, at := range p.cond.Members {
		for _, c := range p.block.Cuts() {
			if c.Offset == at.Offset {
				to[at.Group] += float64(c.Rho * c.Rho)
			}
		}
	}
}

// integrated prepares the server's likelihoods for noise, whose variances are by sum.
func (s *server) integrated() {
	s.marginals, s.resolved = make([]*quadrature.Marginal, len(s.cond.Rows)),
		make([]float64, len(s.cond.Rows))
	for k, r := range s.cond.Rows {
		if r.Group >= 0 && s.noise[r.Group] > 0 {
			s.nodes, s.shares = quadrature.Hermite(milder)
			s.marginals[k] = quadrature.NewMarginal(r, len(s.form.Rows[k].Offset), s.noise[r.Group])
		}
	}
}

// row evaluates likelihood k.
func (s *server) row(k int, eta, lp, slope []float64) {
	if m := s.marginals[k]; m != nil {
		m.Density(s.hyper, eta, lp, slope)
		return
	}
	s.cond.Rows[k].Evaluate(s.hyper, eta, lp, slope, nil, nil)
}

// resolve prepares the integrals for the predictors; afresh: whatever they were prepared for. It reports
// whether they were not.
func (s *server) resolve(eta []float64, afresh bool) (more bool) {
	for k, m := range s.marginals {
		if m == nil {
			continue
		}
		at, n := s.begin(k), len(s.form.Rows[k].Offset)
		here, centred := eta[at:at+n], m.Centred()
		if !afresh && centred && m.Near(here) {
			continue
		}
		if (afresh || centred) && m.Centre(s.hyper, here) {
			more = true
			continue
		}
		variance := s.noise[s.cond.Rows[k].Group]
		c := min(s.curvature(k, here, math.Sqrt(variance)), finest/variance)
		if afresh || centred || c*variance > 1 && c > 1.2*s.resolved[k] {
			s.resolved[k], more = c, true
			m.Resolve(c)
		}
	}
	return more
}

// curvature is the largest curvature of likelihood k around predictors, without noise, where the likelihood
// times the density of the noise is not small.
func (s *server) curvature(k int, eta []float64, sd float64) (most float64) {
	n, r := len(eta), s.cond.Rows[k]
	top, heights, curves := make([]float64, n), [2*reach + 1][]float64{}, [2*reach + 1][]float64{}
	at, before := make([]float64, n), make([]float64, n)
	for i := range top {
		top[i] = math.Inf(-1)
	}
	for j := range heights {
		t := float64(j - reach)
		heights[j], curves[j] = make([]float64, n), make([]float64, n)
		vec.AddScalar(n, at, eta, float64(t*sd)-between)
		r.Evaluate(s.hyper, at, heights[j], before, nil, nil)
		vec.AddScalar(n, at, eta, float64(t*sd)+between)
		r.Evaluate(s.hyper, at, heights[j], curves[j], nil, nil)
		for i := range top {
			curves[j][i] = (before[i] - curves[j][i]) / (2 * between)
			heights[j][i] -= float64(0.5 * t * t)
			top[i] = max(top[i], heights[j][i])
		}
	}
	for j := range heights {
		for i, h := range heights[j] {
			if h >= top[i]-within && curves[j][i] < math.Inf(1) {
				most = max(most, curves[j][i])
			}
		}
	}
	return most
}

// errIntegrated is why there are no draws of auxiliary variables.
var errIntegrated = errors.New("the auxiliary variables' noise is integrated out over all clients, so that " +
	"no party can draw its own, and they are wanted")
