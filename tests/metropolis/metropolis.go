// Package metropolis is random-walk Metropolis (Metropolis, Rosenbluth, Rosenbluth, Teller and Teller 1953)
// with a fixed scale: the simplest algorithm that fulfils the contract. It needs only the core of Env and
// Block, has no trees and no step size, and its settings have names of their own, so that tests find code
// that assumes otherwise. It is not among the backends of the product.
package metropolis

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// Algorithm is the algorithm, under every transform.
func Algorithm() backends.Algorithm {
	return backends.Algorithm{
		Name: "rwm", Doc: "Random-walk Metropolis.", Transforms: stdlib.Transforms(), Gives: backends.Markov,
		Settings: append([]backends.Setting{
			{Name: "walkers", Doc: "chains", Default: 2, Min: 1, Role: backends.Chains},
			{Name: "burn", Doc: "transitions before the first draw", Default: 200, Role: backends.Warmup},
			{Name: "keep", Doc: "draws of a chain", Default: 500, Min: 1, Role: backends.Draws},
			{Name: "scale", Doc: "standard deviation of a proposal", Default: 0.5, Min: 1e-9},
		}, backends.OnTheWire()...),
		Exchanges: func(backends.Settings) []density.Use {
			return []density.Use{
				{Exchange: density.Evaluation, Often: "every proposal", Auxiliaries: density.Drawn},
				{Exchange: density.Summing, Often: "every proposal", Least: 1, Most: 1,
					Scalars: "log density"},
			}
		},
		New: func(env density.Env, s backends.Settings) (backends.Kernel, error) {
			return newKernel(env, s), nil
		},
	}
}

// kernel is a chain over θ and the noise e of auxiliary variables z = g + ρe.
type kernel struct {
	env           density.Env
	settings      backends.Settings
	scale         float64
	now, proposed point
	steps         []density.Stream // by block
	uniforms      density.Stream
	grad, part    [][]float64
	lp, total     []float64
	done          int
	nonFinite     int
}

// A point is a state of the chain, by block.
type point struct {
	theta, e, z [][]float64
	logDensity  float64 // over all parties
}

func newKernel(env density.Env, s backends.Settings) *kernel {
	k := &kernel{env: env, settings: s, scale: s.Float("scale"), total: make([]float64, 1),
		uniforms: env.Shared("metropolis accept")}
	for b, block := range env.Blocks() {
		for _, p := range []*point{&k.now, &k.proposed} {
			p.theta, p.e = append(p.theta, make([]float64, block.Dim())),
				append(p.e, make([]float64, block.AuxLen()))
			p.z = append(p.z, make([]float64, block.AuxLen()))
		}
		k.steps = append(k.steps, env.Private(b, "metropolis step"))
		k.grad, k.part, k.lp = append(k.grad, make([]float64, block.Dim())),
			append(k.part, make([]float64, 1)), append(k.lp, 0)
	}
	return k
}

// Value sets z = g + ρe and adds the log density of e.
func (k *kernel) Value(b int, g, z []float64) {
	for _, c := range k.env.Blocks()[b].Cuts() {
		for i := c.Offset; i < c.Offset+c.Len(); i++ {
			z[i] = g[i] + c.Rho*k.proposed.e[b][i]
		}
	}
	copy(k.proposed.z[b], z)
}

// Adjoint sets nothing: Metropolis uses no gradient.
func (k *kernel) Adjoint(_ int, _, _, w, _ []float64) { clear(w) }

// evaluate sets the log density of the proposal.
func (k *kernel) evaluate(ctx context.Context) error {
	if err := k.env.Density(ctx, k.proposed.theta, k, k.grad, k.lp); err != nil {
		return err
	}
	for b, e := range k.proposed.e {
		k.part[b][0] = k.lp[b]
		for _, v := range e {
			k.part[b][0] -= 0.5 * v * v
		}
	}
	if err := k.env.Sum(ctx, k.part, k.total); err != nil {
		return err
	}
	k.proposed.logDensity = k.total[0]
	return nil
}

func (k *kernel) Init(ctx context.Context) error {
	if err := k.evaluate(ctx); err != nil {
		return err
	}
	if v := k.proposed.logDensity; math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("metropolis: the density is not finite at the start: %s", k.env.Cause())
	}
	k.now, k.proposed = k.proposed, k.now
	return nil
}

// Step proposes a move and accepts it with probability min(1, p(proposed)/p(now)); a density that is not a
// number is rejected.
func (k *kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	for b, s := range k.steps {
		s.Round(uint64(k.done))
		for i, t := range k.now.theta[b] {
			k.proposed.theta[b][i] = t + k.scale*s.Rand().NormFloat64()
		}
		for i, e := range k.now.e[b] {
			k.proposed.e[b][i] = e + k.scale*s.Rand().NormFloat64()
		}
	}
	if err := k.evaluate(ctx); err != nil {
		return backends.StepInfo{}, err
	}
	k.uniforms.Round(uint64(k.done))
	ratio := k.proposed.logDensity - k.now.logDensity
	if math.IsNaN(ratio) {
		k.nonFinite++
	} else if math.Log(1-k.uniforms.Float64()) < ratio {
		k.now, k.proposed = k.proposed, k.now
	}
	k.done++
	return k.info(min(1, math.Exp(ratio))), nil
}

func (k *kernel) info(accept float64) backends.StepInfo {
	plan := k.settings.Plan
	i := backends.StepInfo{
		Phase: "warmup", Iteration: k.done, Iterations: plan.Warmup, NonFinite: k.nonFinite,
		Done:       k.done >= plan.Warmup+plan.Draws,
		Transition: backends.Transition{LogDensity: k.now.logDensity, Accept: accept},
	}
	if n := k.done - plan.Warmup; n > 0 {
		i.Phase, i.Iteration, i.Iterations, i.Draws = "sampling", n, plan.Draws, n
	}
	return i
}

func (k *kernel) Draw(_ int, theta [][]float64) {
	for b := range theta {
		copy(theta[b], k.now.theta[b])
	}
}

func (k *kernel) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for b := range z {
		copy(z[b], k.now.z[b])
	}
	return nil
}

func (k *kernel) heading() string {
	text := k.settings.String()
	for _, b := range k.env.Blocks() {
		text += fmt.Sprintf("; %s %d %d", b.Party(), b.Dim(), b.AuxLen())
	}
	return text
}

func (k *kernel) state(c *backends.Codec) {
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	c.Ints(&k.done, &k.nonFinite)
	c.Float(&k.now.logDensity)
	for b := range k.now.theta {
		for _, v := range [][][]float64{k.now.theta, k.now.e, k.now.z} {
			c.Floats(v[b])
		}
	}
}

func (k *kernel) Save(w io.Writer) error { return backends.SaveState(w, k.heading(), k.state) }
func (k *kernel) Load(r io.Reader) error { return backends.LoadState(r, k.heading(), k.state) }
