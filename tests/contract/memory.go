package contract

import (
	"context"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/tests/testmodel"
)

// A remembering Env takes something from earlier evaluations into the next one, as the wire of integers does
// with its grids: here how many there were, which moves densities and gradients by less than a millionth.
type remembering struct {
	*testmodel.Env
	made int
}

func (r *remembering) Density(ctx context.Context, theta [][]float64, coords density.Coordinates,
	grad [][]float64, lp []float64) error {
	err := r.Env.Density(ctx, theta, coords, grad, lp)
	r.move(grad, lp)
	return err
}

func (r *remembering) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps,
	grad [][]float64, lp []float64) error {
	err := r.Env.StepLocally(ctx, theta, steps, grad, lp)
	r.move(grad, lp)
	return err
}

func (r *remembering) move(grad [][]float64, lp []float64) {
	r.made++
	factor := 1 + 1e-6/float64(1+r.made)
	for b := range lp {
		lp[b] *= factor
		for i := range grad[b] {
			grad[b][i] *= factor
		}
	}
}

// The methods of density.Chained.
func (r *remembering) Remember(to []int) []int   { return append(to[:0], r.made) }
func (r *remembering) Recall(from []int)         { r.made = from[0] }
func (r *remembering) Number(int)                {}
func (r *remembering) Replay(bool)               {}
func (r *remembering) Place(*density.PathPoint)  {}
func (r *remembering) End(context.Context) error { return nil }
