package nuts

import (
	"errors"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// longestStep is the longest step of a warm-up from draws and gradients. Around a reference steps may be of
// any length: three of more than π/3 make a normal target turn, and beyond a quarter of a turn states repeat
// one another.
const longestStep = 1.3

// longestEarly is that of the early part of a warm-up. Beyond it a step around a well-scaled normal target
// goes round.
const longestEarly = math.Pi

// resonance is how near a step may come to a turn divided by a power of two, relative to it.
const resonance = 0.1

// halfTurns is the least step of which four states of a normal target turn nearly always. Of somewhat shorter
// ones they turn or not by chance, and eight come back to where they began.
const halfTurns = 0.7 * math.Pi / 2

// detuned is a step size, or a shorter one where a trajectory of 2^k states would take it about once around a
// normal target. The sum of its momenta is then nearly 0, the U-turn criterion is noise, and so it is for all
// trajectories that are longer.
func detuned(eps float64) float64 {
	if least := (1 - resonance) * math.Pi / 4; least < eps && eps < halfTurns {
		return least
	}
	for turn := math.Pi / 8; turn > (1-resonance)*eps; turn /= 2 {
		if least := (1 - resonance) * turn; least < eps && eps < (1+resonance)*turn {
			return least
		}
	}
	return eps
}

// A reference is a normal distribution N(mean, M⁻¹) of a party's coordinates that its steps integrate exactly
// (the split of Shahbaba, Lan, Johnson and Neal 2014, "Split Hamiltonian Monte Carlo"): with v = M(q − mean),
// the gradient of −log of its density, a step is a kick by half of ∇log π + v, a rotation of q − mean and p,
// and the other half. Without a reference v is 0, and the rotation is the drift of a leapfrog. v changes with
// the rotation, and so needs no product with M; what rounding has added to it is multiplied by cos eps in a
// step.
//
// In a hierarchy what limits steps is as a rule a curvature that changes from place to place, not the one
// that a reference takes away, and longer steps diverge: its coordinates have a reference only where their
// gradients are nearly linear functions of them.
type reference struct {
	// coordinates, the first ones, that are of hierarchies: separate decides whether they have a reference
	hierarchy int
	from      int  // coordinates before have none: hierarchy, or 0
	on        bool // mean is known
	mean      []float64
}

func newReference(hierarchy int, mean []float64) reference {
	return reference{hierarchy: hierarchy, from: hierarchy, mean: mean}
}

// mostNonlinear is the most that nonlinear may be for each coordinate of hierarchies for them to have a
// reference. It is 1 where each gradient is a linear function of its coordinate; at 2 what a reference leaves
// of a gradient varies as much as the gradient.
const mostNonlinear = 1.1

// first is the first coordinate of dim that has a reference: dim where none has.
func (r *reference) first(dim int) int {
	if !r.on {
		return dim
	}
	return r.from
}

// A stride is a step of size eps, negative backward in time.
type stride struct{ eps, less, cos, sin float64 } // less is cos eps − 1

func newStride(eps float64) stride {
	half, cos := portable.Sin(0.5*eps), portable.Cos(eps)
	return stride{eps: eps, less: -2 * float64(half*half), cos: cos, sin: portable.Sin(eps)}
}

// of is the step of size eps, s where that is its size.
func (s stride) of(eps float64) stride {
	if s.eps == eps {
		return s
	}
	return newStride(eps)
}

func (s stride) backward() stride { return stride{eps: -s.eps, less: s.less, cos: s.cos, sin: -s.sin} }

// recentre sets the mean of the reference to that of the normal distribution with covariance M⁻¹ whose
// gradients differ least from those of an estimate: the mean of draws plus M⁻¹ times that of gradients. That
// is the mean of a normal target of this covariance, whatever the draws. Coordinates of hierarchies have a
// reference only where calm, no transition having diverged lately, is true.
func (m *metric) recentre(e *estimate, calm bool) {
	m.separate(e, calm)
	n, dim := m.split(), len(m.inverse)
	mean, g := m.ref.mean, e.gradients.Mean
	if m.ref.from == 0 && n > 0 {
		vector.MatVec(n, mean, m.full.inverse, n, g, 1, n)
	}
	vector.Mul(dim-n, mean[n:], m.inverse[n:], g[n:])
	if r := m.ridges; m.own() > 0 {
		by := r.room[:r.rank]
		r.project(g, by)
		vector.Mul(r.rank, by, by, r.mass)
		r.add(mean, by)
	}
	vector.Add(dim, mean, mean, e.draws.Mean)
	m.ref.on = allFinite(mean)
}

// separate decides whether coordinates of hierarchies have a reference.
func (m *metric) separate(e *estimate, calm bool) {
	r := &m.ref
	if r.from = r.hierarchy; calm && m.nonlinear(e) < float64(mostNonlinear*float64(r.hierarchy)) {
		r.from = 0
	}
}

// nonlinear is half the sum of the variances of draws and of gradients in coordinates in which the metric is
// 1, over the coordinates of hierarchies: as many as they are if the target is normal and the metric its
// covariance. Diagonal ones have √(variance of draws · variance of gradients) each, which leaves ridges out
// of account, dense ones the eigenvalues of (LᵀAL)^½ in workspace.mean.
func (m *metric) nonlinear(e *estimate) float64 {
	sum := 0.0
	for i := m.split(); i < m.ref.hierarchy; i++ {
		sum += math.Sqrt(float64(e.draws.Squares[i] * e.gradients.Squares[i]))
	}
	sum /= float64(e.draws.N - 1)
	if m.isDense() {
		sum += m.full.misfit
	}
	return sum
}

// refer sets v = M(q − mean) of block b of a point.
func (m *metric) refer(b int, at *point) {
	n, dim := m.split(), len(m.inverse)
	first := m.ref.first(dim)
	v, q, mean := at.v.at[b], at.q.at[b], m.ref.mean
	if i := max(n, first); i < dim {
		vector.Sub(dim-i, v[i:], q[i:], mean[i:])
		vector.Div(dim-i, v[i:], v[i:], m.inverse[i:])
	}
	if first > 0 {
		return
	}
	if n > 0 {
		x, y := m.full.work.a[:n], m.full.work.b[:n]
		vector.Sub(n, x, q, mean)
		vector.MatVec(n, y, m.full.root, n, x, 1, n)
		product(v[:n], m.full.root, y)
	}
	if m.own() > 0 {
		m.ridges.shorten(v, m.root)
		m.ridges.project(v, at.v.extra[b])
	}
}

// shorten turns v = D⁻¹x into M x, M = D^-½(1 + U(Λ⁻¹−1)Uᵀ)D^-½. root is D^-½.
func (r *ridges) shorten(v, root []float64) {
	by := r.room[:r.rank]
	r.project(v, by)
	for j, less := range r.mass[:r.rank] {
		share := (1/(1+less) - 1) * by[j]
		for i, u := range r.u[j*r.dim:][:r.dim] {
			v[i] += float64(float64(u*root[i]) * share)
		}
	}
}

// drift is the first half of a step of block b from a point with momentum p: next gets the position, half the
// momentum before the second half.
func (m *metric) drift(b int, next, at *point, half, p *jointVector, s stride) {
	to, h, x, momentum, slope := next.q.at[b], half.at[b], at.q.at[b], p.at[b], at.g.at[b]
	if m.plain() {
		vector.LeapfrogStart(len(m.inverse), h, to, momentum, x, slope, m.inverse, 0.5*s.eps, s.eps)
		return
	}
	n, rank, dim := m.split(), m.rank(), len(m.inverse)
	v, v2, mean := at.v.at[b], next.v.at[b], m.ref.mean
	first := m.ref.first(dim)
	if n > 0 && first == 0 {
		vector.Add(n, v2, v, slope)
		vector.DenseStart(n, h, to, momentum, x, v2, m.full.inverse, 0.5*s.eps, s.sin)
		vector.Turn(n, to, v2, h, x, v, mean, s.less, s.cos, s.sin)
	} else if n > 0 {
		vector.DenseStart(n, h, to, momentum, x, slope, m.full.inverse, 0.5*s.eps, s.eps)
	}
	if first > n {
		vector.LeapfrogStart(first-n, h[n:], to[n:], momentum[n:], x[n:], slope[n:], m.inverse[n:], 0.5*s.eps,
			s.eps)
	}
	if i := max(n, first); i < dim {
		vector.RotateStart(dim-i, h[i:], to[i:], v2[i:], momentum[i:], x[i:], v[i:], slope[i:], mean[i:],
			m.inverse[i:], 0.5*s.eps, s.less, s.cos, s.sin)
	}
	if rank == 0 {
		return
	}
	r, by := m.ridges, next.q.extra[b]
	if m.ref.on && first == 0 {
		vector.RotateStart(rank, half.extra[b], by, next.v.extra[b], p.extra[b], r.zero, at.v.extra[b],
			at.g.extra[b], r.zero, r.mass, 0.5*s.eps, s.less, s.cos, s.sin)
	} else {
		vector.LeapfrogStart(rank, half.extra[b], by, p.extra[b], r.zero, at.g.extra[b], r.mass, 0.5*s.eps,
			s.eps)
	}
	r.add(to, by)
}

// kick is the second half: p becomes the momentum after the full step, with the velocities of its dense part.
// It returns pᵀM⁻¹p.
func (m *metric) kick(b int, p *jointVector, at *point, s stride) float64 {
	if m.plain() {
		return vector.LeapfrogEnd(len(m.inverse), p.at[b], p.at[b], at.g.at[b], m.inverse, 0.5*s.eps)
	}
	n, rank, dim := m.split(), m.own(), len(m.inverse)
	if rank > 0 {
		m.ridges.project(at.g.at[b], at.g.extra[b])
	}
	to, slope, v, half := p.whole[b], at.g.whole[b], at.v.whole[b], 0.5*s.eps
	plain := func(from, until int) float64 {
		return vector.LeapfrogEnd(until-from, to[from:], to[from:], slope[from:], m.whole[from:], half)
	}
	rotated := func(from, until int) float64 {
		return vector.RotateEnd(until-from, to[from:], to[from:], v[from:], slope[from:], m.whole[from:],
			half)
	}
	twice := 0.0
	switch first := m.ref.first(dim); {
	case first == 0:
		twice = rotated(n, dim+rank)
		if n > 0 {
			slope = m.full.work.a
			vector.Add(n, slope, at.g.at[b], v)
		}
	case first == dim:
		twice = plain(n, dim+rank)
	default:
		twice = plain(n, first) + rotated(first, dim) + plain(dim, dim+rank)
	}
	if n > 0 {
		twice += vector.DenseEnd(n, to, p.extra[b], slope, m.full.inverse, half)
	}
	return twice
}

// referred carries v of a point.
func (m *metric) referred(c *backends.Codec, b int, v *jointVector) {
	first := m.ref.first(len(m.inverse))
	c.Floats(v.at[b][first:])
	if first == 0 {
		c.Floats(v.extra[b][:m.rank()])
	}
}

func (r *reference) state(c *backends.Codec) {
	c.Bool(&r.on)
	c.Floats(r.mean)
	c.Ints(&r.from)
	if r.from != 0 && r.from != r.hierarchy {
		c.Fail(errReference)
		r.from = r.hierarchy
	}
}

var errReference = errors.New("the number of coordinates without a reference is out of bounds")
