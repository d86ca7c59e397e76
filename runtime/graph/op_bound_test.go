package graph_test

import (
	"math"
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
		if err := b.Likelihood("y", &d, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
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

// TestBoundOfData: an end of the support lies outside the data where it does of each of them by itself.
func TestBoundOfData(t *testing.T) {
	y := []float64{0.5, -2, 3, 1.25, -1.5, 2, 0}
	least, most := slices.Min(y), slices.Max(y)
	at := func(plain bool, x []float64) float64 {
		b := graph.New("bound")
		if plain {
			b.Plain()
		}
		theta := []graph.ID{b.Param("alpha", shape{}), b.Param("beta", shape{})}
		if err := b.Likelihood("y", dist(t, "uniform"), b.Const("y", shape{len(y)}, y), theta, graph.NoID,
			1); err != nil {
			t.Fatal(err)
		}
		e := build(t, b).NewExec()
		e.Forward(x)
		return e.Target()
	}
	for _, x := range [][]float64{{-3, 4}, {least, most}, {math.Nextafter(least, 0), most},
		{least, math.Nextafter(most, 0)}} {
		if got, want := at(false, x), at(true, x); got != want && !near(got, want, 1e-14) {
			t.Errorf("ends %v: %v, want %v", x, got, want)
		}
	}
}
