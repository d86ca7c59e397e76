package quadrature

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// firstSD is the sd of every coordinate of q(θ) at the start.
const firstSD = 0.1

// forms has, for each guide of auxiliary variables, the slope of E[z | g] in the cut g, given ρ² times the
// curvature of the likelihood.
var forms = map[string]func(x float64) float64{
	"structured":  func(x float64) float64 { return 1 / (1 + x) },
	"noncentered": func(float64) float64 { return 1 },
	"meanfield":   func(float64) float64 { return 0 },
}

// A party is one block: at a client its cuts and what crosses there, z with variance ρ² around the cut or,
// where ρ is 0, the cut itself.
type party struct {
	block        density.Block
	lin          *density.Linear
	d, n         int
	rho2         []float64 // by element of the cuts; nil: the party is bare
	form         func(float64) float64
	atClients    bool // the likelihood is there
	q            *gaussian
	now          *state // the newest iterate
	best         *state // the one before
	next         *state // its covariance is that of the iterate to come
	trail        trail
	rows         []*rows // at a client under a transform at the clients; at the server otherwise
	g, weight    []float64
	residual     []float64
	step, target []float64
	failed       bool        // it has no next value: it stays where it is
	sample       *sample     // draws, once the fit is evaluated
	noisy        []*together // the party's likelihoods, where the noise is integrated out of them
}

func newParty(block density.Block, lin *density.Linear, o *Options, all *rules) *party {
	d, n := len(lin.Index), lin.Cuts.Len()
	if lin.Vector == nil {
		lin.Vector, lin.Free = func(n int) []float64 { return make([]float64, n) }, func([]float64) {}
	}
	p := &party{
		block: block, lin: lin, d: d, n: n, form: forms[o.Guide], step: make([]float64, d),
		target: make([]float64, d),
	}
	for _, r := range shares(lin.Rows) {
		p.rows = append(p.rows, newRows(r, all))
	}
	p.q = newGaussian(d, o.Theta != "meanfield")
	cuts := block.Cuts()
	bare := !o.AtClients && !slices.ContainsFunc(cuts, func(c density.Cut) bool { return c.Rho != 0 })
	once := min(n, inBlock)
	if !bare {
		once, p.rho2 = n, make([]float64, n)
		for _, c := range cuts {
			vec.Fill(c.Len(), p.rho2[c.Offset:][:c.Len()], c.Rho*c.Rho)
		}
	}
	p.g, p.weight, p.residual = make([]float64, once), make([]float64, once), make([]float64, once)
	p.atClients = o.AtClients
	p.begin()
	return p
}

// begin makes what the iterates of a fit need.
func (p *party) begin() {
	z, own := p.n, p.rows
	if p.bare() {
		z = 0
	}
	if !p.atClients {
		own = nil
	}
	p.trail = newTrail(p.d, z, own)
	states := newStates(p.d, p.n, p.atClients, p.bare())
	p.now, p.best, p.next = states[0], states[1], states[2]
}

// rest drops what a fit that has ended needs no longer.
func (p *party) rest() {
	p.trail, p.best, p.next = trail{}, nil, nil
	s := p.now
	s.slope, s.curvature, s.own, s.ownCurve = nil, nil, nil, nil
}

// bare reports whether what crosses are the cuts themselves, and other parties have the likelihood: then the
// means and variances of what crosses follow from q(θ) wherever they are needed.
func (p *party) bare() bool { return p.rho2 == nil }

// noiseOf is the variance of the noise with which a cut crosses.
func (p *party) noiseOf(at density.Member) float64 {
	if p.bare() {
		return 0
	}
	return p.rho2[at.Offset]
}

// cut sets out to the cut of a membership.
func (p *party) cut(at density.Member, theta, out []float64) {
	algebra.ApplyFrom(&p.lin.Cuts, at.Offset, theta, out[:at.Len])
}

// spreadOf sets out to its variance under a state's q(θ).
func (p *party) spreadOf(at density.Member, s *state, out []float64) {
	if !p.bare() {
		copy(out, member(at, s.spread))
		return
	}
	copy(p.q.precision.Lower, s.factor)
	p.q.spread(&p.lin.Cuts, at.Offset, out[:at.Len])
}

// start sets q(θ) to a narrow one around the mode of the prior, or 0 where the prior has none, with its mean
// moved by place; from other starting points around those of disperse. It returns the mean of the globals.
func (p *party) start(number int, noise density.Stream, place func(mean []float64)) (phi []float64) {
	f := &p.q.precision
	copy(f.Matrix, p.lin.Prior.Precision)
	m := p.trail.next()
	clear(m.theta)
	proper := p.d == 0 || f.Definite()
	if proper {
		copy(m.theta, p.lin.Prior.Gradient)
		f.Solve(m.theta)
	}
	if number > 0 {
		for i := 0; !proper && i < p.d; i++ { // as if the prior were times a standard normal
			f.Matrix[i*p.d+i]++
		}
		if proper || f.Definite() {
			p.disperse(number, noise, m.theta)
		}
	}
	whole := make([]float64, p.block.Dim())
	phi = make([]float64, len(p.lin.Globals.Index))
	p.scatter(m.theta, phi, whole)
	place(whole)
	for k, i := range p.lin.Index {
		m.theta[k] = whole[i]
	}
	for k, i := range p.lin.Globals.Index {
		phi[k] = whole[i]
	}
	clear(f.Matrix)
	for i := range p.d {
		f.Matrix[i*p.d+i] = 1 / (firstSD * firstSD)
	}
	if !p.bare() {
		algebra.Apply(&p.lin.Cuts, m.theta, m.z)
	}
	clear(p.now.curvature)
	clear(p.now.ownCurve)
	f.Definite()
	p.settle(p.now)
	return phi
}

// wide is how many standard deviations of the prior every second pair of starting points is from its mode in
// each coordinate.
const wide = 2

// disperse moves a mean from the mode of the prior, whose precision is settled: to the corner of a box of two
// standard deviations in each coordinate, in the coordinates in which the prior is standard normal, or to a
// draw from the prior, in turn, and each time to the reflection of that after it. A draw alone may hardly
// differ from the mode in the direction in which modes are apart.
func (p *party) disperse(number int, noise density.Stream, mean []float64) {
	pair := (number + 1) / 2
	noise.Round(uint64(pair))
	noise.FillNormals(p.step)
	for i, v := range p.step {
		if pair%2 == 1 {
			p.step[i] = math.Copysign(wide, v)
		}
	}
	p.q.precision.Backward(p.step)
	sign := 1.0
	if number%2 == 0 {
		sign = -1
	}
	vec.Axpy(p.d, mean, sign, p.step)
}

// cover sets the covariance of the iterate to come from the curvatures at s: that at which the ELBO,
// quadratic in them, is largest. It reports whether there is one.
func (p *party) cover(s *state) bool {
	f := &p.q.precision
	copy(f.Matrix, p.lin.Prior.Precision)
	for from, to := range blocks(p.n) {
		weight := p.weight[:to-from]
		copy(weight, s.curvature[from:])
		for i := from; i < to && !p.bare(); i++ {
			w := s.curvature[i]
			k := p.slopeOf(i, w)
			weight[i-from] = float64(k * k * w)
			if s.ownCurve != nil {
				weight[i-from] += s.ownCurve[i]
			}
			if r := p.rho2[i]; r > 0 {
				weight[i-from] += (1 - k) * (1 - k) / r
			}
		}
		p.q.outer(f.Matrix, &p.lin.Cuts, from, weight)
	}
	if !p.q.settle() {
		return false
	}
	p.settle(s)
	return true
}

// slopeOf is the slope of E[z | g] at an element.
func (p *party) slopeOf(i int, w float64) float64 {
	if p.rho2[i] == 0 {
		return 1
	}
	return p.form(p.rho2[i] * w)
}

// settle sets what follows from the precision of q(θ) and from the curvatures at s.
func (p *party) settle(s *state) {
	t := p.next
	copy(t.factor, p.q.precision.Lower)
	if t.entropy = p.q.entropy(p.lin.Prior.Precision); p.bare() {
		return
	}
	p.q.spread(&p.lin.Cuts, 0, t.spread)
	for i, w := range s.curvature {
		k, r := p.slopeOf(i, w), p.rho2[i]
		t.regression[i] = k
		if r == 0 {
			t.remainder[i], t.variance[i] = 0, k*k*t.spread[i]
			continue
		}
		t.entropy -= 0.5 * (1 - k) * (1 - k) * t.spread[i] / r
		x := float64(r * w)
		t.remainder[i] = r / (1 + x)
		t.variance[i] = t.remainder[i] + float64(k*k*t.spread[i])
		t.entropy += float64(0.5 * (x/(1+x) - portable.Log1p(x)))
	}
}

// move makes the iterate to come the newest one.
func (p *party) move(mix []float64) {
	p.best, p.now = p.now, p.best
	p.now.coverFrom(p.next)
	p.trail.mix(mix, p.now)
	p.now.value = p.value(p.now)
}

// value is the party's terms of the ELBO but for its likelihood.
func (p *party) value(s *state) float64 {
	v := s.entropy + algebra.Value(&p.lin.Prior, s.theta, p.step)
	if p.bare() {
		return v
	}
	algebra.Apply(&p.lin.Cuts, s.theta, p.g)
	for i, r := range p.rho2 {
		if r > 0 {
			e := s.z[i] - p.g[i]
			v -= 0.5 * e * e / r
		}
	}
	return v
}

// term is, for two values of the map, the bilinear form of which the party's terms of the ELBO in its means
// are the values at equal arguments: where coefficients sum to 1, those of a combination are the combination
// of these.
func (p *party) term(a, b *mapped) float64 {
	prior := &p.lin.Prior
	algebra.Gradient(prior, a.theta, p.step)
	v := prior.Value
	for i, t := range b.theta {
		v += float64(0.5 * (float64(prior.Gradient[i]*a.theta[i]) + float64(p.step[i]*t)))
	}
	if p.bare() {
		return v
	}
	p.away(a, p.residual)
	p.away(b, p.weight)
	for i, r := range p.rho2 {
		if r > 0 {
			v -= 0.5 * p.residual[i] * p.weight[i] / r
		}
	}
	return v
}

// terms sets the terms of the latest value with each value.
func (p *party) terms(out []float64) {
	for k := range p.trail.used {
		out[k] = p.term(p.trail.last(), &p.trail.values[k])
	}
}

// model sets the terms of all values with each other, and in them the party's own likelihood as the quadratic
// function around the newest iterate.
func (p *party) model(out []float64) {
	at := 0
	for i := range p.trail.used {
		for k := range i + 1 {
			a, b := &p.trail.values[i], &p.trail.values[k]
			v := p.term(a, b)
			for l, r := range p.rows {
				for j, eta := range r.mean {
					x, y := a.eta[l][j]-eta, b.eta[l][j]-eta
					v += float64(0.5*r.slope[j]*(x+y)) - float64(0.5*r.curvature[j]*x*y)
				}
			}
			out[at] = v
			at++
		}
	}
}

// away sets e to how far z is from the cut at a value of the map.
func (p *party) away(m *mapped, e []float64) {
	algebra.Apply(&p.lin.Cuts, m.theta, p.g)
	vec.Sub(p.n, e, m.z, p.g)
}

// solve finds the next value of the map: the means at which the ELBO is largest where the likelihood is the
// quadratic function around s with damping times its curvature. Given θ the best z is a weighted mean of the
// cut and of where the quadratic function leads; what is left is least squares in θ.
func (p *party) solve(s *state, damping float64) bool {
	f := &p.q.precision
	copy(f.Matrix, p.lin.Prior.Precision)
	copy(p.target, p.lin.Prior.Gradient)
	full := p.q.full
	p.q.full = true
	for from, to := range blocks(p.n) {
		p.aim(s, damping, from, to)
		p.q.outer(f.Matrix, &p.lin.Cuts, from, p.weight[:to-from])
		algebra.PullFrom(&p.lin.Cuts, from, p.residual[:to-from], p.target)
	}
	p.q.full = full
	if !f.Definite() {
		return false
	}
	f.Solve(p.target)
	m := p.trail.next()
	if copy(m.theta, p.target); p.bare() {
		return true
	}
	algebra.Apply(&p.lin.Cuts, m.theta, p.g)
	for i, w := range s.curvature {
		r := p.rho2[i]
		m.z[i] = (float64(r*(float64(damping*w*s.z[i])+s.slope[i])) + p.g[i]) / (1 + float64(r*damping*w))
	}
	return true
}

// aim sets weight and residual to the weights of some rows in these least squares, and to these times where
// the rows' predictors are to go.
func (p *party) aim(s *state, damping float64, from, to int) {
	weight, residual, g := p.weight[:to-from], p.residual[:to-from], p.g[:to-from]
	algebra.ApplyFrom(&p.lin.Cuts, from, s.theta, g)
	for j := range weight {
		i := from + j
		w := s.curvature[i]
		pull, z, c := damping*w, g[j], 1.0
		if !p.bare() {
			z, c = s.z[i], 1/(1+float64(p.rho2[i]*damping*w))
		}
		weight[j] = float64(pull * c)
		residual[j] = float64((float64(pull*z) + s.slope[i]) * c)
		if s.own != nil {
			own := float64(damping * s.ownCurve[i])
			weight[j] += own
			residual[j] += s.own[i]
			residual[j] += float64(own * g[j])
		}
		if p.lin.Cuts.Offset != nil {
			residual[j] -= float64(weight[j] * p.lin.Cuts.Offset[i])
		}
	}
}

// member is the part of a vector over the cuts that belongs to a membership.
func member(m density.Member, v []float64) []float64 { return v[m.Offset : m.Offset+m.Len] }

// positive bounds curvatures from below: where a log density is not concave, the quadratic function is flat.
func positive(v []float64) {
	least := 1e-12 * largest(v)
	for i, x := range v {
		if !(x > least) {
			v[i] = least
		}
	}
}

func largest(v []float64) (m float64) {
	for _, x := range v {
		m = max(m, x)
	}
	return m
}

// observe takes the sums of means and variances of what all clients contribute, and mean and covariance of
// what the server sends, at the latest value of the map: the predictors of the party's own likelihood, a
// client's under a transform at the clients, follow.
func (p *party) observe(mean, variance [][]float64, shared, covariance []float64) {
	v := p.trail.last()
	copy(p.q.precision.Lower, p.next.factor)
	for k, r := range p.rows {
		i := p.membership(r.Group)
		at := p.lin.Members[i]
		eta := v.eta[k]
		algebra.Apply(&r.Affine, v.theta, eta)
		vec.Accumulate(r.n, eta, mean[i])
		vec.Sub(r.n, eta, eta, member(at, v.z))
		p.q.spread(&r.Affine, 0, r.variance)
		addShared(r, 0, eta, shared)
		addVariance(r, covariance)
		for j, s := range variance[i][:at.Len] {
			r.variance[j] += max(0, s-p.next.variance[at.Offset+j])
		}
	}
}

// expectOwn sets slope and curvature of the party's own likelihood at the newest iterate, and adds the
// expected log density to its value.
func (p *party) expectOwn(mix []float64) {
	s := p.now
	clear(s.own)
	clear(s.ownCurve)
	p.trail.predictors(mix, p.rows)
	for _, r := range p.rows {
		at := p.lin.Members[p.membership(r.Group)].Offset
		s.value += r.expect()
		positive(r.curvature)
		vec.Accumulate(r.n, s.own[at:], r.slope)
		vec.Accumulate(r.n, s.ownCurve[at:], r.curvature)
	}
}

// addShared adds to the predictors from one on what the server's parameters contribute.
func addShared(r *rows, from int, eta, shared []float64) {
	for k, v := range shared {
		vec.Axpy(len(eta), eta, v, r.Shared[k*r.all+from:])
	}
}

// addVariance adds the variance of that.
func addVariance(r *rows, covariance []float64) {
	m := len(r.Shared) / max(1, r.n)
	for k := range m {
		for l := range m {
			for i := range r.n {
				r.variance[i] += float64(r.Shared[k*r.n+i] * covariance[k*m+l] * r.Shared[l*r.n+i])
			}
		}
	}
}

// membership is the place of a sum among the party's memberships.
func (p *party) membership(group int) int {
	for k, m := range p.lin.Members {
		if m.Group == group {
			return k
		}
	}
	panic("quadrature: a likelihood of a sum that the party does not enter") // applies refuses it
}
