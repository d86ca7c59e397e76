package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// levelData are rows of six levels in no order, of which the first has most rows and the last one row.
type levelData struct {
	n                        int
	x, z, level, count, y, r []float64
	madeX, madeZ             []def.Rescaling
}

func newLevelData(n int, seed uint64) levelData {
	d, draw := levelData{n: n}, rand.New(rand.NewPCG(seed, 9))
	for i := range n {
		level := 1 + math.Floor(5*math.Pow(draw.Float64(), 2))
		if i == n/3 {
			level = 6
		}
		d.level, d.z = append(d.level, level), append(d.z, 0.5*draw.NormFloat64())
		d.count, d.y, d.r = append(d.count, float64(draw.IntN(5))), append(d.y, float64(draw.IntN(2))),
			append(d.r, draw.NormFloat64())
	}
	for range 2 * n {
		d.x = append(d.x, draw.NormFloat64())
	}
	return d
}

// levelForms are predictors whose coefficients differ by level, and whether they are one step with their
// likelihood.
var levelForms = map[string]struct {
	fused bool
	make  func(f levelForm) graph.ID
}{
	"slopes": {true, func(f levelForm) graph.ID { return f.rowdot() }},
	"slopes and intercept": {true, func(f levelForm) graph.ID {
		return f.add(f.b.Param("c", shape{}), f.rowdot())
	}},
	"everything": {true, func(f levelForm) graph.ID {
		return f.add(f.add(f.offset(), f.intercepts()),
			f.add(f.add(f.rowdot(), f.slope()), f.b.Param("c", shape{})))
	}},
	"intercepts and offset": {true, func(f levelForm) graph.ID { return f.add(f.intercepts(), f.offset()) }},
	"intercepts alone":      {false, func(f levelForm) graph.ID { return f.intercepts() }},
	"squares": {false, func(f levelForm) graph.ID {
		return f.apply("mul", f.slope(), f.slope())
	}},
	"a value of each row": {false, func(f levelForm) graph.ID {
		return f.add(f.rowdot(), f.b.Param("rows", shape{f.d.n}))
	}},
}

type levelForm struct {
	tb testing.TB
	b  *graph.Builder
	d  levelData
}

func (f levelForm) apply(name string, in ...graph.ID) graph.ID { return apply(f.tb, f.b, name, in...) }
func (f levelForm) add(a, b graph.ID) graph.ID                 { return f.apply("add", a, b) }
func (f levelForm) column(name string, v []float64) graph.ID   { return f.b.Const(name, shape{f.d.n}, v) }
func (f levelForm) of(table graph.ID) graph.ID {
	return f.apply("gather", table, f.column("level", f.d.level))
}
func (f levelForm) offset() graph.ID {
	z := f.column("z", f.d.z)
	f.b.Made(z, f.d.madeZ)
	return z
}
func (f levelForm) slope() graph.ID {
	return f.apply("mul", f.of(f.b.Param("slope", shape{6})), f.offset())
}
func (f levelForm) intercepts() graph.ID {
	return f.of(f.apply("mul", f.apply("exp", f.b.Param("tau", shape{})), f.b.Param("raw", shape{6})))
}
func (f levelForm) rowdot() graph.ID {
	x := f.b.Const("X", shape{f.d.n, 2}, f.d.x)
	f.b.Made(x, f.d.madeX)
	return f.apply("rowdot", x, f.of(f.b.Param("slopes", shape{6, 2})))
}

// graph has one likelihood of a predictor, in a power.
func (f levelForm) graph(likelihood string, predictor graph.ID) *graph.Graph {
	sigma, nu := f.apply("exp", f.b.Param("sigma", shape{})), f.b.Scalar(4)
	y, theta := f.column("count", f.d.count), []graph.ID{predictor}
	switch likelihood {
	case "bernoulli_logit", "bernoulli_probit":
		y = f.column("y", f.d.y)
	case "normal":
		y, theta = f.column("r", f.d.r), append(theta, sigma)
	case "student_t":
		y, theta = f.column("r", f.d.r), []graph.ID{nu, predictor, sigma}
	case "binomial_logit":
		theta = []graph.ID{f.b.Scalar(5), predictor}
	case "neg_binomial_2_log":
		theta = append(theta, sigma)
	}
	if err := f.b.Likelihood("y", dist(f.tb, likelihood), y, theta, graph.NoID, 1.5); err != nil {
		f.tb.Fatal(err)
	}
	return build(f.tb, f.b)
}

// TestLevels compares likelihoods whose coefficients differ by level, over as many rows as fit into one
// block, into several, and into several pieces, with the same operations one by one.
func TestLevels(t *testing.T) {
	for _, likelihood := range []string{"poisson_log", "bernoulli_logit", "bernoulli_probit",
		"binomial_logit", "neg_binomial_2_log", "normal", "student_t"} {
		for name, form := range levelForms {
			for _, n := range []int{330, 1501, 9001} {
				if n > 2000 && name != "everything" {
					continue
				}
				what := fmt.Sprintf("%s of %s, %d rows", likelihood, name, n)
				var made [2]*graph.Graph
				for plain := range made {
					f := levelForm{t, graph.New("levels"), newLevelData(n, 1)}
					if plain == 1 {
						f.b.Plain()
					}
					made[plain] = f.graph(likelihood, form.make(f))
				}
				sameWithLess(t, what, made, scaled(made[0].Dim(), 0.5), form.fused)
			}
		}
	}
}

// TestLevelsInPieces checks that the number of goroutines changes no bit, and that other data may take the
// place of the first.
func TestLevelsInPieces(t *testing.T) {
	var graphs []*graph.Graph
	for seed := range uint64(3) {
		f := levelForm{t, graph.New("levels"), newLevelData(40_000, seed)}
		graphs = append(graphs, f.graph("bernoulli_logit", levelForms["everything"].make(f)))
	}
	results := func(e *graph.Exec) []float64 {
		e.Forward(scaled(graphs[0].Dim(), 0.5))
		return append([]float64{e.Target()}, slices.Clone(e.Grad())...)
	}
	variants := graph.NewVariants(graphs[0])
	for _, g := range graphs[1:] {
		if !variants.Has(g) {
			t.Fatal("other levels make another graph")
		}
		variants.Add(g)
	}
	variants.Pack()
	loaded := variants.NewExec()
	for _, k := range []int{2, 0, 1} {
		alone, helped := graphs[k].NewExec(), graphs[k].NewExec()
		if !alone.Splits() {
			t.Fatal("the rows are one piece")
		}
		group := vector.NewTeam(2)
		defer group.Close()
		helped.Use(group)
		want := results(alone)
		if !slices.Equal(results(helped), want) {
			t.Error("helpers change bits")
		}
		if loaded.Load(k); !slices.Equal(results(loaded), want) {
			t.Errorf("variant %d has other results than its graph", k)
		}
	}
}
