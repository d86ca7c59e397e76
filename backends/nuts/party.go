package nuts

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
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
	centring    *centring   // nil where the coordinates are those of θ
	intercepts  *intercepts // nil where none follows what is added to it
	kept        *keptRing   // nil where neither coordinates nor ridges are looked for

	// of a draw whose auxiliary variables are asked for
	cut, fresh []float64

	start, momentum, search, division density.Stream
}

func newParty(env density.Env, b int, aux auxiliary, noise noise, s backends.Settings) *party {
	block := env.Blocks()[b]
	of := shapeOf(block, s)
	dim := block.Dim() + aux.len
	p := &party{
		block: block, params: block.Dim(), aux: aux, noise: noise, centring: newCentring(block, of, s),
		intercepts: newIntercepts(block, of.matrices() > 0, s), metric: newMetric(dim, of), least: leastShare,
		estimate: newEstimates(dim, of.matrices(), learnsFisher(s)),
		start:    env.Private(b, "nuts start"), momentum: env.Private(b, "nuts momentum"),
		search:   env.Private(b, "nuts search"),
		division: env.Private(b, "nuts auxiliary"),
	}
	p.metric.noise = aux.len
	if !s.Transform.Pooled() && of.hierarchy == 0 {
		p.least = acrossShare
	}
	switch {
	case p.centring != nil:
		p.kept = p.centring.kept
	case of.ridged > 0:
		p.kept = newKeptRing(of.ridged, of)
		p.kept.allocate()
	}
	if p.metric.ridges != nil {
		p.metric.ridges.recall = p.recall
	}
	return p
}

// learnsFisher reports whether a chain warms up alone, from draws and gradients.
func learnsFisher(s backends.Settings) bool {
	return s.Text(adaptation) == "fisher" && s.Plan.Initial == ""
}

// denseLimit is the most parameters of a party for which the metric is dense unless asked for otherwise: its
// products cost less than what a leapfrog evaluates, and correlated parameters of one party cost all others
// leapfrogs.
const denseLimit = 64

// MostDense is the most parameters of a party for which the metric can be dense: a matrix of 134 MB for each
// chain.
const MostDense = 4096

// heldLimit is the most parameters of a party for which auto makes the metric dense where the warm-up shows
// that this pays: the computation of one takes a few milliseconds.
const heldLimit = 128

// provedLimit is the most parameters of a hierarchy whose ridges are judged one by one, and found in balanced
// coordinates: of 1,255 (three crossed factors) the draws that are kept show too little, and the intercept,
// whose ridges were not all found, had a third of the effective draws.
const provedLimit = 512

// shapeOf is the form of the metric of a party's parameters: with ridges, or dense, where the warm-up may
// find that this pays. In a hierarchy correlations change with its scales: steps that are long along the mean
// direction of a ridge leave it where its direction is another, and trajectories diverge. So a direction that
// data determine well where the chain has been is kept out of its ridges, unless draws that were held out
// bear out each of them; and whether its coordinates have a reference is decided in the warm-up.
func shapeOf(b density.Block, s backends.Settings) shape {
	dim := b.Dim()
	form, hierarchical := s.Text(metricForm), b.Hierarchical()
	hierarchy := 0
	if hierarchical {
		hierarchy = dim
	}
	learns := learnsFisher(s)
	switch {
	case form == "dense", form == "auto" && dim >= 2 && dim <= denseLimit && !hierarchical:
		return shape{dense: dim, held: learns && hierarchical, hierarchy: hierarchy}
	case form == "auto" && dim >= 2 && dim <= heldLimit && learns:
		return shape{dense: dim, held: true, ridged: dim, long: hierarchical, hierarchy: hierarchy}
	case form == lowRank, form == "auto" && dim >= 2 && dim <= ridgesLimit && learns:
		proved := hierarchical && heldLimit < dim && dim <= provedLimit
		return shape{ridged: dim, long: hierarchical && !proved, proved: proved, hierarchy: hierarchy}
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
	s.metric.see(&s.estimate.foreground, q, g)
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
	if s.centring != nil {
		s.centring.declare(toQ, toG)
	}
}

// recall sets q and g to the k-th newest draw that was learnt, from 1, and its gradient.
func (s *party) recall(k int, q, g []float64) {
	fromQ, fromG := s.kept.newest(k)
	copy(q, fromQ)
	copy(g, fromG)
	if s.centring != nil {
		s.centring.undeclare(q, g)
	}
}

// setMetric sets the metric and the reference from the estimates; a dense part, which costs more, only where
// renew is true, ridges where look is, and what may be dense or have ridges becomes one or the other where
// choose is. Coordinates of hierarchies have a reference only where calm is true.
func (s *party) setMetric(renew, look, choose, calm bool, least float64) {
	m, e := &s.metric, &s.estimate.foreground
	m.fromFisher(e, renew, least)
	if m.ridges != nil {
		if m.full != nil && (choose || look && m.isDense()) {
			s.choose(e, least)
		}
		if look && !m.isDense() {
			if m.ridges.proved {
				m.balance(e) // raised, what is across a ridge would be as long as the ridge, and hide it
			}
			m.ridges.fromFisher(min(e.draws.N, s.kept.len()), m.root[:m.ridges.dim], least)
			m.raise(e, least)
		}
		m.ridges.scale(m.root)
	}
	m.recentre(e, calm)
}

// begin draws a starting point, uniform in (−2, 2) as Stan's.
func (s *party) begin(attempt uint64, q, noise []float64) {
	s.start.Round(attempt)
	for _, v := range [][]float64{q, noise} {
		for i := range v {
			v[i] = float64(4*s.start.Float64()) - 2
		}
	}
}

// An auxiliary is how those of a party's auxiliary variables z that are under an estimated metric are
// parameterised. Where they are centred, z itself is sampled; else e with z = g + scale·e and a standard
// normal prior, scale being ρ unless one e stands for a whole sum.
type auxiliary struct {
	centred bool
	len     int
	pieces  []piece
	misfit  []float64 // (z − g)/ρ, where centred
}

// A piece is the coordinates of one cut's auxiliary variables.
type piece struct {
	cut   density.Cut
	at    int     // where its coordinates begin
	scale float64 // 0: z = g, and the noise of the sum belongs to another piece
}

// newAuxiliaries returns the auxiliary variables of every block that are no noise with unit masses.
// Collapsed, the coordinates of one piece are the noise of a whole sum.
func newAuxiliaries(blocks []density.Block, s backends.Settings) []auxiliary {
	centred, collapse := s.Bool(centered), s.Bool(collapseAux)
	out := make([]auxiliary, len(blocks))
	variance := map[int]float64{}
	for _, b := range blocks {
		for _, c := range b.Cuts() {
			variance[c.Group] += float64(c.Rho * c.Rho)
		}
	}
	for k, b := range blocks {
		a := &out[k]
		a.centred = centred
		for _, c := range b.Cuts() {
			if unit(c, s) {
				continue
			}
			scale := c.Rho
			if collapse {
				scale = math.Sqrt(variance[c.Group])
				variance[c.Group] = 0
			}
			a.pieces = append(a.pieces, piece{c, a.len, scale})
			if scale > 0 {
				a.len += c.Len()
			}
		}
		if centred {
			a.misfit = make([]float64, a.len)
		}
	}
	return out
}

func span(v []float64, c density.Cut) []float64 { return v[c.Offset : c.Offset+c.Len()] }

func (p piece) of(v []float64) []float64 { return v[p.at : p.at+p.cut.Len()] }

// value sets z and returns the log density of the coordinates e.
func (a *auxiliary) value(e, g, z []float64) float64 {
	squares, constant := 0.0, float64(a.len)*halfLog2Pi
	for _, p := range a.pieces {
		g, z := span(g, p.cut), span(z, p.cut)
		switch {
		case p.scale == 0:
			copy(z, g)
		case a.centred:
			squares += misfit(p.of(a.misfit), p.of(e), g, z, p.scale)
			constant += float64(float64(p.cut.Len()) * portable.Log(p.scale))
		default:
			squares += vector.Noise(len(z), z, g, p.of(e), p.scale)
		}
	}
	return float64(-0.5*squares) - constant
}

// misfit sets z = e and m = (z − g)/ρ, and returns Σm².
func misfit(m, e, g, z []float64, rho float64) float64 {
	s := 0.0
	for i, v := range e {
		z[i] = v
		m[i] = (v - g[i]) / rho
		s += float64(m[i] * m[i])
	}
	return s
}

// adjoint sets the seeds w on the cuts, and the gradient of e.
func (a *auxiliary) adjoint(e, grad, adj, own, w []float64) {
	for _, p := range a.pieces {
		adj, own, w := span(adj, p.cut), span(own, p.cut), span(w, p.cut)
		switch {
		case p.scale == 0:
			vector.Add(len(w), w, adj, own)
		case a.centred:
			m, grad := p.of(a.misfit), p.of(grad)
			for i := range w {
				pull := m[i] / p.scale
				w[i] = own[i] + pull
				grad[i] = adj[i] - pull
			}
		default:
			vector.NoiseBack(len(w), w, p.of(grad), adj, own, p.of(e), p.scale)
		}
	}
}
