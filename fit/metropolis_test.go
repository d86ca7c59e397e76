package fit

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

// metropolis is a backend that is not among the listed: random-walk Metropolis (Metropolis et al. 1953) with a fixed scale. It has no trees, no momentum and
// no step size, and its settings have names of their own.
func metropolis() backends.Algorithm {
	return backends.Algorithm{
		Name: "rwm", Doc: "Random-walk Metropolis.", Transforms: []def.Transform{transforms.None}, Gives: backends.Markov,
		Settings: []backends.Setting{
			{Name: "walkers", Doc: "chains", Default: 2, Min: 1, Role: backends.Chains},
			{Name: "burn", Doc: "transitions before the first draw", Default: 200, Role: backends.Warmup},
			{Name: "keep", Doc: "draws of a chain", Default: 500, Min: 1, Role: backends.Draws},
			{Name: "scale", Doc: "standard deviation of a proposal", Default: 0.5, Min: 1e-9},
		},
		New: func(env density.Env, s backends.Settings) (backends.Kernel, error) { return newWalker(env, s), nil },
	}
}

type walker struct {
	env      density.Env
	settings backends.Settings
	at, to   [][]float64
	grad     [][]float64
	lp       []float64
	part     [][]float64
	total    []float64
	moves    []density.Stream
	coin     density.Stream
	value    float64 // log density at at
	done     int
	bad      int
}

func newWalker(env density.Env, s backends.Settings) *walker {
	k := &walker{env: env, settings: s, total: make([]float64, 1), coin: env.Shared("accept")}
	for b, block := range env.Blocks() {
		n := block.Dim()
		k.at, k.to, k.grad = append(k.at, make([]float64, n)), append(k.to, make([]float64, n)), append(k.grad, make([]float64, n))
		k.part, k.moves = append(k.part, make([]float64, 1)), append(k.moves, env.Private(b, "move"))
	}
	k.lp = make([]float64, len(k.at))
	return k
}

// density is the joint log density at theta.
func (k *walker) density(ctx context.Context, theta [][]float64) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := k.env.Density(ctx, theta, noNoise{}, k.grad, k.lp); err != nil {
		return 0, err
	}
	for b, v := range k.lp {
		k.part[b][0] = v
	}
	err := k.env.Sum(ctx, k.part, k.total)
	return k.total[0], err
}

func (k *walker) Init(ctx context.Context) (err error) {
	if k.value, err = k.density(ctx, k.at); err == nil && (math.IsNaN(k.value) || math.IsInf(k.value, 0)) {
		return fmt.Errorf("rwm: the density is not finite at the start: %s", k.env.Why())
	}
	return err
}

func (k *walker) Step(ctx context.Context) (backends.Info, error) {
	k.done++
	scale := k.settings.Float("scale")
	for b, stream := range k.moves {
		stream.Round(uint64(k.done))
		stream.Normals(k.to[b])
		for i, e := range k.to[b] {
			k.to[b][i] = k.at[b][i] + scale*e
		}
	}
	value, err := k.density(ctx, k.to)
	if err != nil {
		return backends.Info{}, err
	}
	k.coin.Round(uint64(k.done))
	accept := math.Min(1, math.Exp(value-k.value))
	if math.IsNaN(accept) {
		accept, k.bad = 0, k.bad+1
	}
	if k.coin.Float64() < accept {
		k.at, k.to, k.value = k.to, k.at, value
	}
	return k.info(accept), nil
}

func (k *walker) info(accept float64) backends.Info {
	plan := k.settings.Plan
	i := backends.Info{Phase: "warmup", Iteration: k.done, Iterations: plan.Warmup, NonFinite: k.bad, Done: k.done >= plan.Warmup+plan.Draws,
		Transition: backends.Transition{LogDensity: k.value, Accept: accept}}
	if n := k.done - plan.Warmup; n > 0 {
		i.Phase, i.Iteration, i.Iterations, i.Draws = "sampling", n, plan.Draws, n
	}
	return i
}

func (k *walker) Draw(_ int, theta [][]float64) {
	for b := range theta {
		copy(theta[b], k.at[b])
	}
}

func (k *walker) Auxiliary(context.Context, int, [][]float64) error { return nil }

// heading is equal for kernels that can load one another's state.
func (k *walker) heading() string {
	text := "rwm 1 " + k.settings.String()
	for _, x := range k.at {
		text += fmt.Sprint(" ", len(x))
	}
	return text
}

func (k *walker) Save(w io.Writer) error { return checkpoint.Save(w, k.heading(), k.state) }

func (k *walker) Load(r io.Reader) error { return checkpoint.Load(r, k.heading(), k.state) }

func (k *walker) state(c *checkpoint.Codec) {
	c.Ints(&k.done, &k.bad)
	c.Float(&k.value)
	for _, x := range k.at {
		c.Floats(x)
	}
}

// The backend keeps the contract, so that whatever fails with it elsewhere is not its fault.
func TestMetropolisKeepsTheContract(t *testing.T) {
	contract.Check(t, metropolis(), map[string]string{"burn": "60", "keep": "40"})
}
