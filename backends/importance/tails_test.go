package importance

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

type env struct{ density.Env }

func (env) Shared(name string) density.Stream { return vector.NewGenerator(vector.SharedKey(3), name) }

// lengths are squared lengths of draws of the mixture.
func lengths(dims, draws int) []float64 {
	scales, noise, e := Scales(env{}, draws), vector.NewGenerator(vector.SharedKey(4),
		"noise"), make([]float64, dims)
	out := make([]float64, draws)
	for id, s := range scales {
		noise.Round(uint64(id))
		noise.FillNormals(e)
		for _, v := range e {
			out[id] += s * s * v * v
		}
	}
	return out
}

// Weights N/q have the mean 1 under the mixture q, are bounded by 1/(1 - share), and weighted moments are
// those of N. The variance of the t is ν/(ν − 2) times that of N.
func TestTheDensityIsThatOfTheDraws(t *testing.T) {
	const draws = 40000
	for _, dims := range []int{1, 3, 20, 300} {
		mean, square, length, weighted := 0.0, 0.0, 0.0, 0.0
		for _, s := range lengths(dims, draws) {
			w := math.Exp(-Excess(dims, s))
			if w > 1/(1-share)+1e-9 {
				t.Fatalf("%d dimensions: a weight of %v", dims, w)
			}
			mean, square = mean+w/draws, square+w*w/draws
			length += s / draws
			weighted += w * s / draws
		}
		se := math.Sqrt((square - mean*mean) / draws)
		if math.Abs(mean-1) > 4*se {
			t.Errorf("%d dimensions: weights have the mean %v ± %v", dims, mean, se)
		}
		wide := 1 - share + share*freedom/(freedom-2.0)
		if d := float64(dims); math.Abs(length/(d*wide)-1) > 0.05 || math.Abs(weighted/d-1) > 0.05 {
			t.Errorf("%d dimensions: squared lengths have the mean %v, weighted %v", dims, length, weighted)
		}
		if mean*mean/square < 1-share {
			t.Errorf("%d dimensions: the draws are worth %v of their number", dims, mean*mean/square)
		}
	}
}

// Ratios that are equal at draws of the approximation are those of all draws, whatever rounding makes of
// draws far out; others become those of the mixture.
func TestAnExactApproximationNeedsNoWeights(t *testing.T) {
	squares := []float64{1, 2, 3, 4, 5}
	ratios := []float64{3, 3, 9, math.Inf(-1), 3 + 1e-9}
	if !Correct(ratios, squares, 2) || slices.Min(ratios) != 3 || slices.Max(ratios) > 3+1e-9 {
		t.Error("equal ratios are corrected", ratios)
	}
	ratios = []float64{3, 3, 3, math.Inf(-1), 4}
	if Correct(ratios, squares, 2) || ratios[0] != 3-Excess(2, 1) || !math.IsInf(ratios[3], -1) {
		t.Error("unequal ratios are not corrected", ratios)
	}
	ratios = []float64{3, 4, 5} // one of which is of the approximation
	if Correct(ratios, squares[:3], 2) || ratios[2] != 5-Excess(2, 3) {
		t.Error("ratios of which one is known are not corrected", ratios)
	}
}
