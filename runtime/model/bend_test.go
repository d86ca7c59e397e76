package model

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
)

// Where the density of a scale at 0 is positive that of its logarithm t falls like exp(t), and that of u like
// a normal with variance 1/strength: log density and its derivative by u, far below the anchor. The map back
// returns the same t, however far.
func TestTailOfABentScale(t *testing.T) {
	for _, centring := range []float64{0, 0.25, 0.75} {
		b := newBend(density.Effects{Len: 1, Centring: 1, Anchored: true, Scale: true}, 0)
		b.at(centring, []float64{1.5})
		strength := density.MostBent * (1 - centring)
		for _, u := range []float64{-1e-9, -3, -30, -300} {
			from, to, back := []float64{u}, make([]float64, 1), make([]float64, 1)
			logSlope := b.move(from, to, true)
			g := []float64{1}
			b.pull(g, true)
			if u == -300 {
				if got, want := to[0]+logSlope, -0.5*strength*u*u; math.Abs(got/want-1) > 1e-3 {
					t.Errorf("centring %v: log density %v at %v, want about %v", centring, got, u, want)
				}
				if got, want := g[0], -strength*u; math.Abs(got/want-1) > 1e-3 {
					t.Errorf("centring %v: its derivative is %v at %v, want about %v", centring, got, u, want)
				}
			}
			if there := b.move(to, back, false); math.Abs(back[0]/u-1) > 1e-6 ||
				math.Abs(there+logSlope) > 1e-6 {
				t.Errorf("centring %v: %v came back as %v, log-Jacobians %v and %v", centring, u, back[0],
					logSlope, there)
			}
		}
	}
}
