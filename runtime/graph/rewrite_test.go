package graph_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// models returns graphs that contain every superinstruction, and graphs that contain none.
func models() map[string]func(testing.TB, *graph.Builder) {
	m := map[string]func(testing.TB, *graph.Builder){
		"schools": eightSchools, "priors": tenPriors, "multilevel": poissonMultilevel(700, 5),
		"many levels": poissonMultilevel(700, 90),
		"logistic":    func(tb testing.TB, b *graph.Builder) { newLogisticData(500, 20).model(tb, b) },
	}
	for _, d := range []string{"cauchy", "student_t", "laplace", "exponential", "gamma", "lognormal",
		"neg_binomial_2_log", "binomial_logit"} {
		m[d] = func(tb testing.TB, b *graph.Builder) { likelihood(tb, b, d) }
	}
	for _, d := range []string{"bernoulli_logit", "binomial_logit", "poisson_log", "neg_binomial_2_log",
		"student_t", "normal", "fixed normal"} {
		for _, offset := range []string{"", "number", "rows"} {
			m["linear "+d+" "+offset] = linear(d, offset)
		}
	}
	m["network"], m["wide network"] = network("tanh", 200, 3, 5, 4, 2), network("relu", 333, 9, 33, 17, 2)
	m["layer seen whole"] = layerSeenWhole
	m["two groupings"] = twoGroupings
	m["columns"], m["mixes"] = termByTerm, mixes
	for name := range elementwiseModels {
		m[name] = elementwiseModel(name, 333)
	}
	return m
}

// everyModel visits the models, and every case of a distribution with many rows.
func everyModel(t *testing.T, visit func(name string, g *graph.Graph, x []float64)) {
	for name, model := range models() {
		g, x := made(t, model, false)
		visit(name, g, x)
	}
	everyDensity(func(i int, c densityCase) {
		if c.n < 100 {
			return
		}
		drawn := c.draw(uint64(i))
		b := graph.New("density")
		b.EachRow()
		drawn.build(t, b)
		visit(c.String(), build(t, b), drawn.at())
	})
}

// likelihood is a density of 300 rows. The first parameter that is not fixed has one value per row, the other
// is one number.
func likelihood(tb testing.TB, b *graph.Builder, name string) {
	const n = 300
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = math.Sin(float64(i)), float64(1+i*i%23)
	}
	p, scale := b.Param("p", shape{}), positive(b, b.Param("scale", shape{}))
	eta := apply(tb, b, "mul", p, b.Const("x", shape{n}, x))
	mean := apply(tb, b, "exp", eta)
	observed := b.Const("y", shape{n}, y)
	theta := map[string][]graph.ID{
		"cauchy": {eta, scale}, "student_t": {b.Scalar(3.5), eta, scale}, "laplace": {eta, scale},
		"exponential": {mean}, "gamma": {b.Scalar(2.5), mean},
		"lognormal": {eta, scale}, "neg_binomial_2_log": {eta, scale}, "binomial_logit": {b.Scalar(23), eta},
	}
	density(tb, b, "y", name, observed, theta[name]...)
}

// layerSeenWhole uses a layer's activation row by row, whole, and as an output.
func layerSeenWhole(tb testing.TB, b *graph.Builder) {
	const n, k, m = 300, 4, 3
	x, y := make([]float64, n*k), make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	for i := range y {
		y[i] = math.Cos(float64(i))
	}
	sums := apply(tb, b, "add", apply(tb, b, "matmul", b.Const("X", shape{n, k}, x),
		b.Param("W", shape{k, m})), b.Param("c", shape{m}))
	h := apply(tb, b, "inv_logit", sums)
	out := apply(tb, b, "matmul", h, b.Param("v", shape{m}))
	density(tb, b, "y", "normal", b.Const("y", shape{n}, y), out,
		apply(tb, b, "exp", apply(tb, b, "mean", h)))
	b.Output("h", h)
}

// twoGroupings has two likelihoods whose rows are sorted by levels of their own.
func twoGroupings(tb testing.TB, b *graph.Builder) {
	const n = 200
	for k, name := range []string{"u", "v"} {
		y, level := make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], level[i] = math.Sin(float64(i+k)), float64(1+(7*i+k)%(3+k))
		}
		mean := apply(tb, b, "gather", b.Param(name, shape{3 + k}), b.Const("level", shape{n}, level))
		density(tb, b, name, "normal", b.Const("y", shape{n}, y), mean, b.Scalar(1.5))
	}
}

// linear is a likelihood of 555 rows, to a power. Its predictor is a product with a matrix, plus nothing, a
// number or one parameter per row.
func linear(name, offset string) func(testing.TB, *graph.Builder) {
	return func(tb testing.TB, b *graph.Builder) {
		const n, k = 555, 7
		x, u, y := make([]float64, n*k), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		for i := range y {
			u[i], y[i] = math.Cos(float64(i)), float64(i*i%23%2)
		}
		scale := positive(b, b.Param("scale", shape{}))
		eta := apply(tb, b, "matmul", b.Const("X", shape{n, k}, x), b.Param("beta", shape{k}))
		switch offset {
		case "number":
			eta = apply(tb, b, "add", b.Param("a", shape{}), eta)
		case "rows":
			eta = apply(tb, b, "add", eta,
				apply(tb, b, "tanh", apply(tb, b, "mul", b.Param("a", shape{}), b.Const("u", shape{n}, u))))
		}
		theta := map[string][]graph.ID{
			"bernoulli_logit": {eta}, "binomial_logit": {b.Scalar(3), eta}, "poisson_log": {eta},
			"neg_binomial_2_log": {eta, scale}, "normal": {eta, scale},
			"student_t":    {apply(tb, b, "exp", b.Param("nu", shape{})), eta, scale},
			"fixed normal": {eta, b.Scalar(1.5)},
		}[name]
		d := dist(tb, strings.TrimPrefix(name, "fixed "))
		if err := b.Likelihood("y", d, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
			tb.Fatal(err)
		}
	}
}

// termByTerm is a normal regression that is written term by term, with a level for each ten rows; one term is
// read elsewhere too.
func termByTerm(tb testing.TB, b *graph.Builder) {
	const n, levels = 400, 40
	x, y, index := make([][]float64, 4), make([]float64, n), make([]float64, n)
	for j := range x {
		x[j] = make([]float64, n)
		for i := range n {
			x[j][i] = math.Sin(float64(i*(j+1) + j))
		}
	}
	for i := range n {
		y[i], index[i] = math.Cos(float64(i)), float64(1+i%levels)
	}
	slopes, scale := b.Param("slopes", shape{4}), positive(b, b.Param("scale", shape{}))
	term := func(j int) graph.ID {
		slope, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: j, Hi: j + 1, Drop: true}}},
			slopes)
		if err != nil {
			tb.Fatal(err)
		}
		return apply(tb, b, "mul", slope, b.Const(fmt.Sprint("x", j), shape{n}, x[j]))
	}
	eta := apply(tb, b, "add", b.Param("a", shape{}), term(0))
	eta = apply(tb, b, "add", eta, apply(tb, b, "gather", b.Param("level", shape{levels}),
		b.Const("index", shape{n}, index)))
	eta = apply(tb, b, "add", apply(tb, b, "add", term(1), term(2)), eta)
	X := append(slices.Clone(x[0]), x[1]...)
	for i := range X {
		X[i] = math.Cos(X[i])
	}
	eta = apply(tb, b, "add", eta, apply(tb, b, "matmul", b.Const("X", shape{n, 2}, X),
		b.Param("beta", shape{2})))
	seen := term(3)
	density(tb, b, "y", "normal", b.Const("y", shape{n}, y), apply(tb, b, "add", eta, seen), scale)
	density(tb, b, "seen", "normal", seen, b.Scalar(0), b.Scalar(1))
}

// evaluated returns the value and, after it, the gradient, through outputs too.
func evaluated(g *graph.Graph, x []float64) []float64 {
	e := g.NewExec()
	e.Forward(x)
	lp := e.Target()
	var seeds [][]float64
	for k := range g.Outputs() {
		seeds = append(seeds, e.Own(k))
	}
	e.Pull(seeds)
	return append([]float64{lp}, e.Grad()...)
}

// sameEvaluation compares values and gradients, to 1e-13 of the greatest of them.
func sameEvaluation(t rapid.TB, what any, got, plain []float64) {
	t.Helper()
	if !allFinite(plain) { // which derivatives are lost depends on the order
		if allFinite(got) {
			t.Errorf("%v: finite, and without superinstructions %v", what, plain)
		}
		return
	}
	scale := 1.0
	for _, v := range plain[1:] {
		scale = max(scale, math.Abs(v))
	}
	if !near(got[0], plain[0], 1e-13) {
		t.Errorf("%v: value %v, without superinstructions %v", what, got[0], plain[0])
	}
	for i, v := range plain {
		if i > 0 && !(math.Abs(v-got[i]) <= 1e-13*scale) {
			t.Errorf("%v: derivative %d is %v, without superinstructions %v", what, i-1, got[i], v)
		}
	}
}

func allFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
}

// sameWithLess compares a graph with the one that has no superinstructions: it computes the same, and where
// less is set with less work.
func sameWithLess(t *testing.T, what any, made [2]*graph.Graph, x []float64, less bool) {
	t.Helper()
	sameEvaluation(t, what, evaluated(made[0], x), evaluated(made[1], x))
	if w, plain := made[0].Work(), made[1].Work(); less && w >= plain {
		t.Errorf("%v: the work is %d, without superinstructions %d", what, w, plain)
	}
}

// TestPlain checks that a graph computes the same with and without superinstructions, with which a linear
// predictor is part of its likelihood, whether it is one product or many terms.
func TestPlain(t *testing.T) {
	for name, model := range models() {
		g, x := made(t, model, false)
		plain, _ := made(t, model, true)
		sameWithLess(t, name, [2]*graph.Graph{g, plain}, x, name == "columns" ||
			strings.HasPrefix(name, "linear "))
	}
}

// TestPlainRandom is TestPlain for random graphs.
func TestPlainRandom(t *testing.T) {
	tl := newTools(t)
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRecipe(rt)
		roles := make([]role, len(r.leaves))
		p, q := r.buildWith(t, tl, roles, nil, false), r.buildWith(t, tl, roles, nil, true)
		sameEvaluation(rt, p.g, evaluated(p.g, p.load(p.g.NewExec())), evaluated(q.g, q.load(q.g.NewExec())))
	})
}

// TestOrderOfOutputs checks that rows are not sorted where their order is visible: outputs, inputs and their
// adjoints keep their order.
func TestOrderOfOutputs(t *testing.T) {
	run := func(plain bool) []float64 {
		const n = 300
		b := graph.New("order")
		b.EachRow()
		if plain {
			b.Plain()
		}
		level, y := make([]float64, n), make([]float64, n)
		for i := range n {
			level[i], y[i] = float64(1+i*7%4), float64(i%5)
		}
		a, z := b.Param("a", shape{4}), b.Input("z", shape{n})
		index := b.Const("g", shape{n}, level)
		b.Output("rows", apply(t, b, "gather", apply(t, b, "tanh", a), index))
		received := apply(t, b, "add", apply(t, b, "gather", a, index), z)
		density(t, b, "received", "poisson_log", b.Const("y", shape{n}, y), received)
		alone := apply(t, b, "gather", apply(t, b, "exp", a), index) // may be sorted
		density(t, b, "alone", "poisson_log", b.Const("y", shape{n}, y), alone)
		g := build(t, b)
		e := g.NewExec()
		return sweepAll(e, g, 1)
	}
	got, want := run(false), run(true)
	for i := range want {
		if !near(got[i], want[i], 1e-12) {
			t.Fatalf("number %d is %v, with rows in their order %v", i, got[i], want[i])
		}
	}
}

// TestNoAllocationsInAny checks that an evaluation of any model does not allocate.
func TestNoAllocationsInAny(t *testing.T) {
	everyModel(t, func(name string, g *graph.Graph, x []float64) {
		e := g.NewExec()
		if n := testing.AllocsPerRun(5, func() { e.Forward(x); e.Target() }); n != 0 {
			t.Errorf("%s: %v allocations per evaluation, want 0", name, n)
		}
	})
}

// printBits asks TestBits to print what it computes.
const printBits = "VFLC_TEST_PRINT_BITS"

// TestBits checks that all models give the same bits on every instruction set, each in a process of its own.
func TestBits(t *testing.T) {
	if os.Getenv(printBits) != "" {
		everyModel(t, func(name string, g *graph.Graph, x []float64) {
			h := fnv.New64a()
			for _, v := range evaluated(g, x) {
				fmt.Fprintf(h, "%x ", math.Float64bits(v))
			}
			fmt.Printf("bits %s %x\n", name, h.Sum64())
		})
		return
	}
	want := bitsOn(t, vector.Portable)
	sets := vector.Sets()
	// without a faster one, the portable set is compared with itself
	for _, set := range sets[min(1, len(sets)-1):] {
		for line := range bitsOn(t, set) {
			if !want[line] {
				t.Fatalf("%v: %s, which is not what %v gives", set, line, vector.Portable)
			}
		}
	}
}

// bitsOn returns the lines that TestBits prints on an instruction set.
func bitsOn(t *testing.T, set vector.InstructionSet) map[string]bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBits$")
	cmd.Env = append(os.Environ(), printBits+"=1", vector.Variable+"="+set.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "bits ") {
			lines[line] = true
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%v: nothing printed", set)
	}
	return lines
}
