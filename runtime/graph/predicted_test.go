package graph_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// spellings are ways to write the value f(m) with an element for each of 40 rows: as it is, through levels, slices and products with data, and as a parameter whose map to its
// support is f.
var spellings = map[string]func(t *testing.T, b *graph.Builder, f string) graph.ID{
	"value": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, f, b.Param("m", shape{rowsOfForms}))
	},
	"levels": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "gather", apply(t, b, f, b.Param("m", shape{3})), levelsOf(b, 3))
	},
	"slice": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		id, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: 2, Hi: 2 + rowsOfForms}}}, apply(t, b, f, b.Param("m", shape{rowsOfForms + 5})))
		if err != nil {
			t.Fatal(err)
		}
		return id
	},
	"product": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "mul", exposures(b), apply(t, b, f, b.Param("m", shape{rowsOfForms})))
	},
	"quotient": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "div", apply(t, b, f, b.Param("m", shape{rowsOfForms})), exposures(b))
	},
	"parameter": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		zero, one := 0.0, 1.0
		if f == "exp" {
			return apply(t, b, "gather", b.Bijector(stdlib.New().For(&zero, nil), b.Param("m", shape{3}), 0, 0), levelsOf(b, 3))
		}
		return apply(t, b, "gather", b.Bijector(stdlib.New().For(&zero, &one), b.Param("m", shape{3}), 0, 1), levelsOf(b, 3))
	},
}

const rowsOfForms = 40

func levelsOf(b *graph.Builder, k int) graph.ID {
	v := make([]float64, rowsOfForms)
	for i := range v {
		v[i] = float64(1 + i%k)
	}
	return b.Const("level", shape{rowsOfForms}, v)
}

func exposures(b *graph.Builder) graph.ID {
	v := make([]float64, rowsOfForms)
	for i := range v {
		v[i] = 0.5 + float64(i%7)
	}
	return b.Const("exposure", shape{rowsOfForms}, v)
}

// A density of f(m) is computed by the form with the predictor m, however f(m) is written, and has the value and the gradient that the distribution itself gives.
func TestPredictedForms(t *testing.T) {
	u := stdlib.New()
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		for _, p := range d.Predicted {
			f, elementwise := u.Func(p.Func)
			if !elementwise {
				continue // see TestPredictedCategories
			}
			for what, spell := range spellings {
				switch {
				case (what == "product" || what == "quotient") && f.TakesFactor == "",
					what == "parameter" && p.Func != "exp" && p.Func != "inv_logit":
					continue
				}
				form := p.Form()
				dumps, numbers := [2]string{}, [2][]float64{}
				for i, plain := range []bool{false, true} {
					b := graph.New("forms")
					if plain {
						b.Plain()
					}
					naturally(t, b, d, p, spell)
					g := build(t, b)
					x := make([]float64, g.Dim())
					for k := range x {
						x[k] = 0.4 * math.Sin(float64(2*k+1))
					}
					dumps[i], numbers[i] = g.String(), evaluated(g, x)
				}
				for k, want := range numbers[1] {
					if got := numbers[0][k]; !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
						t.Errorf("%s of %s, %s: number %d is %v, want %v", name, p.Func, what, k, got, want)
					}
				}
				if computed := func(k int) int { return strings.Count(dumps[k], " = "+p.Func+"(") }; uses(dumps[0], name) || what != "parameter" && computed(0) >= computed(1) {
					t.Errorf("%s of %s, %s: it is not computed as %s:\n%s", name, p.Func, what, form.Name, dumps[0])
				}
			}
		}
	}
}

// uses reports whether a graph computes the density of a distribution by its own name.
func uses(dump, name string) bool { return strings.Contains(dump, "."+name+"(") }

// naturally adds a likelihood of a distribution with f(m) in place of a parameter.
func naturally(t *testing.T, b *graph.Builder, d *def.Dist, p def.Predicted, spell func(t *testing.T, b *graph.Builder, f string) graph.ID) {
	r := rand.New(rand.NewPCG(91, 92))
	theta, values := make([]graph.ID, len(d.Params)), make([]float64, len(d.Params))
	for k := range theta {
		switch values[k] = domainDraw(r, d.Params[k]); {
		case k == p.Param:
			theta[k] = spell(t, b, p.Func)
		case d.Params[k].Integral:
			theta[k] = b.Scalar(values[k])
		default:
			theta[k] = apply(t, b, "exp", b.Param(d.Params[k].Name, shape{}))
		}
	}
	y := make([]float64, rowsOfForms)
	for i := range y {
		y[i] = d.Sample(r, values)
	}
	if err := b.Density("y", d, b.Const("y", shape{rowsOfForms}, y), theta, graph.NoID, 0.5); err != nil {
		t.Fatal(err)
	}
}

// Categories with the softmax of a row of predictors, also chosen by levels, are those of the predictors.
func TestPredictedCategories(t *testing.T) {
	for _, levels := range []bool{false, true} {
		var got [2][]float64
		for i, name := range []string{"categorical", "categorical_logit"} {
			b := graph.New("categories")
			rows := rowsOfForms
			if levels {
				rows = 4
			}
			m := b.Param("m", shape{rows, 3})
			theta := m
			if i == 0 {
				theta = apply(t, b, "softmax", m)
			}
			if levels {
				theta = apply(t, b, "gather", theta, levelsOf(b, 4))
			}
			density(t, b, "y", name, levelsOf(b, 3), theta)
			g := build(t, b)
			x := make([]float64, g.Dim())
			for k := range x {
				x[k] = 30 * math.Sin(float64(2*k+1))
			}
			got[i] = evaluated(g, x)
			if uses(g.String(), "categorical") {
				t.Errorf("levels %v: the softmax is computed", levels)
			}
		}
		sameEvaluation(t, "categories", got[0], got[1])
	}
}

// log(exp(m)) is m, also where exp overflows.
func TestUndone(t *testing.T) {
	b := graph.New("undone")
	m := b.Param("m", shape{2})
	if id := apply(t, b, "log", apply(t, b, "exp", m)); id != m {
		t.Error("log(exp(m)) is computed")
	}
	if id := apply(t, b, "logit", apply(t, b, "inv_logit", m)); id != m {
		t.Error("logit(inv_logit(m)) is computed")
	}
	if id := apply(t, b, "exp", apply(t, b, "log", m)); id == m {
		t.Error("exp(log(m)) has no value below 0, and m has")
	}
}
