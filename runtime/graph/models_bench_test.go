package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
)

// benchmarkGradient measures one evaluation of the target with its gradient at x.
func benchmarkGradient(b *testing.B, g *graph.Graph, x []float64) {
	b.Helper()
	e := g.NewExec()
	b.ReportAllocs()
	begin := stopwatch.Process()
	for b.Loop() {
		e.Forward(x)
		e.Target()
	}
	b.ReportMetric(float64(stopwatch.Process()-begin)/float64(b.N), "cpu-ns/op")
}

// BenchmarkLogisticSizes measures the logistic regression at sizes from cache to memory.
func BenchmarkLogisticSizes(b *testing.B) {
	for _, size := range [][2]int{{512, 20}, {2016, 8}, {100_000, 50}, {1_000_000, 20}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			d := newLogisticData(size[0], size[1])
			benchmarkGradient(b, d.graph(b), d.theta)
		})
	}
}

// density adds a density and fails the test where it cannot.
func density(tb testing.TB, b *graph.Builder, term, name string, x graph.ID, theta ...graph.ID) {
	tb.Helper()
	if err := b.Density(term, dist(tb, name), x, theta, graph.NoID, 1); err != nil {
		tb.Fatal(err)
	}
}

func positive(b *graph.Builder, x graph.ID) graph.ID {
	zero := 0.0
	return b.Bijector(stdlib.New().For(&zero, nil), x, 0, math.Inf(1))
}

// eightSchools is the hierarchical model in its non-centred form.
func eightSchools(tb testing.TB, b *graph.Builder) {
	mu, raw, eta := b.Param("mu", shape{}), b.Param("tau", shape{}), b.Param("eta", shape{8})
	tau := positive(b, raw)
	y := b.Const("y", shape{8}, []float64{28, 8, -3, 7, -1, 1, 18, 12})
	sigma := b.Const("sigma", shape{8}, []float64{15, 10, 16, 11, 9, 11, 10, 18})
	theta := apply(tb, b, "add", mu, apply(tb, b, "mul", tau, eta))
	density(tb, b, "mu", "normal", mu, b.Scalar(0), b.Scalar(5))
	density(tb, b, "tau", "half_cauchy", tau, b.Scalar(5))
	density(tb, b, "eta", "normal", eta, b.Scalar(0), b.Scalar(1))
	density(tb, b, "y", "normal", y, theta, sigma)
}

// made builds a model and returns it with a generic position.
func made(tb testing.TB, model func(testing.TB, *graph.Builder), plain bool) (*graph.Graph, []float64) {
	tb.Helper()
	b := graph.New("model")
	if plain {
		b.Plain()
	}
	model(tb, b)
	g := build(tb, b)
	x := make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.4 * math.Sin(float64(3*i+1))
	}
	return g, x
}

// benchmarkModel measures a model with its superinstructions.
func benchmarkModel(b *testing.B, model func(testing.TB, *graph.Builder)) {
	b.Helper()
	g, x := made(b, model, false)
	benchmarkGradient(b, g, x)
}

func BenchmarkEightSchools(b *testing.B) {
	benchmarkModel(b, eightSchools)
}

// tenPriors is a model of ten scalar parameters with one prior each and no data.
func tenPriors(tb testing.TB, b *graph.Builder) {
	for i := range 10 {
		density(tb, b, fmt.Sprint(i), "normal", b.Param(fmt.Sprint(i), shape{}), b.Scalar(float64(i)),
			b.Scalar(2))
	}
}

func BenchmarkPriors(b *testing.B) { benchmarkModel(b, tenPriors) }

// poissonMultilevel has n rows, four covariates and an intercept for each level.
func poissonMultilevel(n, levels int) func(testing.TB, *graph.Builder) {
	return func(tb testing.TB, b *graph.Builder) { multilevel(tb, b, n, levels) }
}

func multilevel(tb testing.TB, b *graph.Builder, n, levels int) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y, level := make([]float64, 4*n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range n {
		y[i], level[i] = float64(r.IntN(6)), float64(1+r.IntN(levels))
	}
	mu, raw := b.Param("mu", shape{}), b.Param("tau", shape{})
	a, beta := b.Param("a", shape{levels}), b.Param("beta", shape{4})
	tau := positive(b, raw)
	density(tb, b, "mu", "normal", mu, b.Scalar(0), b.Scalar(5))
	density(tb, b, "tau", "half_normal", tau, b.Scalar(1))
	density(tb, b, "a", "normal", a, mu, tau)
	density(tb, b, "beta", "normal", beta, b.Scalar(0), b.Scalar(1))
	eta := apply(tb, b, "add", apply(tb, b, "gather", a, b.Const("g", shape{n}, level)),
		apply(tb, b, "matmul", b.Const("X", shape{n, 4}, x), beta))
	density(tb, b, "y", "poisson_log", b.Const("y", shape{n}, y), eta)
}

func BenchmarkPoissonMultilevel(b *testing.B) {
	for _, levels := range []int{5, 50, 1000} {
		b.Run(fmt.Sprint(levels), func(b *testing.B) {
			benchmarkModel(b, poissonMultilevel(2000, levels))
		})
	}
}

// elementwiseModels are models in which no part has a vector function of its own.
var elementwiseModels = map[string]func(tb testing.TB, b *graph.Builder, x, y graph.ID, p []graph.ID){
	// -log(1 + ((y - p0 exp(p1 x) - p2)/p3)²)
	"decay": func(tb testing.TB, b *graph.Builder, x, y graph.ID, p []graph.ID) {
		a := func(op string, in ...graph.ID) graph.ID { return apply(tb, b, op, in...) }
		mean := a("add", a("mul", p[0], a("exp", a("mul", p[1], x))), p[2])
		z := a("div", a("sub", y, mean), p[3])
		if err := b.Add("y", a("neg", a("log1p", a("mul", z, z))), 1); err != nil {
			tb.Fatal(err)
		}
	},
	// y ~ normal(p0 inv_logit(p1 (x - p2)), exp(p3 x))
	"growth": func(tb testing.TB, b *graph.Builder, x, y graph.ID, p []graph.ID) {
		a := func(op string, in ...graph.ID) graph.ID { return apply(tb, b, op, in...) }
		mean := a("mul", p[0], a("inv_logit", a("mul", p[1], a("sub", x, p[2]))))
		density(tb, b, "y", "normal", y, mean, a("exp", a("mul", p[3], x)))
	},
	// log cosh(y - p0 tanh(p1 x + p2) - p3 x²), negative, up to a constant
	"cosh": func(tb testing.TB, b *graph.Builder, x, y graph.ID, p []graph.ID) {
		a := func(op string, in ...graph.ID) graph.ID { return apply(tb, b, op, in...) }
		mean := a("add", a("mul", p[0], a("tanh", a("add", a("mul", p[1], x), p[2]))),
			a("mul", p[3], a("mul", x, x)))
		r := a("sub", y, mean)
		if err := b.Add("y", a("sub", r, a("softplus", a("mul", b.Scalar(2), r))), 1); err != nil {
			tb.Fatal(err)
		}
	},
}

func elementwiseModel(name string, n int) func(testing.TB, *graph.Builder) {
	return func(tb testing.TB, b *graph.Builder) { elementwise(tb, b, name, n) }
}

func elementwise(tb testing.TB, b *graph.Builder, name string, n int) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
	}
	p := make([]graph.ID, 4)
	for k := range p {
		p[k] = b.Param(fmt.Sprint("p", k), shape{})
	}
	elementwiseModels[name](tb, b, b.Const("x", shape{n}, x), b.Const("y", shape{n}, y), p)
}

func BenchmarkElementwise(b *testing.B) {
	for _, name := range []string{"decay", "growth", "cosh"} {
		b.Run(name, func(b *testing.B) {
			benchmarkModel(b, elementwiseModel(name, 2000))
		})
	}
}

// network is a normal regression on the sum of a small network's outputs.
func network(activation string, n int, units ...int) func(testing.TB, *graph.Builder) {
	return func(tb testing.TB, b *graph.Builder) {
		r := rand.New(rand.NewPCG(7, 8))
		x, y := make([]float64, n*units[0]), make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		for i := range y {
			y[i] = r.NormFloat64()
		}
		h := b.Const("X", shape{n, units[0]}, x)
		for l, m := range units[1:] {
			w, c := b.Param(fmt.Sprint("W", l), shape{units[l], m}), b.Param(fmt.Sprint("c", l), shape{m})
			h = apply(tb, b, "add", apply(tb, b, "matmul", h, w), apply(tb, b, "row", c))
			if l < len(units)-2 {
				h = apply(tb, b, activation, h)
			}
		}
		ones := make([]float64, units[len(units)-1])
		for i := range ones {
			ones[i] = 1
		}
		out := apply(tb, b, "matmul", h, b.Const("ones", shape{len(ones)}, ones))
		density(tb, b, "y", "normal", b.Const("y", shape{n}, y), out, b.Scalar(1))
	}
}

func BenchmarkNetwork(b *testing.B) {
	b.Run("tanh 1-16-16-2", func(b *testing.B) { benchmarkModel(b, network("tanh", 512, 1, 16, 16, 2)) })
	b.Run("relu 7-8-8", func(b *testing.B) { benchmarkModel(b, network("relu", 826, 7, 8, 8)) })
}
