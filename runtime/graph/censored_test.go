package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A partlyKnown is a way to censor or to truncate a distribution: its form, and what it says of the values.
type partlyKnown struct {
	name string
	of   func(d *def.Dist) def.Dist
	says func(y []float64) [][]float64 // of length 1: one number
}

// shifted are the values moved by up to two whole steps: every third of them by none.
func shifted(y []float64, by float64) []float64 {
	out := slices.Clone(y)
	for i := range out {
		out[i] += by * float64(i%3)
	}
	return out
}

func flags(n, every int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i % every / (every - 1))
	}
	return out
}

func partlyKnowns() []partlyKnown {
	ends := func(y []float64) [][]float64 {
		return [][]float64{{slices.Min(y) - 1}, {slices.Max(y) + 1}}
	}
	return []partlyKnown{
		{"flags", func(d *def.Dist) def.Dist {
			return stdlib.Censored(d, []stdlib.Censoring{stdlib.RightFlag, stdlib.LeftFlag})
		}, func(y []float64) [][]float64 { return [][]float64{flags(len(y), 3), flags(len(y), 4)} }},
		{"bounds", func(d *def.Dist) def.Dist {
			return stdlib.Censored(d, []stdlib.Censoring{stdlib.RightBound, stdlib.LeftBound})
		}, func(y []float64) [][]float64 {
			sorted := slices.Sorted(slices.Values(y))
			return [][]float64{{sorted[2*len(y)/3]}, shifted(y, -1)}
		}},
		{"interval", func(d *def.Dist) def.Dist {
			return stdlib.Censored(d, []stdlib.Censoring{stdlib.Interval})
		}, func(y []float64) [][]float64 {
			to := shifted(y, 1)
			to[4] = math.Inf(1)
			return [][]float64{to}
		}},
		{"truncated", func(d *def.Dist) def.Dist { return stdlib.Truncated(d, true, true) }, ends},
		{"truncated below", func(d *def.Dist) def.Dist { return stdlib.Truncated(d, true, false) },
			func(y []float64) [][]float64 { return ends(y)[:1] }},
	}
}

// A density of values that are partly known has, over many rows, the value and the gradient of its own loop,
// for every distribution that can be censored, near the middle and far into both tails.
func TestCensoredForms(t *testing.T) {
	u := stdlib.New()
	for _, way := range partlyKnowns() {
		forms, tried := 0, 0
		for _, name := range u.Dists() {
			d, _ := u.Dist(name)
			if d.LogCDF == nil || !slices.ContainsFunc(d.Params, func(p def.Param) bool {
				return !p.Integral
			}) {
				continue
			}
			tried++
			if (d.Between == nil) != (d.SlowTails != "") {
				t.Errorf("%s has a form of intervals by vectors, or says in SlowTails why not", name)
			}
			switch {
			case compareForms(t, way, d, 0):
				forms++
			case d.Between != nil:
				t.Errorf("%s %s has no form", way.name, name)
			}
			if d.Support == def.RealLine && d.Between != nil {
				for _, far := range []float64{60, -60, 700, -700, -900} {
					compareForms(t, way, d, far)
				}
			}
		}
		if forms < 11 {
			t.Errorf("%s: %d of %d distributions have a form", way.name, forms, tried)
		}
	}
}

// compareForms reports whether the form is not the loop. The first parameter of a real number is moved by
// some of its units.
func compareForms(t *testing.T, way partlyKnown, d *def.Dist, moved float64) bool {
	t.Helper()
	const n = 90
	c := way.of(d)
	r := rand.New(rand.NewPCG(71, 72))
	values := make([]float64, len(d.Params))
	for k, p := range d.Params {
		values[k] = domainDraw(r, p)
		if d.Support == def.Interval || d.Support == def.WholeInterval {
			values[k] = float64(9 * k)
		}
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = d.Sample(r, values)
	}
	if d.Params[0].Domain == def.RealLine {
		values[0] += moved
	}
	var got [3][]float64 // of the form, of the loop, and of the form element by element
	var written [3]string
	for i := range got {
		b := graph.New("censored")
		if i == 1 {
			b.Plain()
		}
		var theta []graph.ID
		var x []float64
		for k, p := range d.Params {
			switch {
			case p.Integral:
				theta = append(theta, b.Scalar(values[k]))
			case k%2 == 0:
				theta = append(theta, b.Param(p.Name, shape{n}))
				for range n {
					x = append(x, values[k])
				}
			default:
				theta = append(theta, b.Param(p.Name, shape{}))
				x = append(x, values[k])
			}
		}
		for _, v := range way.says(y) {
			if len(v) == 1 {
				theta = append(theta, b.Scalar(v[0]))
			} else {
				theta = append(theta, b.Const("said", shape{n}, v))
			}
		}
		at := b.Const("y", shape{n}, y)
		if i < 2 {
			if err := b.Likelihood("y", &c, at, theta, graph.NoID, 0.5); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		} else if id, err := b.LogDensityByVectors(&c, at, theta, graph.NoID); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		} else if err := b.Add("y", id, 0.5); err != nil {
			t.Fatal(err)
		}
		g := build(t, b)
		got[i], written[i] = evaluated(g, x), g.String()
	}
	for k, want := range got[1] {
		for i, form := range [...]string{"", "", " by elements"} {
			if v := got[i][k]; !(math.Abs(v-want) <= 1e-10*max(1, math.Abs(want))) &&
				!(math.IsInf(want, -1) && math.IsInf(got[i][0], -1)) {
				t.Errorf("%s %s moved by %v%s: number %d is %v, want %v", way.name, d.Name, moved, form, k, v,
					want)
				return true
			}
		}
	}
	return written[0] != written[1]
}
