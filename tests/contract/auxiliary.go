package contract

import (
	"context"
	"fmt"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// A recorder is an Env that records where densities were evaluated.
type recorder struct {
	*testmodel.Env
	theta  [][]float64     // of the evaluation in progress
	points map[string]bool // block, θ, z
	aux    map[string]bool // block, z
}

func (r *recorder) record(b int, z []float64) {
	r.points[fmt.Sprint(b, r.theta[b], z)] = true
	r.aux[fmt.Sprint(b, z)] = true
}

// recordedCoordinates are Coordinates of an algorithm, with a record of their values.
type recordedCoordinates struct {
	density.Coordinates
	*recorder
}

func (c recordedCoordinates) Value(b int, g, z []float64) {
	c.Coordinates.Value(b, g, z)
	c.record(b, z)
}

// recordedSteps are LocalSteps of an algorithm, with a record of their auxiliary variables.
type recordedSteps struct {
	density.LocalSteps
	*recorder
}

func (s recordedSteps) Send(b int, z []float64) {
	s.LocalSteps.Send(b, z)
	s.record(b, z)
}

func (r *recorder) Density(ctx context.Context, theta [][]float64, coords density.Coordinates,
	grad [][]float64, lp []float64) error {
	r.theta = theta
	return r.Env.Density(ctx, theta, recordedCoordinates{coords, r}, grad, lp)
}

func (r *recorder) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps,
	grad [][]float64, lp []float64) error {
	r.theta = theta
	return r.Env.StepLocally(ctx, theta, recordedSteps{steps, r}, grad, lp)
}

// auxiliaries: the density was evaluated at every draw together with its auxiliary variables, or, where these
// are maximised over, at the auxiliary variables; also where cuts depend on shared parameters.
func (c *check) auxiliaries(t *testing.T) {
	t.Helper()
	if c.settings.Transform == stdlib.NoTransform {
		return
	}
	for _, shared := range []bool{false, true} {
		m := c.model
		m.Scale = shared
		w := &recorder{Env: m.Env(5), points: map[string]bool{}, aux: map[string]bool{}}
		k := c.kernel(t, w)
		if err := k.Init(context.Background()); err != nil {
			t.Fatal(err)
		}
		r, err := Follow(context.Background(), w, k, Run{})
		if err != nil {
			t.Fatal(err)
		}
		for d := range r.Draws {
			for b, z := range r.Aux[d] {
				known := w.points[fmt.Sprint(b, r.Draws[d][b], z)] ||
					c.algorithm.Gives == backends.Conditional && w.aux[fmt.Sprint(b, z)]
				if len(z) > 0 && !known {
					t.Fatalf("shared scale %t: the density was not evaluated at the auxiliary "+
						"variables of draw %d of block %d", shared, d, b)
				}
			}
		}
	}
}
