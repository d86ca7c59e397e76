package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// bounded is a parameter between bounds, an end of which may be infinite.
func bounded(b *graph.Builder, name string, s shape, lower, upper float64) graph.ID {
	var low, high *float64
	if !math.IsInf(lower, -1) {
		low = &lower
	}
	if !math.IsInf(upper, 1) {
		high = &upper
	}
	return b.Bijector(stdlib.New().For(low, high), b.Param(name, s), lower, upper)
}

// Priors of bounded parameters are the distributions' own densities, however many there are, and whether
// parameters of the prior are numbers or parameters.
func TestDensitiesOfBoundedParameters(t *testing.T) {
	u := stdlib.New()
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.Event != nil || d.Discrete || d.Flat || d.LogDensity == nil || d.Support != def.Positive &&
			d.Support != def.NonNegative && d.Support != def.UnitInterval {
			continue
		}
		for _, s := range []shape{{}, {1}, {3}, {5}, {12}, {40}} {
			for known := range 2 {
				var got [2][]float64
				for i := range got {
					b := graph.New("priors")
					if i == 1 {
						b.Plain()
					}
					lower, upper := d.Support.Bounds(nil)
					x := bounded(b, "x", s, lower, upper)
					theta, r := make([]graph.ID, len(d.Params)), rand.New(rand.NewPCG(5, 6))
					for k := range theta {
						if v := domainDraw(r, d.Params[k]); known == 1 || d.Params[k].Integral {
							theta[k] = b.Scalar(v)
						} else if low,
							high := d.Params[k].Domain.Bounds(nil); d.Params[k].Domain == def.RealLine {
							theta[k] = b.Param(d.Params[k].Name, shape{})
						} else {
							theta[k] = bounded(b, d.Params[k].Name, shape{}, low, high)
						}
					}
					if err := b.Density("x", d, x, theta, graph.NoID, 0.7); err != nil {
						t.Fatal(err)
					}
					g := build(t, b)
					got[i] = evaluated(g, scaled(g.Dim(), 0.8))
				}
				for k, want := range got[1] {
					if !(math.Abs(got[0][k]-want) <= 1e-11*max(1, math.Abs(want))) {
						t.Errorf("%s, shape %v, known %d: number %d is %v, want %v", name, s, known, k,
							got[0][k], want)
					}
				}
			}
		}
	}
}

// A parameter that may leave the support of its prior has no density there.
func TestBoundsBeyondTheSupport(t *testing.T) {
	for _, s := range []shape{{}, {12}} {
		b := graph.New("beyond")
		x := bounded(b, "x", s, -1, math.Inf(1))
		density(t, b, "x", "gamma", x, b.Scalar(2), b.Scalar(3))
		g := build(t, b)
		at := make([]float64, g.Dim())
		at[0] = -3
		if got := evaluated(g, at)[0]; !math.IsInf(got, -1) {
			t.Errorf("shape %v: the log density of a value below 0 is %v", s, got)
		}
	}
}

// Binomial likelihoods with trials of their own in each row have the density that the distribution itself
// gives, without a call of it for a row.
func TestTrialsByRow(t *testing.T) {
	for _, n := range []int{1, 4, 5, 12, 40, 700} {
		var got [2][]float64
		for i := range got {
			b := graph.New("trials")
			if i == 1 {
				b.Plain()
			}
			r, y, trials := rand.New(rand.NewPCG(7, 8)), make([]float64, n), make([]float64, n)
			for k := range y {
				trials[k] = float64(1 + r.IntN(30))
				y[k] = float64(r.IntN(int(trials[k]) + 1))
			}
			eta := apply(t, b, "add", b.Param("eta", shape{n}), b.Param("b", shape{}))
			d, calls := counted(dist(t, "binomial_logit"))
			theta := []graph.ID{b.Const("trials", shape{n}, trials), eta}
			if err := b.Likelihood("y", d, b.Const("y", shape{n}, y), theta, graph.NoID, 1); err != nil {
				t.Fatal(err)
			}
			g := build(t, b)
			got[i] = evaluated(g, scaled(g.Dim(), 3))
			if i == 0 && *calls > 0 {
				t.Errorf("%d rows: %d calls of the density of a row", n, *calls)
			}
		}
		sameEvaluation(t, fmt.Sprint(n, " rows"), got[0], got[1])
	}
}

// Terms that are sums of products are computed as these, and are the products one by one.
func TestSumsOfProducts(t *testing.T) {
	for _, s := range []shape{{}, {1}, {5}, {40}, {300}, {30, 3}} {
		var made [2]*graph.Graph
		for i := range made {
			b := graph.New("products")
			if i == 1 {
				b.Plain()
			}
			x, y, number := b.Param("x", s), b.Param("y", s), b.Param("number", shape{})
			data := b.Const("data", s, scaled(s.Len(), 2))
			for k, pair := range [][2]graph.ID{{x, y}, {number, x}, {y, number}, {x, x}, {data, y},
				{apply(t, b, "exp", x), apply(t, b, "exp", number)}} {
				if err := b.Add(fmt.Sprint("term ", k), apply(t, b, "mul", pair[0], pair[1]),
					0.5*float64(k)-2); err != nil {
					t.Fatal(err)
				}
			}
			made[i] = build(t, b)
		}
		sameWithLess(t, s, made, scaled(made[0].Dim(), 1), true)
	}
}

// The logarithm of a positive parameter is the parameter without its bound, and that of a root half of the
// logarithm: also where the parameter overflows, or is too small for a number.
func TestLogarithmsOfParameters(t *testing.T) {
	b := graph.New("logarithms")
	variance := bounded(b, "variance", shape{3}, 0, math.Inf(1))
	log := apply(t, b, "log", apply(t, b, "sqrt", variance))
	b.Report("log", log)
	b.Report("variance", variance)
	e := build(t, b).NewExec()
	at := []float64{-800, 0.3, 800}
	e.Forward(at)
	for i, v := range e.Report(0) {
		if v != at[i]/2 {
			t.Errorf("the logarithm of the root of exp(%v) is %v", at[i], v)
		}
	}
}
