package nested

import (
	"math"
	"slices"

	vec "github.com/vflc/vflc/runtime/vector"
)

const (
	tries    = 8    // points of the prior from which another mode is looked for
	notBelow = 10   // nats below the first at which another mode has no weight that counts
	convexBy = 1e-8 // rise of a slope, beside its size, that is no rounding
	// outermost is how far below the top the density of the hyperparameters is where it is looked too
	outermost = 4
)

const severalModes = "--estimator nested approximates a posterior that has one mode given " +
	"the hyperparameters, and " +
	"this one has several, as where a likelihood with heavy tails leaves rows aside: --backend nuts"

// manyModes reports whether there is another mode than that of an expansion, given the hyperparameters where
// the server is, whose density is that far below the highest. Priors are normal, so that there is none where
// the likelihood is log-concave.
func (s *server) manyModes(first *expansion, below float64) bool {
	p := len(s.q)
	height := func(x []float64) float64 {
		s.predict(x, s.eta)
		return s.likelihood(s.eta, nil) - float64(0.5*vec.Dot(p, x, x))
	}
	top := height(first.x)
	x, from, turned := make([]float64, p), make([]float64, p), make([]float64, p)
	for i := range tries {
		s.starts.Round(uint64(i))
		s.starts.FillNormals(x)
		if s.predict(x, s.eta); !s.convexAt(s.eta) && !s.convexAt(first.m) {
			continue
		}
		e, ok := s.newton(x, closely)
		if !ok || !(height(e.x) > top-notBelow+below) {
			continue
		}
		higher := first // which may be no mode but a saddle, of which the curvature tells little
		if height(e.x) > top {
			higher = e
		}
		if !s.weighMass(higher) {
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

// parted reports whether there are other modes at the best point of the lattice, or at the outermost along
// each axis where the density is not small: a likelihood with heavy tails leaves rows aside where its scale
// is small.
func (s *server) parted() bool {
	r := &s.search
	var looked []int
	for axis := range max(1, r.dim()) {
		best, low, high := 0, -1, -1
		for i, n := range r.nodes {
			if n.f > r.nodes[best].f {
				best = i
			}
			if !(n.f >= r.top-outermost) || n.x == nil {
				continue
			}
			if low < 0 || n.cell[axis] < r.nodes[low].cell[axis] {
				low = i
			}
			if high < 0 || n.cell[axis] > r.nodes[high].cell[axis] {
				high = i
			}
		}
		for _, at := range []int{best, low, high} {
			if at < 0 || r.nodes[at].x == nil || slices.Contains(looked, at) {
				continue
			}
			looked = append(looked, at)
			s.goTo(&r.nodes[at])
			if e, ok := s.approximate(r.nodes[at].x, closely); ok && s.manyModes(e, r.top-r.nodes[at].f) {
				return true
			}
		}
	}
	return false
}

// goTo goes to a point of the lattice.
func (s *server) goTo(n *node) {
	copy(s.hyper, s.search.on(n.cell))
	s.move(s.hyper, nil)
	copy(s.coefficients, n.by)
}
