package main

import (
	"context"
	"slices"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/kernel"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// The median is taken over timedEvaluations; where these take longer than timeEnough, over those that do not, but fewEvaluations at least.
const (
	timedEvaluations = 101
	fewEvaluations   = 5
	timeEnough       = 20 * time.Millisecond
)

// noNoise are auxiliary variables that equal their cuts.
type noNoise struct{}

func (noNoise) Value(_ int, g, z []float64) { copy(z, g) }

func (noNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	kernel.Add(len(w), w, adj, own)
}

// gradientTime is the median time of one evaluation of the joint density and its gradient over all parties, where all unconstrained
// parameters are 0, on one core.
func gradientTime(ctx context.Context, plan *model.Plan, seed uint64) (time.Duration, error) {
	env, err := session.NewLocal(plan, session.SimulatedKeys(seed, plan.Names))
	if err != nil {
		return 0, err
	}
	blocks := env.Blocks()
	theta, grad, lp := make([][]float64, len(blocks)), make([][]float64, len(blocks)), make([]float64, len(blocks))
	for b, block := range blocks {
		theta[b], grad[b] = make([]float64, block.Dim()), make([]float64, block.Dim())
	}
	var coords backends.Coordinates = noNoise{}
	var took []time.Duration
	for first := time.Now(); len(took) < fewEvaluations || len(took) < timedEvaluations && time.Since(first) < timeEnough; {
		begin := time.Now()
		if err := env.Density(ctx, theta, coords, grad, lp); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
