package nested

import (
	"math"

	vec "github.com/vflc/vflc/runtime/vector"
)

const (
	tries    = 8    // points of the prior from which another mode is looked for
	notBelow = 10   // nats below the first at which another mode has no weight that counts
	convexBy = 1e-8 // rise of a slope, beside its size, that is no rounding
)

const severalModes = "--estimator nested approximates a posterior that has one mode given " +
	"the hyperparameters, and " +
	"this one has several, as where a likelihood with heavy tails leaves rows aside: --backend nuts"

// manyModes reports whether there is another mode than that of an expansion, given the hyperparameters where
// the server is. Priors are normal, so that there is none where the likelihood is log-concave.
func (s *server) manyModes(first *expansion) bool {
	p := len(s.q)
	height := func(x []float64) float64 {
		s.predict(x, s.eta)
		return s.likelihood(s.eta, nil) - float64(0.5*vec.Dot(p, x, x))
	}
	least := height(first.x) - notBelow
	x, from, turned := make([]float64, p), make([]float64, p), make([]float64, p)
	for i := range tries {
		s.starts.Round(uint64(i))
		s.starts.FillNormals(x)
		if s.predict(x, s.eta); !s.convexAt(s.eta) && !s.convexAt(first.m) {
			continue
		}
		e, ok := s.newton(x, closely)
		if !ok || !(height(e.x) > least) || !s.weighMass(first) {
			continue
		}
		vec.Sub(p, from, e.x, first.x)
		for i := range p {
			turned[i] = vec.Dot(p, s.mass.Matrix[i*p:], from)
		}
		if vec.Dot(p, from, turned) > 1 { // a standard deviation
			return true
		}
	}
	return false
}

// convexAt reports whether the log density of some row is convex at its predictor.
func (s *server) convexAt(eta []float64) bool {
	n := s.rows
	before := make([]float64, n)
	vec.AddScalar(n, s.moved, eta, -between)
	s.likelihood(s.moved, before)
	vec.AddScalar(n, s.moved, eta, between)
	s.likelihood(s.moved, s.weighted)
	for i, v := range before {
		if s.weighted[i]-v > convexBy*(1+math.Abs(v)) {
			return true
		}
	}
	return false
}

// part looks for other modes where the density of the hyperparameters f is greatest among points that were
// told.
func (s *server) part(k *Kernel, replies, f []float64, modes [][]float64) {
	best := 0
	for i, v := range f {
		if v > f[best] {
			best = i
		}
	}
	if s.looked || modes[best] == nil {
		return
	}
	s.looked = true
	s.moveTo(k, best, replies)
	if e, ok := s.approximate(modes[best], closely); ok {
		s.parted = s.manyModes(e)
	}
}
