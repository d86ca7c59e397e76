package graph_test

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
)

// TestBoundHasNoSlope: a comparison with a bound comes first among what a bound enters, and leaves the place
// of its derivatives to what follows: of rows that are divided, each with its own loops.
func TestBoundHasNoSlope(t *testing.T) {
	const n = 9
	y, left := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = 1.5 + float64(i)
		left[i] = y[i] - float64(i%3)
	}
	d := stdlib.Censored(dist(t, "pareto"), []stdlib.Censoring{stdlib.RightBound, stdlib.LeftBound})
	var gradients [2][]float64
	for k := range gradients {
		b := graph.New("bound")
		if k == 1 {
			b.Plain()
		}
		theta := []graph.ID{b.Param("least", shape{n}), b.Param("alpha", shape{}), b.Scalar(7),
			b.Const("left", shape{n}, left)}
		if err := b.Density("y", &d, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
			t.Fatal(err)
		}
		gradients[k] = evaluated(build(t, b), slices.Repeat([]float64{1.2}, n+1))
	}
	for i, want := range gradients[1] {
		if got := gradients[0][i]; !near(got, want, 1e-12) {
			t.Errorf("number %d is %v, want %v", i, got, want)
		}
	}
}
