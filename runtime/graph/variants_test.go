package graph_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// rows of data that a graph of every kind of fact reads: columns of a linear predictor, levels with many and
// with few rows each, counts, scales and exposures.
type rows struct {
	n                                     int
	x, level, rare, count, y, scale, room []float64
}

func drawRows(n int, seed uint64) rows {
	r := rand.New(rand.NewPCG(seed, 3))
	d := rows{n: n}
	for range n {
		d.x = append(d.x, r.NormFloat64(), r.NormFloat64())
		d.level, d.rare = append(d.level, float64(1+r.IntN(3))), append(d.rare, float64(1+r.IntN(200)))
		d.count, d.y = append(d.count, float64(r.IntN(6))), append(d.y, float64(r.IntN(2)))
		d.scale, d.room = append(d.scale, 0.5+r.Float64()), append(d.room, r.Float64())
	}
	return d
}

// graph is a density of several likelihoods over the rows, and an output.
func (d rows) graph(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.New("rows")
	apply := func(name string, in ...graph.ID) graph.ID {
		id, err := b.Apply(name, graph.Attr{}, in...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	density := func(name string, y graph.ID, theta ...graph.ID) {
		if err := b.Density(name, dist(t, name), y, theta, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
	}
	column := func(name string, v []float64) graph.ID { return b.Const(name, shape{d.n}, v) }
	beta, u, v := b.Param("beta", shape{2}), b.Param("u", shape{3}), b.Param("v", shape{200})
	phi := apply("exp", b.Param("phi", shape{}))
	in := b.Input("in", shape{d.n})
	eta := apply("matmul", b.Const("x", shape{d.n, 2}, d.x), beta)
	density("bernoulli_logit", column("y", d.y),
		apply("add", apply("matmul", b.Const("x", shape{d.n, 2}, d.x), beta), in))
	density("neg_binomial_2_log", column("count", d.count), apply("gather", u, column("level", d.level)), phi)
	density("poisson_log", column("count", d.count), apply("add", apply("gather", v, column("rare", d.rare)),
		apply("log", column("room", d.room))))
	density("normal", column("room", d.room), eta, column("scale", d.scale))
	b.Output("cut", apply("add", eta, apply("gather", u, column("level", d.level))))
	return build(t, b)
}

// resultsOf are all results of one evaluation.
func resultsOf(e *graph.Exec, g *graph.Graph) []float64 {
	r := rand.New(rand.NewPCG(5, 5))
	x, seeds := make([]float64, g.Dim()), make([]float64, g.Outputs()[0].Len)
	for i := range x {
		x[i] = 0.3 * r.NormFloat64()
	}
	for i := range seeds {
		seeds[i], e.Input(0)[i] = r.NormFloat64(), r.NormFloat64()
	}
	e.Forward(x)
	out := []float64{e.Target()}
	out = append(append(append(out, e.TermValues()...), e.Output(0)...), e.Own(0)...)
	e.Pull([][]float64{seeds})
	return append(append(out, e.Grad()...), e.InputAdjoint(0)...)
}

// An Exec that takes variants in turn has the bits of one of each variant's own graph.
func TestVariantsAreTheirGraphs(t *testing.T) {
	const n = 300
	var graphs []*graph.Graph
	for seed := range uint64(4) {
		graphs = append(graphs, drawRows(n, seed).graph(t))
	}
	v := graph.NewVariants(graphs[0])
	for k, g := range graphs[1:] {
		if !v.Has(g) {
			t.Fatal("other data make another graph")
		}
		if got := v.Add(g); got != k+1 {
			t.Errorf("variant %d is called %d", k+1, got)
		}
	}
	v.Pack()
	e := v.NewExec()
	for _, k := range []int{0, 3, 1, 1, 2, 0} {
		e.Load(k)
		got, want := resultsOf(e, graphs[k]), resultsOf(graphs[k].NewExec(), graphs[k])
		if !slices.Equal(got, want) {
			t.Errorf("variant %d has other results than its graph", k)
		}
		if math.IsNaN(want[0]) || math.IsInf(want[0], 0) {
			t.Fatalf("the density is %v", want[0])
		}
	}
	k := 0
	if a := testing.AllocsPerRun(20, func() { k = (k + 1) % 4; e.Load(k) }); a != 0 {
		t.Errorf("loading a variant allocates %v times", a)
	}
}

// Graphs that differ in more than data have no variants in common: other sizes, a predictor that is infinite
// in a row, and levels in an order that needs no sorting.
func TestVariantsAreOfOneProgram(t *testing.T) {
	v := graph.NewVariants(drawRows(300, 1).graph(t))
	for name, spoil := range map[string]func(*rows){
		"fewer rows":          func(d *rows) { *d = drawRows(299, 1) },
		"an exposure of zero": func(d *rows) { d.room[7] = 0 },
		"sorted levels":       func(d *rows) { slices.Sort(d.level) },
	} {
		d := drawRows(300, 1)
		spoil(&d)
		if v.Has(d.graph(t)) {
			t.Errorf("%s: the graph counts as alike", name)
		}
	}
	if !v.Has(drawRows(300, 1).graph(t)) {
		t.Error("a graph is not like itself")
	}
}

// Two likelihoods over rows of their own are each sorted by their levels: the density is the sum of the two.
func TestRowsOfSeveralLikelihoodsAreSorted(t *testing.T) {
	d := drawRows(300, 8)
	other := drawRows(300, 9)
	add := func(b *graph.Builder, y, level []float64, name string, u graph.ID) {
		rate, err := b.Apply("gather", graph.Attr{}, u, b.Const("level", shape{300}, level))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Density(name, dist(t, "poisson_log"), b.Const("y", shape{300}, y), []graph.ID{rate},
			graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
	}
	x := []float64{0.3, -0.2, 0.5, 1, 0.1, -0.4}
	both := graph.New("both")
	u, v := both.Param("u", shape{3}), both.Param("v", shape{3})
	add(both, d.count, d.level, "first", u)
	add(both, other.count, other.level, "second", v)
	e := build(t, both).NewExec()
	e.Forward(x)
	got, want := e.Target(), 0.0
	var gradient []float64
	for k, rows := range []rows{d, other} {
		b := graph.New("one")
		add(b, rows.count, rows.level, "one", b.Param("u", shape{3}))
		e := build(t, b).NewExec()
		e.Forward(x[3*k:][:3])
		want += e.Target()
		gradient = append(gradient, e.Grad()...)
	}
	if !near(got, want, 1e-13) {
		t.Errorf("the density is %v, and the sum of both %v", got, want)
	}
	for i, g := range e.Grad() {
		if !near(g, gradient[i], 1e-13) {
			t.Errorf("derivative %d is %v, want %v", i, g, gradient[i])
		}
	}
}

// Variants keep the arrays of their graphs: packing them allocates as much for many rows as for few.
func TestPackingCopiesNoRows(t *testing.T) {
	bytes := func(rows int) uint64 {
		v := graph.NewVariants(drawRows(rows, 0).graph(t))
		for seed := range uint64(8) {
			v.Add(drawRows(rows, seed+1).graph(t))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v.Pack()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytes(300), bytes(30000); many > few+4096 {
		t.Errorf("%d bytes for 300 rows and %d for 30,000", few, many)
	}
}
