package testmodel

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
)

// An Env evaluates a GLM for an algorithm, all parties in this process.
type Env struct {
	model  GLM
	seed   uint64
	blocks []*block
	seen   []density.Block
	gamma  float64
	cause  density.Cause
	work   density.Work
	// per client: cut, auxiliary variables, adjoints; per row: the sum of auxiliary variables and of adjoints
	g, z, own, adj, w [][]float64
	early, answer     [][]float64
	sum, total        []float64
}

// Env returns an Env of the model whose private streams are derived from seed. The server comes first (θ = b,
// or b and γ), then the clients; without a transform there is one block, θ = (b, all of the clients' θ).
func (m GLM) Env(seed uint64) *Env {
	e := &Env{model: m, seed: seed}
	e.model.constant = math.Log(m.Sigma)
	n := len(m.Y)
	e.blocks = []*block{e.model.server(m.serverDim())}
	if m.Transform != stdlib.NoTransform {
		for j := range m.X {
			e.blocks = append(e.blocks, e.model.client(j, &e.gamma))
		}
	}
	for _, b := range e.blocks {
		e.seen = append(e.seen, b)
	}
	rows := func() [][]float64 {
		v := make([][]float64, m.Clients())
		for j := range v {
			v[j] = make([]float64, n)
		}
		return v
	}
	e.g, e.z, e.own, e.adj, e.w, e.early = rows(), rows(), rows(), rows(), rows(),
		make([][]float64, m.Clients())
	for j := range e.early {
		if m.Scale {
			e.early[j] = make([]float64, 1)
		}
	}
	for _, b := range e.blocks[1:] {
		e.answer = append(e.answer, make([]float64, b.Received()))
	}
	e.sum, e.total = make([]float64, n), make([]float64, n)
	return e
}

func (m GLM) serverDim() int {
	dim := 1
	if m.Transform == stdlib.NoTransform {
		for j := range m.X {
			dim += m.columns(j)
		}
	} else if m.Scale {
		dim++
	}
	return dim
}

// Blocks returns the parties.
func (e *Env) Blocks() []density.Block { return e.seen }

// Density implements density.Env.
func (e *Env) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64,
	lp []float64) error {
	return e.evaluate(ctx, theta, coords, nil, grad, lp)
}

// StepLocally implements density.LocallyStepped.
func (e *Env) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps, grad [][]float64,
	lp []float64) error {
	return e.evaluate(ctx, theta, nil, steps, grad, lp)
}

// evaluate uses coords or, where they are not nil, the clients' own steps.
func (e *Env) evaluate(ctx context.Context, theta [][]float64, coords density.Coordinates,
	steps density.LocalSteps, grad [][]float64, lp []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.work.Gradients++
	e.work.Rounds++
	for b := range theta {
		if b == 0 || steps == nil {
			lp[b] = priors(theta[b], grad[b])
		}
	}
	switch e.model.Transform {
	case stdlib.NoTransform:
		lp[0] += e.pooled(theta[0], grad[0])
	default:
		e.send(theta, coords, steps)
		if !e.model.Transform.AtClients() {
			lp[0] += e.atServer(theta[0], grad[0])
			for j := range e.answer {
				if steps != nil {
					lp[j+1] = steps.Answer(j+1, e.answer[j])
				}
			}
		} else {
			e.power(theta[0], grad[0], lp, steps)
		}
		e.back(coords, steps, grad)
	}
	e.explain(lp)
	return nil
}

// priors sets grad to the gradient of the standard normal log density of theta, and returns its value.
func priors(theta, grad []float64) float64 {
	lp := 0.0
	for k, t := range theta {
		lp += -0.5*t*t - halfLog2Pi
		grad[k] = -t
	}
	return lp
}

func (e *Env) pooled(theta, grad []float64) float64 {
	for i := range e.sum {
		e.sum[i] = theta[0]
	}
	at := 1
	for j, x := range e.model.X {
		p := e.model.columns(j)
		addProduct(e.sum, x, theta[at:at+p])
		at += p
	}
	lp := 0.0
	for i, y := range e.model.Y {
		l, d := e.model.logLik(y, e.sum[i])
		lp += l
		e.total[i] = d
		grad[0] += d
	}
	at = 1
	for j, x := range e.model.X {
		for range e.model.columns(j) {
			grad[at] += dot(x[:len(e.total)], e.total)
			x = x[len(e.total):]
			at++
		}
	}
	return lp
}

// send evaluates the cuts and sums what crosses: the auxiliary variables, or the cuts themselves.
func (e *Env) send(theta [][]float64, coords density.Coordinates, steps density.LocalSteps) {
	if e.model.Scale {
		e.gamma = theta[0][1]
	}
	clear(e.sum)
	for j := range e.g {
		b := e.blocks[j+1]
		if steps == nil {
			b.contribute(density.Here, theta[j+1])
			copy(e.g[j], b.at[density.Here].g)
		}
		switch {
		case e.model.Transform.CutsCross():
			copy(e.z[j], e.g[j])
		case b.cuts == nil: // power with one client: no other party sees its contribution
			continue
		case steps == nil:
			coords.Value(j+1, e.g[j], e.z[j])
		default:
			steps.Send(j+1, e.z[j])
		}
		for i, v := range e.z[j] {
			e.sum[i] += v
		}
	}
}

func (e *Env) atServer(theta, grad []float64) float64 {
	lp := 0.0
	for i, y := range e.model.Y {
		l, d := e.model.logLik(y, theta[0]+e.sum[i])
		lp += l
		e.total[i] = d
		grad[0] += d
	}
	for j := range e.adj {
		copy(e.adj[j], e.total)
	}
	return lp
}

func (e *Env) power(theta, grad, lp []float64, steps density.LocalSteps) {
	clear(e.total)
	for j, a := range e.own {
		b, z := e.blocks[j+1], e.z[j]
		b.b[0] = theta[0]
		for i := range z {
			b.rest[i] = e.sum[i] - z[i]
		}
		if steps != nil {
			lp[j+1] = steps.Answer(j+1, e.answer[j])
			rest := e.answer[j][b.early:]
			copy(a, rest[:b.AuxLen()])
			grad[0] += rest[b.AuxLen()]
		} else {
			lp[j+1] += b.likelihood(e.g[j])
			copy(a, b.own)
			for _, d := range a {
				grad[0] += d
			}
		}
		add(e.total, a)
	}
	for j, a := range e.own {
		for i, t := range e.total {
			e.adj[j][i] = t - a[i]
		}
	}
}

// back gives every client its adjoint and pulls the seeds back to θ.
func (e *Env) back(coords density.Coordinates, steps density.LocalSteps, grad [][]float64) {
	for j, w := range e.w {
		b := e.blocks[j+1]
		clear(e.early[j])
		switch {
		case steps != nil:
			if b.cuts != nil {
				steps.Receive(j+1, e.adj[j])
			}
			copy(e.early[j], e.answer[j])
		case e.model.Transform.CutsCross():
			copy(w, e.adj[j])
			e.pull(j, w, grad[j+1])
		case b.cuts == nil:
			copy(w, e.own[j])
			e.pull(j, w, grad[j+1])
		default:
			coords.Adjoint(j+1, e.adj[j], e.own[j], w, e.early[j])
			e.pull(j, w, grad[j+1])
		}
		if e.model.Scale {
			grad[0][1] += e.early[j][0]
		}
	}
}

func (e *Env) pull(j int, w, grad []float64) {
	b := e.blocks[j+1]
	b.Pull(density.Here, w, grad)
	b.PullEarly(density.Here, w, e.early[j])
}

func (e *Env) explain(lp []float64) {
	e.cause = density.Cause{}
	for b, v := range lp {
		if v-v != 0 {
			e.cause = density.Cause{Party: e.blocks[b].party, Kind: density.TermValue, Name: "the block",
				Value: v}
		}
	}
}

func add(to, from []float64) {
	for i, v := range from {
		to[i] += v
	}
}

// Sum implements density.Env.
func (e *Env) Sum(_ context.Context, part [][]float64, total []float64) error {
	return sum(part, total)
}

// sum adds scalars in party order.
func sum(part [][]float64, total []float64) error {
	clear(total)
	for _, p := range part {
		add(total, p)
	}
	return nil
}

// Values implements density.Env; parameters are reported unchanged.
func (e *Env) Values(_ context.Context, d density.Draw, values [][]float64) error {
	if e.model.Scale {
		e.gamma = d.Theta[0][1]
	}
	for b, theta := range d.Theta {
		copy(values[b], theta)
	}
	return nil
}

// ReadsAuxiliaries implements density.Env: nothing is generated.
func (e *Env) ReadsAuxiliaries() bool { return false }

// Private implements density.Env.
func (e *Env) Private(b int, name string) density.Stream {
	return vector.NewGenerator(vector.SimulatedKey(e.seed, e.blocks[b].party), name)
}

// Shared implements density.Env.
func (e *Env) Shared(name string) density.Stream {
	return vector.NewGenerator(vector.SharedKey(e.seed), name)
}

// Cause implements density.Env.
func (e *Env) Cause() density.Cause { return e.cause }

// Augmented implements density.Env.
func (e *Env) Augmented() bool {
	return slices.ContainsFunc(e.blocks, func(b *block) bool { return b.AuxLen() > 0 })
}

// Work implements density.Env.
func (e *Env) Work() *density.Work { return &e.work }
