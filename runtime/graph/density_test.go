package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// normalAt is the log density of a normal, written out.
func normalAt(x, mu, sigma float64) float64 {
	z := (x - mu) / sigma
	return -0.5*z*z - math.Log(sigma) - 0.5*math.Log(2*math.Pi)
}

// TestDensityBroadcast compares normal densities with every shape of left side, location, scale and weights
// with the formula, and their gradients with its finite differences.
func TestDensityBroadcast(t *testing.T) {
	normal := dist(t, "normal")
	for i, c := range [][]shape{ // x, location, scale, weights
		{{}, {}, {}, {}}, {{3}, {}, {}, {3}}, {{129}, {129}, {}, {}}, {{128}, {1}, {128}, {128}},
		{{5, 3}, {3}, {3}, {5, 1}},
		{{130, 2}, {130, 1}, {2}, {130, 2}}, {{130, 2}, {130, 2}, {1, 2}, {}},
		{{4, 3, 2}, {3, 1}, {2}, {4, 1, 2}},
	} {
		for _, weighted := range []bool{false, true} {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			in := []array{random(r, false, c[0]), random(r, false, c[1]), random(r, true, c[2]),
				random(r, true, c[3])}
			const power = 0.25
			b := graph.New("density")
			var ids []graph.ID
			for _, a := range in {
				ids = append(ids, b.Param("a", a.shape))
			}
			w := graph.NoID
			if weighted {
				w = ids[3]
			}
			if err := b.Density("t", normal, ids[0], ids[1:3], w, power); err != nil {
				t.Fatal(err)
			}
			run := &opRun{c: opCase{op: "normal", shapes: c, want: func(in []array) array {
				return scalarOf(power * total(each(func(v []float64) float64 {
					if !weighted {
						v[3] = 1
					}
					return v[3] * normalAt(v[0], v[1], v[2])
				})(in).v))
			}}, in: in, weight: scalarOf(1), g: build(t, b), mode: "closed"}
			e := run.g.NewExec()
			e.Forward(run.load(e))
			if got, want := e.Target(), run.reference(); !near(got, want, 1e-12) {
				t.Errorf("%v: target %v, want %v", run.c, got, want)
			}
			checkDifferences(t, run, e.Grad())
		}
	}
}

// TestCarrier checks that a Poisson likelihood is normalised, its constant part folded with weights and
// power.
func TestCarrier(t *testing.T) {
	y, rate, w := []float64{0, 3, 7}, []float64{0.5, 2, 9}, []float64{2, 1, 0}
	b := graph.New("poisson")
	l := b.Param("l", shape{3})
	err := b.Density("y", dist(t, "poisson_log"), b.Const("y", shape{3}, y), []graph.ID{l},
		b.Const("w", shape{3}, w), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want, x := 0.0, make([]float64, 3)
	for i := range y {
		x[i] = math.Log(rate[i])
		lg, _ := math.Lgamma(y[i] + 1)
		want += 0.5 * w[i] * (y[i]*x[i] - rate[i] - lg)
	}
	e := build(t, b).NewExec()
	e.Forward(x)
	if got := e.Target(); !near(got, want, 1e-14) {
		t.Errorf("target %v, want %v", got, want)
	}
}

// TestConstantDensity checks that a density of data only costs nothing at run time and has its full value.
func TestConstantDensity(t *testing.T) {
	b := graph.New("constant")
	err := b.Density("y", dist(t, "normal"), b.Const("y", shape{2}, []float64{1, 2}),
		[]graph.ID{b.Scalar(0), b.Scalar(3)}, graph.NoID, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := build(t, b)
	if w := g.Work(); w != 0 {
		t.Errorf("a constant density is evaluated, with work %d", w)
	}
	e := g.NewExec()
	e.Forward(nil)
	if got, want := e.Target(), normalAt(1, 0, 3)+normalAt(2, 0, 3); !near(got, want, 1e-14) {
		t.Errorf("target %v, want %v", got, want)
	}
}

// TestZeroWeight checks that an element of weight 0 is left out where its density is not finite.
func TestZeroWeight(t *testing.T) {
	b := graph.New("weights")
	mu := b.Param("mu", shape{})
	y := b.Const("y", shape{2}, []float64{1, math.Inf(1)})
	if err := b.Density("y", dist(t, "normal"), y, []graph.ID{mu, b.Scalar(1)},
		b.Const("w", shape{2}, []float64{1, 0}), 1); err != nil {
		t.Fatal(err)
	}
	e := build(t, b).NewExec()
	e.Forward([]float64{0.5})
	if got, want := e.Target(), normalAt(1, 0.5, 1); !near(got, want, 1e-14) {
		t.Errorf("target %v, want %v", got, want)
	}
	if got := e.Grad()[0]; got != 0.5 {
		t.Errorf("gradient %v, want 0.5", got)
	}
}

// TestNotFinite checks that a target that is not finite is returned as it is, and that the term's value shows
// where it comes from.
func TestNotFinite(t *testing.T) {
	b := graph.New("outside")
	s := b.Param("s", shape{})
	normal := dist(t, "normal")
	for _, term := range []struct {
		name string
		at   graph.ID
	}{{"fine", b.Scalar(1)}, {"broken", s}} {
		if err := b.Density(term.name, normal, b.Const("y", shape{1}, []float64{1}),
			[]graph.ID{b.Scalar(0), term.at}, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
	}
	g := build(t, b)
	e := g.NewExec()
	e.Forward([]float64{-1})
	if got := e.Target(); !math.IsInf(got, -1) {
		t.Errorf("target %v, want -Inf", got)
	}
	for i, v := range e.TermValues() {
		if math.IsInf(v, -1) != (g.Terms()[i] == "broken") {
			t.Errorf("term %s is %v", g.Terms()[i], v)
		}
	}
}

func TestDensityErrors(t *testing.T) {
	b := graph.New("errors")
	y, wide := b.Const("y", shape{3}, make([]float64, 3)), b.Param("wide", shape{2, 3})
	for _, c := range []struct {
		dist  string
		x     graph.ID
		theta []graph.ID
		want  string
	}{
		{"normal", y, []graph.ID{wide, b.Scalar(1)},
			"normal: shape [2 3] does not broadcast to [3], the shape of the left side"},
		{"normal", y, []graph.ID{b.Param("odd", shape{2}), b.Scalar(1)},
			"normal: shapes [3] and [2] do not broadcast"},
		{"poisson_log", b.Param("z", shape{}), []graph.ID{b.Scalar(1)},
			"poisson_log: the left side must be constant"},
		{"binomial_logit", y, []graph.ID{b.Param("N", shape{}), b.Scalar(1)},
			"binomial_logit: N must be constant"},
	} {
		if err := b.Density("t", dist(t, c.dist), c.x, c.theta, graph.NoID, 1); err == nil ||
			err.Error() != c.want {
			t.Errorf("%s: error %q, want %q", c.dist, err, c.want)
		}
	}
}
