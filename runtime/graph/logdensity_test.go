package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// TestLogDensity compares the elementwise density with the formula for every way of broadcasting, and its sum
// with the term of the target.
func TestLogDensity(t *testing.T) {
	normal := dist(t, "normal")
	for i, c := range [][]shape{{{}, {}, {}}, {{3}, {}, {}}, {{129}, {129}, {}}, {{300}, {1}, {300}},
		{{5, 3}, {3}, {5, 1}}, {{130, 2}, {130, 2}, {1, 2}}} {
		for _, weighted := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(i), 11))
			x, mu, sigma, w := random(r, false, c[0]), random(r, false, c[1]), random(r, true, c[2]),
				random(r, true, c[0])
			b := graph.New("pointwise")
			ids := []graph.ID{b.Param("x", c[0]), b.Param("mu", c[1]), b.Param("sigma", c[2])}
			weights := graph.NoID
			if weighted {
				weights = b.Const("w", c[0], w.v)
			}
			id, err := b.LogDensity(normal, ids[0], ids[1:], weights)
			if err != nil {
				t.Fatal(err)
			}
			b.Report("lp", id)
			if err := b.Density("y", normal, ids[0], ids[1:], weights, 1); err != nil {
				t.Fatal(err)
			}
			e := build(t, b).NewExec()
			e.Forward(append(append(append([]float64{}, x.v...), mu.v...), sigma.v...))
			want := each(func(v []float64) float64 {
				if !weighted {
					v[3] = 1
				}
				return v[3] * normalAt(v[0], v[1], v[2])
			})([]array{x, mu, sigma, w})
			sum := 0.0
			for k, got := range e.Report(0) {
				if sum += got; !near(got, want.v[k], 1e-12) {
					t.Errorf("%v element %d: %v, want %v", c, k, got, want.v[k])
				}
			}
			if target := e.Target(); !near(sum, target, 1e-10) {
				t.Errorf("%v: elements sum to %v, the target is %v", c, sum, target)
			}
		}
	}
}

// TestLogDensityIsNormalised checks the carrier of a count, and that a weight of 0 leaves out an element
// without a density.
func TestLogDensityIsNormalised(t *testing.T) {
	b := graph.New("counts")
	l := b.Param("l", shape{})
	y := []float64{0, 3, -1}
	id, err := b.LogDensity(dist(t, "poisson_log"), b.Const("y", shape{3}, y), []graph.ID{l},
		b.Const("w", shape{3}, []float64{1, 2, 0}))
	if err != nil {
		t.Fatal(err)
	}
	b.Report("lp", id)
	e := build(t, b).NewExec()
	e.Forward([]float64{0.7})
	for k, want := range []float64{-math.Exp(0.7), 2 * (3*0.7 - math.Exp(0.7) - math.Log(6)), 0} {
		if got := e.Report(0)[k]; !near(got, want, 1e-14) {
			t.Errorf("element %d: %v, want %v", k, got, want)
		}
	}
	if _, err := b.LogDensity(dist(t, "normal"), b.Scalar(1),
		[]graph.ID{b.Const("m", shape{2}, []float64{1, 2}), b.Scalar(1)}, graph.NoID); err == nil {
		t.Error("two means for a scalar")
	}
}
