package contract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib/transforms"
)

// A witness is an Env that remembers where densities were evaluated.
type witness struct {
	density.Env
	theta [][]float64
	seen  map[string]bool // block, θ, z
	alone map[string]bool // block, z
}

// A testimony passes on what coordinates say, and remembers it.
type testimony struct {
	density.Coordinates
	*witness
}

func (t testimony) Value(b int, g, z []float64) {
	t.Coordinates.Value(b, g, z)
	t.seen[fmt.Sprint(b, t.theta[b], z)] = true
	t.alone[fmt.Sprint(b, z)] = true
}

// lodging is a testimony about a Resident.
type lodging struct{ testimony }

func (l lodging) Stay(b int, answer []float64) float64 {
	return l.Coordinates.(density.Resident).Stay(b, answer)
}

func (w *witness) hear(theta [][]float64, coords density.Coordinates) density.Coordinates {
	w.theta = theta
	if _, ok := coords.(density.Resident); ok {
		return lodging{testimony{coords, w}}
	}
	return testimony{coords, w}
}

func (w *witness) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	return w.Env.Density(ctx, theta, w.hear(theta, coords), grad, lp)
}

func (w *witness) Proceed(ctx context.Context, t density.Tally, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	return w.Env.Proceed(ctx, t, theta, w.hear(theta, coords), grad, lp)
}

// auxiliaries: the density was evaluated at every draw together with its auxiliary variables, or, where these are maximised over, at them; also where cuts
// depend on shared parameters.
func (c *check) auxiliaries(t *testing.T) {
	t.Helper()
	if c.settings.Transform == transforms.None {
		return
	}
	for _, shared := range []bool{false, true} {
		if shared && strings.Contains(c.settings.String(), "guide-inputs=total") {
			continue // a guide that sees totals sees those at the shared parameters of the evaluation before
		}
		m := c.model
		m.Scale = shared
		w := &witness{Env: m.Env(5), seen: map[string]bool{}, alone: map[string]bool{}}
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
				known := w.seen[fmt.Sprint(b, r.Draws[d][b], z)] || c.algorithm.Gives == backends.Conditional && w.alone[fmt.Sprint(b, z)]
				if len(z) > 0 && !known {
					t.Fatalf("shared scale %t: the density was not evaluated at the auxiliary variables of draw %d of block %d", shared, d, b)
				}
			}
		}
	}
}
