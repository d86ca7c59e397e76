package contract_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/contract"
)

// metropolis is random-walk Metropolis over θ and the noise e of auxiliary variables z = g + ρe: an algorithm that needs the core of Env and Block alone.
type metropolis struct {
	env           density.Env
	settings      backends.Settings
	now, proposed point
	steps         []density.Stream // by block
	uniforms      density.Stream
	grad, part    [][]float64
	lp, total     []float64
	done          int
}

// A point is a state of the chain, by block.
type point struct {
	theta, e, z [][]float64
	logDensity  float64 // over all parties
}

func newMetropolis(env density.Env, s backends.Settings) (backends.Kernel, error) {
	k := &metropolis{env: env, settings: s, total: make([]float64, 1), uniforms: env.Shared("metropolis accept")}
	for b, block := range env.Blocks() {
		for _, p := range []*point{&k.now, &k.proposed} {
			p.theta, p.e = append(p.theta, make([]float64, block.Dim())), append(p.e, make([]float64, block.AuxLen()))
			p.z = append(p.z, make([]float64, block.AuxLen()))
		}
		k.steps = append(k.steps, env.Private(b, "metropolis step"))
		k.grad, k.part, k.lp = append(k.grad, make([]float64, block.Dim())), append(k.part, make([]float64, 1)), append(k.lp, 0)
	}
	return k, nil
}

// Value sets z = g + ρe and adds the log density of e.
func (k *metropolis) Value(b int, g, z []float64) {
	for _, c := range k.env.Blocks()[b].Cuts() {
		for i := c.Offset; i < c.Offset+c.Len(); i++ {
			z[i] = g[i] + c.Rho*k.proposed.e[b][i]
		}
	}
	copy(k.proposed.z[b], z)
}

// Adjoint sets no seeds: Metropolis uses no gradient.
func (k *metropolis) Adjoint(_ int, _, _, w, _ []float64) { clear(w) }

// evaluate sets the log density of the proposal.
func (k *metropolis) evaluate(ctx context.Context) error {
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

func (k *metropolis) Init(ctx context.Context) error {
	if err := k.evaluate(ctx); err != nil {
		return err
	}
	k.now, k.proposed = k.proposed, k.now
	return nil
}

func (k *metropolis) Step(ctx context.Context) (backends.Info, error) {
	for b, s := range k.steps {
		s.Round(uint64(k.done))
		for i, t := range k.now.theta[b] {
			k.proposed.theta[b][i] = t + 0.2*s.Rand().NormFloat64()
		}
		for i, e := range k.now.e[b] {
			k.proposed.e[b][i] = e + 0.2*s.Rand().NormFloat64()
		}
	}
	if err := k.evaluate(ctx); err != nil {
		return backends.Info{}, err
	}
	k.uniforms.Round(uint64(k.done))
	if math.Log(1-k.uniforms.Float64()) < k.proposed.logDensity-k.now.logDensity {
		k.now, k.proposed = k.proposed, k.now
	}
	k.done++
	n := k.settings.Int("draws")
	return backends.Info{Phase: "sampling", Iteration: k.done, Iterations: n, Draws: k.done, Done: k.done == n}, nil
}

func (k *metropolis) Draw(_ int, theta [][]float64) {
	for b := range theta {
		copy(theta[b], k.now.theta[b])
	}
}

func (k *metropolis) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for b := range z {
		copy(z[b], k.now.z[b])
	}
	return nil
}

func (k *metropolis) heading() string {
	text := k.settings.String()
	for _, b := range k.env.Blocks() {
		text += fmt.Sprintf("; %s %d %d", b.Party(), b.Dim(), b.AuxLen())
	}
	return text
}

func (k *metropolis) state(c *checkpoint.Codec) {
	c.Ints(&k.done)
	c.Float(&k.now.logDensity)
	for b := range k.now.theta {
		for _, v := range [][][]float64{k.now.theta, k.now.e, k.now.z} {
			c.Floats(v[b])
		}
	}
}

func (k *metropolis) Save(w io.Writer) error { return checkpoint.Save(w, k.heading(), k.state) }
func (k *metropolis) Load(r io.Reader) error { return checkpoint.Load(r, k.heading(), k.state) }

// The contract is within reach of a simple algorithm, over an Env and blocks that have no capability.
func TestMetropolisKeepsTheContract(t *testing.T) {
	a := backends.Algorithm{
		Name: "metropolis", Doc: "Random-walk Metropolis.",
		Transforms: []def.Transform{transforms.None, transforms.Augmented, transforms.Power},
		Settings:   []backends.Setting{{Name: "draws", Doc: "draws", Default: 60, Min: 1}},
		New:        func(env density.Env, s backends.Settings) (backends.Kernel, error) { return newMetropolis(env, s) },
	}
	contract.Check(t, a, nil)
	for _, transform := range a.Transforms {
		s, err := a.Resolve(transform, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.New(contract.Core(contract.Model(transform).Env(1)), s); err != nil {
			t.Errorf("%s: over the core of an Env: %v", transform, err)
		}
	}
}
