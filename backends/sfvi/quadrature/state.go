package quadrature

import (
	"iter"

	vec "github.com/vflc/vflc/runtime/vector"
)

// A state is one iterate of a party: q there, and what the party knows of the likelihood around it. Vectors
// are by element of the party's cuts; those that follow from others there are nil.
type state struct {
	theta      []float64 // mean of q(θ)
	z          []float64 // mean of what crosses
	variance   []float64 // of what crosses
	spread     []float64 // variance of the cuts
	factor     []float64 // of the precision of q(θ)
	regression []float64 // slope of E[z | g] in g
	remainder  []float64 // Var[z | g]
	entropy    float64   // terms of the ELBO in the covariance
	value      float64   // all of the party's terms of the ELBO
	slope      []float64 // expected derivative, by z, of the other parties' likelihood
	curvature  []float64 // minus the expected second derivative
	own        []float64 // the same by the party's own cuts, of its own likelihood; nil: it has none
	ownCurve   []float64
}

// newStates are states of d parameters and n elements: the newest, the one before, and one of which the
// covariance alone is needed. A bare party's cuts, and their variance, follow from q(θ).
func newStates(d, n int, own, bare bool) (out [3]*state) {
	vectors := func(to ...*[]float64) {
		for _, v := range to {
			*v = make([]float64, n)
		}
	}
	for k := range out {
		s := &state{theta: make([]float64, d), factor: make([]float64, d*d)}
		if out[k] = s; k < 2 {
			vectors(&s.slope, &s.curvature)
			if own {
				vectors(&s.own, &s.ownCurve)
			}
		}
		if bare {
			continue
		}
		if vectors(&s.variance, &s.spread, &s.regression, &s.remainder); k < 2 {
			vectors(&s.z)
		}
	}
	return out
}

// vectors are all vectors of a state.
func (s *state) vectors() [][]float64 {
	return [][]float64{s.theta, s.z, s.variance, s.spread, s.factor, s.slope, s.curvature, s.own, s.ownCurve,
		s.regression, s.remainder}
}

// coverFrom takes the covariance of another state, and all that follows from it.
func (s *state) coverFrom(t *state) {
	copy(s.variance, t.variance)
	copy(s.spread, t.spread)
	copy(s.factor, t.factor)
	copy(s.regression, t.regression)
	copy(s.remainder, t.remainder)
	s.entropy = t.entropy
}

// A mapped is the value of the fixed-point map at an iterate: what a party would move to.
type mapped struct {
	theta, z []float64   // z is nil where the party is bare
	eta      [][]float64 // the predictors of the party's own likelihoods there, where it has any
}

// memory is how many values of the map are mixed, beside the latest.
const memory = 6

// A trail keeps the latest values of the map, to be mixed with the server's coefficients.
type trail struct {
	values []mapped
	used   int
}

func newTrail(d, n int, own []*rows) trail {
	t := trail{}
	for range memory + 1 {
		m := mapped{theta: make([]float64, d), z: make([]float64, n)}
		for _, r := range own {
			m.eta = append(m.eta, make([]float64, r.n))
		}
		t.values = append(t.values, m)
	}
	return t
}

// next is where the next value goes.
func (t *trail) next() *mapped {
	if t.used == len(t.values) {
		first := t.values[0]
		copy(t.values, t.values[1:])
		t.values[len(t.values)-1] = first
		t.used--
	}
	t.used++
	return &t.values[t.used-1]
}

// stay makes the newest iterate the next value of the map.
func (p *party) stay() {
	m := p.trail.next()
	copy(m.theta, p.now.theta)
	copy(m.z, p.now.z)
}

func (t *trail) last() *mapped { return &t.values[t.used-1] }

// mix sets a state's means to the combination of the values.
func (t *trail) mix(by []float64, s *state) {
	clear(s.theta)
	clear(s.z)
	for k, m := range t.values[:t.used] {
		for i, v := range m.theta {
			s.theta[i] += float64(by[k] * v)
		}
		for i, v := range m.z {
			s.z[i] += float64(by[k] * v)
		}
	}
}

// predictors sets the means of the predictors to the combination.
func (t *trail) predictors(by []float64, own []*rows) {
	for i, r := range own {
		clear(r.mean)
		for k, m := range t.values[:t.used] {
			vec.Axpy(r.n, r.mean, by[k], m.eta[i])
		}
	}
}

// inBlock is how many rows are passed over at a time: what a pass needs of them for a moment has room for so
// many, and is in a cache meanwhile.
const inBlock = 4096

// blocks are the ranges of n rows that are passed over at a time.
func blocks(n int) iter.Seq2[int, int] {
	return func(pass func(from, to int) bool) {
		for from := 0; from < n && pass(from, min(from+inBlock, n)); from += inBlock {
		}
	}
}
