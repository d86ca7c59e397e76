package testmodel

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// A Density is a log density with a gradient, over parties without cuts: party p holds its own coordinates.
// The density may be not finite anywhere.
type Density struct {
	Dims []int // coordinates of each party, the server first
	// Log returns the log density at x, the coordinates of all parties one after another, and sets grad.
	Log func(x, grad []float64) float64
	// Equations is set where the density counts as one that solves differential equations.
	Equations bool
}

// A densityEnv evaluates a Density, all parties in this process. It has the core of an Env, and reports.
type densityEnv struct {
	log     func(x, grad []float64) float64
	seed    uint64
	blocks  []density.Block
	x, grad []float64
	lp      float64
	work    density.Work
}

// Env returns an Env of the density whose private streams are derived from seed.
func (d Density) Env(seed uint64) density.Env {
	e := &densityEnv{log: d.Log, seed: seed}
	total := 0
	for p, n := range d.Dims {
		e.blocks = append(e.blocks, &cutless{party: p, dim: n, solves: d.Equations})
		total += n
	}
	e.x, e.grad = make([]float64, total), make([]float64, total)
	return e
}

// cutless is a party without cuts: a Block with no capability but density.Multimodal.
type cutless struct {
	party, dim int
	solves     bool
}

// Party and the others describe the block.
func (b *cutless) Hierarchical() bool  { return false }
func (b *cutless) Multimodal() bool    { return b.solves }
func (b *cutless) Bounded() bool       { return !b.Hierarchical() }
func (b *cutless) Weights() []int      { return nil }
func (b *cutless) Party() string       { return fmt.Sprintf("party %d", b.party) }
func (b *cutless) Index() int          { return b.party }
func (b *cutless) Dim() int            { return b.dim }
func (b *cutless) Cuts() []density.Cut { return nil }
func (b *cutless) AuxLen() int         { return 0 }

// Cut, Jacobian and StartWeights do nothing.
func (b *cutless) Cut(density.Slot, []float64, []float64) {}
func (b *cutless) Jacobian(bool)                          {}
func (b *cutless) StartWeights([]float64, density.Stream) {}

func (b *cutless) Params() []density.Parameter {
	return []density.Parameter{{Name: "x", Owner: b.Party(), Dims: []int{b.dim}, Len: b.dim}}
}

func (e *densityEnv) Blocks() []density.Block { return e.blocks }

func (e *densityEnv) Density(ctx context.Context, theta [][]float64, _ density.Coordinates, grad [][]float64,
	lp []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := 0
	for _, t := range theta {
		at += copy(e.x[at:], t)
	}
	e.lp = e.log(e.x, e.grad)
	at = 0
	for p, g := range grad {
		at += copy(g, e.grad[at:])
		lp[p] = 0
	}
	lp[0] = e.lp
	return nil
}

func (e *densityEnv) Sum(_ context.Context, part [][]float64, total []float64) error {
	return sum(part, total)
}

func (e *densityEnv) Values(_ context.Context, d density.Draw, values [][]float64) error {
	for p, theta := range d.Theta {
		copy(values[p], theta)
	}
	return nil
}

func (e *densityEnv) ReadsAuxiliaries() bool { return false }

func (e *densityEnv) Private(b int, name string) density.Stream {
	return vector.NewGenerator(vector.SimulatedKey(e.seed, e.blocks[b].Party()), name)
}

func (e *densityEnv) Shared(name string) density.Stream {
	return vector.NewGenerator(vector.SharedKey(e.seed), name)
}

func (e *densityEnv) Augmented() bool { return false }

func (e *densityEnv) Work() *density.Work { return &e.work }

func (e *densityEnv) Cause() (c density.Cause) {
	if e.lp-e.lp != 0 {
		c = density.Cause{Party: e.blocks[0].Party(), Kind: density.TermValue, Name: "all parties",
			Value: e.lp}
	}
	return c
}
