package nuts

import (
	"math"

	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	heldDraws  = 5    // least number of held-out draws for a decision
	correlated = 1.25 // least misfit of the alternative metric at which a dense one is tried
	inScales   = 2    // the same in a hierarchy, whose correlations change with its scales
	// the dense metric's misfit may exceed 1 by at most this share of the alternative's excess
	leftOver = 0.5
	// largest misfit of a dense metric in use; one estimated before the chain has arrived has a far larger
	// one on newer draws
	mostMisfit = 2
)

// A heldOut decides whether a dense metric is used, by draws that it was not estimated from. The misfit of an
// inverse mass S is the mean of (qᵀS⁻¹q + gᵀSg)/2n over draws q and their gradients g, both less their means.
// The Fisher divergence of the target from N(mean, S), in coordinates scaled by S, is 2n times it less 2n: it
// is 1 where S is the covariance of a normal target. Draws that S was estimated from cannot tell, since any
// target looks normal by few of them. The alternative, named beside, is the metric that would be used
// instead: the diagonal one, without a least inverse mass, or one with ridges.
//
// In a hierarchy a dense metric that is wrong loses chains: estimated from draws of a chain that has not
// arrived yet, it mistakes the chain's path for correlations of the posterior, and allows only steps along
// that path.
type heldOut struct {
	asked         bool    // the dense metric was asked for, and need only be better
	pays          float64 // otherwise the least misfit of the alternative at which it is tried
	awake         bool    // it is in use
	fitted        bool    // it has been estimated
	draws         int     // since the last decision
	dense, beside float64
	q, g, room    []float64
	sample        [2]*adapt.Covariance // of kept draws and gradients, where estimates have none
}

func newHeldOut(of shape) *heldOut {
	n := of.dense
	v := make([]float64, 3*n)
	h := &heldOut{asked: of.ridged == 0, pays: correlated, q: v[:n], g: v[n:][:n], room: v[2*n:]}
	if of.hierarchy > 0 {
		h.pays = inScales
	}
	if !h.asked {
		h.sample = [2]*adapt.Covariance{adapt.NewCovariance(n), adapt.NewCovariance(n)}
	}
	return h
}

// see compares the metrics by a draw that is not in the estimate yet.
func (m *metric) see(e *estimate, q, g []float64) {
	if m.full == nil || m.full.held == nil || !m.full.held.fitted || e.draws.N < fisherDraws {
		return
	}
	h, n := m.full.held, m.full.n
	vector.Sub(n, h.q, q, e.draws.Mean)
	vector.Sub(n, h.g, g, e.gradients.Mean)
	share := float64(e.draws.N) / (float64(e.draws.N+1) * float64(2*n)) // the means vary too
	h.dense += float64(share * m.full.length(h.q, h.g, h.room))
	if m.rank() > 0 {
		h.beside += float64(share * m.ridgedLength(h.q, h.g))
	} else {
		h.beside += float64(share * e.balancedLength(h.q, h.g))
	}
	h.draws++
}

// length is qᵀMq + gᵀM⁻¹g.
func (d *dense) length(q, g, room []float64) float64 {
	vector.MatVec(d.n, room, d.root, d.n, q, 1, d.n)
	sum := vector.Dot(d.n, room, room)
	product(room, d.inverse, g)
	return sum + vector.Dot(d.n, room, g)
}

// balancedLength is the same of the diagonal metric that minimises the Fisher divergence.
func (e *estimate) balancedLength(q, g []float64) float64 {
	sum := 0.0
	for i, x := range q {
		inverse := math.Sqrt(e.draws.Squares[i] / e.gradients.Squares[i])
		sum += float64(x*x)/inverse + float64(float64(g[i]*g[i])*inverse)
	}
	return sum
}

// ridgedLength is the same of the metric in use, whose coordinates are all under one with ridges. q is
// overwritten.
func (m *metric) ridgedLength(q, g []float64) float64 {
	r := m.ridges
	by, sum := r.room[:r.rank], 0.0
	r.project(g, by)
	for j, v := range by {
		sum += float64(r.mass[j] * float64(v*v))
	}
	for i, v := range g {
		sum += float64(m.inverse[i] * float64(v*v))
	}
	vector.Mul(r.dim, q, q, m.root)
	sum += vector.Dot(r.dim, q, q)
	for j, less := range r.mass[:r.rank] {
		v := vector.Dot(r.dim, q, r.u[j*r.dim:])
		sum += float64((1/(1+less) - 1) * float64(v*v))
	}
	return sum
}

// judge decides, by the draws since it did so last, whether the dense metric is in use. It is called when
// there is a new estimate of it.
func (h *heldOut) judge() {
	if h == nil {
		return
	}
	h.fitted = true
	if h.draws < heldDraws {
		return
	}
	dense, beside := h.dense/float64(h.draws), h.beside/float64(h.draws)
	switch {
	case !(dense <= mostMisfit):
		h.awake = false
	case h.asked || h.awake:
		h.awake = dense < beside
	default:
		h.awake = beside >= h.pays && dense-1 <= leftOver*(beside-1)
	}
	h.reset()
}

func (h *heldOut) reset() { h.draws, h.dense, h.beside = 0, 0, 0 }

// dismiss ends the use of a dense metric that was not asked for.
func (m *metric) dismiss() {
	if m.full == nil || m.full.held == nil || m.full.held.asked {
		return
	}
	m.full.held.awake, m.full.held.fitted = false, false
	m.full.held.reset()
}

// unbalanced is the misfit of the best diagonal metric of n coordinates.
func (e *estimate) unbalanced(n int) float64 {
	sum := 0.0
	for i := range n {
		sum += math.Sqrt(float64(e.draws.Squares[i] * e.gradients.Squares[i]))
	}
	return sum / float64(n*(e.draws.N-1))
}

// choose estimates a dense metric from kept draws, where it may pay, and decides whether it is in use in
// place of ridges.
func (s *party) choose(e *estimate, least float64) {
	m := &s.metric
	h := m.full.held
	if !(e.unbalanced(m.full.n) >= h.pays) {
		m.dismiss()
		return
	}
	for _, c := range h.sample {
		c.Reset()
	}
	for k := min(e.draws.N, s.kept.len()); k > 0; k-- {
		s.recall(k, h.q, h.g)
		h.sample[0].Add(h.q)
		h.sample[1].Add(h.g)
	}
	m.full.fromFisher(m.inverse, h.sample[0], h.sample[1], least)
	h.judge()
	if h.awake {
		m.level()
	}
}

// forget releases the room of the warm-up.
func (h *heldOut) forget() {
	if h != nil {
		h.sample = [2]*adapt.Covariance{}
		h.fitted = false
	}
}

func (h *heldOut) state(c *checkpoint.Codec) {
	c.Bool(&h.awake)
	c.Bool(&h.fitted)
	c.Ints(&h.draws)
	c.Float(&h.dense, &h.beside)
}
