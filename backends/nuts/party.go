package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

const halfLog2Pi = 0.91893853320467274178

// A party is one party's part of a chain: its block, and the position, metric and streams that are its own.
type party struct {
	block    density.Block
	params   int // of the block
	aux      auxiliary
	noise    noise
	metric   metric
	least    float64 // share of the variance of draws: the least inverse mass of a parameter
	estimate estimates
	kinetic  float64 // of the momentum that the trajectory began with, less the log-Jacobian of its start

	// of the evaluation in progress
	theta       []float64   // of the block
	e, gradient []float64   // coordinates of auxiliary variables, and their gradient
	lp          float64     // of auxiliary variables
	shear       *shear      // nil: effects are sampled as they are
	centring    *centring   // nil where the coordinates are those of θ
	intercepts  *intercepts // nil where none follows what is added to it
	kept        *keptRing   // nil where neither coordinates nor ridges are looked for

	cut []float64 // of a draw whose auxiliary variables are asked for

	start, momentum, search density.Stream
}

func newParty(env density.Env, b int, aux auxiliary, noise noise, s backends.Settings) *party {
	block := env.Blocks()[b]
	of, sheared := shapeOf(block, s), newShear(env, block, s)
	room := of // for the coordinates that are compared
	if sheared != nil {
		of.dense, of.ridged, room = len(sheared.given), 0, shape{}
	}
	dim := block.Dim() + aux.len
	p := &party{
		block: block, params: block.Dim(), aux: aux, noise: noise, shear: sheared,
		centring:   newCentring(block, room, s),
		intercepts: newIntercepts(block, of.dense > 0, s), metric: newMetric(dim, of), least: leastShare,
		estimate: newEstimates(dim, of.dense, warmsAlone(s)),
		start:    env.Private(b, "nuts start"), momentum: env.Private(b, "nuts momentum"),
		search: env.Private(b, "nuts search"),
	}
	p.metric.noise = aux.len
	if !s.Transform.Pooled() && of.hierarchy == 0 && !of.joint {
		p.least = acrossShare
	}
	switch {
	case p.centring != nil:
		p.kept, p.centring.given = p.centring.kept, sheared != nil
	case sheared != nil, of.ridged > 0, of.joint:
		p.kept = &keptRing{dim: block.Dim()}
		p.kept.allocate()
	}
	if p.metric.ridges != nil {
		p.metric.ridges.recall, p.metric.ridges.shifts = p.recall, p.shifts
	}
	return p
}

// warmsAlone reports whether a chain warms up by itself.
func warmsAlone(s backends.Settings) bool { return s.Plan.Initial == "" }

// denseLimit is the most parameters of a party for which the metric is dense unless asked for otherwise: its
// products cost less than what a leapfrog evaluates, and correlated parameters of one party cost all others
// leapfrogs.
const denseLimit = 128

// denseHierarchy is the same for a party with a hierarchy: of more a product takes as long as a short
// gradient, and curvatures that change from place to place are more of what is left (docs/rationale.md).
const denseHierarchy = 72

// MostDense is the most parameters of a party for which the metric can be dense: a matrix of 134 MB for each
// chain.
const MostDense = 4096

// shortLimit is the most parameters of a hierarchy of which ridges are also directions that are shorter than
// others: of 1,255 (three crossed factors) the draws that are kept show too little of them, and the intercept
// had a third of the effective draws.
const shortLimit = 512

// shapeOf is the form of the metric of a party's parameters: dense where they are few, else with ridges, of
// many parameters of a hierarchy only such along which data say little. Whether coordinates of a hierarchy
// have a reference is decided in the warm-up.
func shapeOf(b density.Block, s backends.Settings) shape {
	dim := b.Dim()
	form, hierarchical := s.Text(metricForm), b.Hierarchical()
	hierarchy := 0
	if hierarchical {
		hierarchy = dim
	}
	learns := warmsAlone(s)
	switch {
	case form == jointMetric:
		return shape{ridged: dim, joint: true, hierarchy: hierarchy}
	case form == "dense", form == "auto" && dim >= 2 && dim <= denseLimit && !hierarchical,
		form == "auto" && dim >= 2 && dim <= denseHierarchy && learns:
		return shape{dense: dim, hierarchy: hierarchy}
	case form == lowRank, form == "auto" && dim >= 2 && dim <= ridgesLimit && learns:
		return shape{ridged: dim, long: hierarchy > shortLimit, hierarchy: hierarchy}
	}
	return shape{hierarchy: hierarchy}
}

func (s *party) dim() int { return s.block.Dim() + s.aux.len }

// at prepares an evaluation at q, whose gradient will be written to g.
func (s *party) at(q, g []float64) {
	d := s.params
	s.e, s.gradient, s.lp = q[d:], g[d:], 0
	s.theta = s.place(q[:d:d])
}

// place returns θ at coordinates u.
func (s *party) place(u []float64) []float64 {
	if s.shear != nil {
		u = s.shear.place(u)
	}
	if s.centring == nil {
		return u
	}
	return s.centring.place(u)
}

// logJacobian is log|∂θ/∂u| where place was called last. It counts with the kinetic energy, so that the log
// density is that of θ in all coordinates.
func (s *party) logJacobian() float64 {
	if s.centring == nil {
		return 0
	}
	return s.centring.logJacobian
}

// pull turns a gradient by θ where place was called last into one by u.
func (s *party) pull(g []float64) {
	if s.centring != nil {
		s.centring.pull(g)
	}
	if s.shear != nil {
		s.shear.pull(g)
	}
}

// declare takes a point with its gradient to θ and the gradient by it.
func (s *party) declare(u, g []float64) {
	if s.shear != nil {
		s.shear.declare(u, g)
	}
	if s.centring != nil {
		s.centring.declare(u, g)
	}
}

// undeclare is the inverse of declare.
func (s *party) undeclare(theta, g []float64) {
	if s.centring != nil {
		s.centring.undeclare(theta, g)
	}
	if s.shear != nil {
		s.shear.undeclare(theta, g)
	}
}

// complete follows an evaluation, which has set the gradient g by θ of block b.
func (s *party) complete(b int, g *jointVector) {
	s.pull(g.theta[b])
	if s.intercepts != nil {
		s.intercepts.block.Means(g.means[b])
	}
}

// draw draws a momentum p of block b, its own, at the point from which it starts, and sets the kinetic
// energy.
func (s *party) draw(b int, at *point, p *jointVector, from density.Stream) {
	twice := s.metric.draw(b, p, at.g, from)
	s.kinetic = 0.5 * (twice + s.noise.draw(p, from))
	s.place(at.q.theta[b])
	s.kinetic -= s.logJacobian()
}

// learn includes a draw, its gradient and the adjoints there in the estimates.
func (s *party) learn(q, g, adjoints []float64) {
	s.noise.learn(adjoints)
	s.estimate.add(q, g)
	s.keep(q, g)
}

// keep notes a draw with its gradient, where coordinates or ridges are looked for.
func (s *party) keep(q, g []float64) {
	if s.kept == nil {
		return
	}
	d := s.block.Dim()
	toQ, toG := s.kept.add()
	copy(toQ, q[:d])
	copy(toG, g[:d])
	s.declare(toQ, toG)
}

// recall sets q and g to the k-th newest draw that was learnt, from 1, and its gradient.
func (s *party) recall(k int, q, g []float64) {
	fromQ, fromG := s.kept.newest(k)
	copy(q, fromQ)
	copy(g, fromG)
	s.undeclare(q, g)
}

// setMetric sets the metric and the reference from the estimates; a dense part, which costs more, only where
// renew is true, and ridges where look is. Coordinates of hierarchies have a reference only where calm is
// true.
func (s *party) setMetric(renew, look, calm bool, least float64) {
	m, e := &s.metric, &s.estimate.foreground
	m.fromFisher(e, renew, least)
	if m.ridges != nil {
		if look && !m.ridges.joint {
			m.ridges.fromFisher(min(e.draws.N, s.kept.len()), m.root[:m.ridges.dim], least)
		}
		m.ridges.scale(m.root)
	}
	m.recentre(e, calm)
}

// begin draws a starting point, uniform in (−2, 2) as Stan's. Where half of the attempts have found none, the
// others are nearer to 0: products and tails of parameters that are all far from it can be no number.
func (s *party) begin(attempt uint64, q, noise []float64) {
	s.start.Round(attempt)
	far := 2.0
	if attempt >= attempts/2 {
		far = 0.5
	}
	for _, v := range [][]float64{q, noise} {
		for i := range v {
			v[i] = float64(2*far*s.start.Float64()) - far
		}
	}
}

// An auxiliary is those of a party's auxiliary variables z that are under an estimated metric, sampled by
// their noise: e with z = g + ρe and a standard normal prior.
type auxiliary struct {
	len    int
	pieces []piece
}

// A piece is the coordinates of one cut's auxiliary variables.
type piece struct {
	cut density.Cut
	at  int // where its coordinates begin
}

// newAuxiliaries returns the auxiliary variables of every block that are no noise with unit masses.
func newAuxiliaries(blocks []density.Block, s backends.Settings) []auxiliary {
	out := make([]auxiliary, len(blocks))
	for k, b := range blocks {
		a := &out[k]
		for _, c := range b.Cuts() {
			if !unit(c, s) {
				a.pieces = append(a.pieces, piece{c, a.len})
				a.len += c.Len()
			}
		}
	}
	return out
}

func span(v []float64, c density.Cut) []float64 { return v[c.Offset : c.Offset+c.Len()] }

func (p piece) of(v []float64) []float64 { return v[p.at : p.at+p.cut.Len()] }

// value sets z and returns the log density of the coordinates e.
func (a *auxiliary) value(e, g, z []float64) float64 {
	squares := 0.0
	for _, p := range a.pieces {
		squares += vector.Noise(p.cut.Len(), span(z, p.cut), span(g, p.cut), p.of(e), p.cut.Rho)
	}
	return float64(-0.5*squares) - float64(float64(a.len)*halfLog2Pi)
}

// adjoint sets the seeds w on the cuts, and the gradient of e.
func (a *auxiliary) adjoint(e, grad, adj, own, w []float64) {
	for _, p := range a.pieces {
		vector.NoiseBack(p.cut.Len(), span(w, p.cut), p.of(grad), span(adj, p.cut), span(own, p.cut), p.of(e),
			p.cut.Rho)
	}
}
