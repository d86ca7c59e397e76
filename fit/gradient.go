package fit

import (
	"context"
	"slices"
	"time"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/vector"
)

// A gradient is timed in rounds of as many evaluations as fill roundTime, after a first round to warm up.
// There are roundsTimed rounds, or fewer (at least fewestRounds) where they would take longer than mostTimed.
const (
	roundTime    = 100 * time.Microsecond
	mostTimed    = 20 * time.Millisecond
	roundsTimed  = 15
	fewestRounds = 5
)

// noNoise are auxiliary variables that equal their cuts.
type noNoise struct{}

func (noNoise) Value(_ int, g, z []float64) { copy(z, g) }

func (noNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	vector.Add(len(w), w, adj, own)
}

// gradientTime is the median over rounds of the time of one evaluation, on one core, of the joint density and
// its gradient over all parties and rows, with all unconstrained parameters 0.
func gradientTime(ctx context.Context, plan *model.Plan, seed uint64) (time.Duration, error) {
	whole := *plan
	whole.Windows = nil
	env, err := session.NewLocal(&whole, session.SimulatedKeys(seed, plan.Names))
	if err != nil {
		return 0, err
	}
	blocks := env.Blocks()
	theta, grad, lp := make([][]float64, len(blocks)), make([][]float64, len(blocks)),
		make([]float64, len(blocks))
	for b, block := range blocks {
		theta[b], grad[b] = make([]float64, block.Dim()), make([]float64, block.Dim())
	}
	var coords density.Coordinates = noNoise{}
	return medianTime(func() error { return env.Density(ctx, theta, coords, grad, lp) })
}

// medianTime is the median time of a function after a warm-up.
func medianTime(run func() error) (time.Duration, error) {
	repeats, first, err := fill(run)
	if err != nil {
		return 0, err
	}
	took, spent := []time.Duration{}, first
	for len(took) < roundsTimed && (len(took) < fewestRounds || spent < mostTimed) {
		d, err := spend(run, repeats)
		if err != nil {
			return 0, err
		}
		took, spent = append(took, d/time.Duration(repeats)), spent+d
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// fill finds how many runs fill a round, and how long they took.
func fill(run func() error) (repeats int, d time.Duration, err error) {
	for repeats = 1; ; repeats *= 2 {
		if d, err = spend(run, repeats); err != nil || d >= roundTime {
			return repeats, d, err
		}
	}
}

// spend returns the time of some runs.
func spend(run func() error, repeats int) (time.Duration, error) {
	begin := time.Now()
	for range repeats {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}
