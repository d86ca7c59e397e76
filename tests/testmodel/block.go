package testmodel

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// A block is one party of a GLM. The server, and the pooled model, have no cuts.
type block struct {
	party string
	index int
	dim   int
	cuts  []density.Cut
	early int
	model *GLM
	x     []float64 // of a client
	gamma *float64  // the last value received
	// under power, the last values received: b is the intercept, rest the others' sum of auxiliary variables
	b, rest, own []float64
	prior        []float64 // gradient of the prior at the point of Local
	scaled       []float64 // derivative in the scale, set by Gradient
	at           [2]state
}

// A state is the point at which a slot was evaluated.
type state struct {
	scale float64   // exp(γ)
	value []float64 // f(θ)
	slope []float64 // f'(θ)
	g     []float64
}

func (m *GLM) server(dim int) *block { return &block{party: "server", dim: dim, model: m} }

func (m *GLM) client(j int, gamma *float64) *block {
	n, p := len(m.Y), m.columns(j)
	b := &block{party: fmt.Sprintf("client[%d]", j+1), index: j + 1, dim: p, model: m, x: m.X[j],
		gamma: gamma}
	if m.Transform.Noise() && (!m.Transform.AtClients() || m.Clients() > 1) {
		b.cuts = []density.Cut{{Name: "predictor", Rows: n, Cols: 1, Rho: m.Rho, Members: m.Clients(),
			Label: m.label()}}
	}
	if m.Scale {
		b.early = 1
	}
	b.b, b.rest, b.own, b.prior, b.scaled = make([]float64, 1), make([]float64, n), make([]float64, n),
		make([]float64, p), make([]float64, b.early)
	for s := range b.at {
		b.at[s] = state{scale: 1, value: make([]float64, p), slope: make([]float64, p), g: make([]float64, n)}
	}
	return b
}

// label is the response where a guide may use it as an input.
func (m *GLM) label() []float64 {
	if m.Sigma > 0 {
		return nil
	}
	return m.Y
}

// Party, Index, Dim, Cuts, AuxLen, Affine and Early describe the block.
func (b *block) Party() string       { return b.party }
func (b *block) Index() int          { return b.index }
func (b *block) Dim() int            { return b.dim }
func (b *block) Cuts() []density.Cut { return b.cuts }
func (b *block) Affine() bool        { return !b.model.Curve }
func (b *block) Hierarchical() bool  { return false }
func (b *block) Weights() []int      { return nil }
func (b *block) Early() int          { return b.early }

func (b *block) AuxLen() int {
	n := 0
	for _, c := range b.cuts {
		n += c.Len()
	}
	return n
}

func (b *block) Params() []density.Parameter {
	return []density.Parameter{{Name: b.party + ".theta", Owner: b.party, Dims: []int{b.dim}, Len: b.dim}}
}

// Cut evaluates g = exp(γ)·X f(θ). A block without cuts does nothing.
func (b *block) Cut(slot density.Slot, theta, g []float64) {
	if len(b.cuts) > 0 {
		b.contribute(slot, theta)
		copy(g, b.at[slot].g)
	}
}

// CutAt is Cut with the array of the slot.
func (b *block) CutAt(slot density.Slot, theta []float64) []float64 {
	b.contribute(slot, theta)
	return b.at[slot].g
}

// SeedAt is an array for a Pull, which has none of its own.
func (b *block) SeedAt(density.Slot) []float64 { return make([]float64, b.AuxLen()) }

// contribute evaluates a client's contribution to the predictor, which with one client under power is not a
// cut.
func (b *block) contribute(slot density.Slot, theta []float64) {
	s := &b.at[slot]
	for k, t := range theta {
		s.value[k], s.slope[k] = t, 1
		if b.model.Curve {
			s.value[k] = math.Tanh(t)
			s.slope[k] = 1 - s.value[k]*s.value[k]
		}
	}
	clear(s.g)
	addProduct(s.g, b.x, s.value)
	if b.model.Scale {
		s.scale = math.Exp(*b.gamma)
		for i := range s.g {
			s.g[i] *= s.scale
		}
	}
}

// Pull adds Jᵀw to grad.
func (b *block) Pull(slot density.Slot, w, grad []float64) {
	s := &b.at[slot]
	for k := range grad {
		grad[k] += s.scale * s.slope[k] * dot(b.x[k*len(w):][:len(w)], w)
	}
}

// PullEarly adds wᵀ∂g/∂γ to early.
func (b *block) PullEarly(slot density.Slot, w, early []float64) {
	if b.model.Scale {
		early[0] += dot(b.at[slot].g, w)
	}
}

// Local evaluates the prior, and in power the client's share of the likelihood.
func (b *block) Local(theta, g, own []float64) float64 {
	if b.index == 0 {
		panic("testmodel: the server's density is not evaluated locally")
	}
	b.contribute(density.Here, theta)
	copy(g, b.at[density.Here].g)
	lp := priors(theta, b.prior)
	if b.model.Transform == stdlib.Power {
		lp += b.likelihood(b.at[density.Here].g)
	}
	copy(own, b.own)
	return lp
}

// likelihood is the client's share of the likelihood at its cut, whose derivative in the predictor it stores
// in own.
func (b *block) likelihood(g []float64) float64 {
	share, lp := 1/float64(b.model.Clients()), 0.0
	for i, y := range b.model.Y {
		l, d := b.model.logLik(y, b.b[0]+g[i]+b.rest[i])
		lp += share * l
		b.own[i] = share * d
	}
	return lp
}

// Gradient completes Local. A client that has no cut is the only client, and no other party has an adjoint
// for it.
func (b *block) Gradient(w, grad []float64) {
	copy(grad, b.prior)
	if b.cuts == nil {
		w = b.own
	}
	b.Pull(density.Here, w, grad)
	clear(b.scaled)
	b.PullEarly(density.Here, w, b.scaled)
}

// ReceivedGradient is the gradient in the scale, then under power in the others' sum and the intercept.
func (b *block) ReceivedGradient(received []float64) {
	received = received[copy(received, b.scaled):]
	if b.model.Transform != stdlib.Power {
		return
	}
	if b.cuts != nil {
		received = received[copy(received, b.own):]
	}
	received[0] = 0
	for _, a := range b.own {
		received[0] += a
	}
}

// Received counts the scale, then under power the others' sum and the intercept.
func (b *block) Received() int {
	n := b.early
	if b.index > 0 && b.model.Transform == stdlib.Power {
		n += b.AuxLen() + 1
	}
	return n
}

// Jacobian does nothing: parameters are their own coordinates.
func (b *block) Jacobian(bool) {}

// StartWeights does nothing: there are none.
func (b *block) StartWeights([]float64, density.Stream) {}

func dot(a, b []float64) float64 {
	t := 0.0
	for i, v := range a {
		t += v * b[i]
	}
	return t
}
