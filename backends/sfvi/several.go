package sfvi

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// mostAxes is how many of the parameters' axes are looked along, and lines how many lines of random
// directions.
const mostAxes, lines = 32, 8

// farthest is how far from the fit the log density is looked at, in steps that double, the first of them an
// sd of q(θ).
const farthest = 8

// searchable reports whether one process has the whole log density, so that looking for modes takes no
// message. Weights are points, and networks have modes without number.
func searchable(env density.Env, s backends.Settings) bool {
	blocks := env.Blocks()
	return len(blocks) == 1 && !density.AsPipelined(env).Apart() && blocks[0].Dim() > 0 &&
		len(blocks[0].Weights()) == 0 && s.Int(minibatch) == 0
}

// look sets whether there may be several modes: the log density, having fallen, rises again on a line through
// the fit.
func (k *kernel) look(ctx context.Context) error {
	if k.restart > 0 || !searchable(k.env, k.settings) {
		return nil
	}
	p := k.parties[0]
	d := p.block.Dim()
	mean, direction := p.mu(), make([]float64, d)
	sd := make([]float64, d)
	for id := range compared {
		p.sample(drawing, uint64(id), false, direction)
		for i, v := range direction {
			sd[i] += (v - mean[i]) * (v - mean[i]) / compared
		}
	}
	for line := 0; line < min(d, mostAxes)+lines && !k.several; line++ {
		if line < lines {
			p.sample(drawing, uint64(line), false, direction)
			vec.Sub(d, direction, direction, mean)
		} else {
			clear(direction)
			direction[line-lines] = math.Sqrt(sd[line-lines])
		}
		for _, by := range []float64{1, -1} {
			rises, err := k.risesAgain(ctx, by, direction)
			if err != nil {
				return err
			}
			k.several = k.several || rises
		}
	}
	return nil
}

// risesAgain reports whether the log density falls and then rises on the way from the mean in a direction.
// Where it is not finite is no rise.
func (k *kernel) risesAgain(ctx context.Context, by float64, direction []float64) (bool, error) {
	fell, theta := false, [][]float64{make([]float64, len(direction))}
	for range farthest {
		vec.ScaleAdd(len(direction), theta[0], by, direction, k.parties[0].mu())
		if err := k.env.Density(ctx, theta, alone{}, k.grad, k.lp); err != nil {
			return false, err
		}
		slope := by * vec.Dot(len(direction), k.grad[0], direction)
		switch {
		case !finite(slope) || !finite(k.lp[0]):
			return false, nil
		case slope < 0:
			fell = true
		case fell && slope > 1e-6:
			return true, nil
		}
		by *= 2
	}
	return false, nil
}

// Several reports whether the posterior may have several modes.
func (k *kernel) Several() bool { return k.several }

// alone is where nothing crosses.
type alone struct{}

func (alone) Value(int, []float64, []float64)                         {}
func (alone) Adjoint(int, []float64, []float64, []float64, []float64) {}
