package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// spellings are ways to write the value f(m) with an element for each of 40 rows: as it is, through levels,
// slices and products with data, and as a parameter whose map to its support is f.
var spellings = map[string]func(t *testing.T, b *graph.Builder, f string) graph.ID{
	"value": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, f, b.Param("m", shape{rowsOfForms}))
	},
	"levels": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "gather", apply(t, b, f, b.Param("m", shape{3})), levelsOf(b, 3))
	},
	"slice": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		id, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: 2, Hi: 2 + rowsOfForms}}},
			apply(t, b, f, b.Param("m", shape{rowsOfForms + 5})))
		if err != nil {
			t.Fatal(err)
		}
		return id
	},
	"product": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "mul", exposures(b), apply(t, b, f, b.Param("m", shape{rowsOfForms})))
	},
	"logistic 1/(1 + exp(-m))": func(t *testing.T, b *graph.Builder, _ string) graph.ID {
		e := apply(t, b, "exp", apply(t, b, "neg", b.Param("m", shape{rowsOfForms})))
		return apply(t, b, "div", b.Scalar(1), apply(t, b, "add", b.Scalar(1), e))
	},
	"logistic inv(exp(-2*m) + 1)": func(t *testing.T, b *graph.Builder, _ string) graph.ID {
		e := apply(t, b, "exp", apply(t, b, "mul", b.Scalar(-2), b.Param("m", shape{rowsOfForms})))
		return apply(t, b, "inv", apply(t, b, "add", e, b.Scalar(1)))
	},
	"logistic exp(m)/(1 + exp(m))": func(t *testing.T, b *graph.Builder, _ string) graph.ID {
		e := apply(t, b, "exp", b.Param("m", shape{rowsOfForms}))
		return apply(t, b, "div", e, apply(t, b, "add", b.Scalar(1), e))
	},
	"logistic 1 - inv_logit(-a - m)": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		a := apply(t, b, "neg", b.Param("a", shape{}))
		return apply(t, b, "sub", b.Scalar(1), apply(t, b, f, apply(t, b, "sub", a,
			b.Param("m", shape{rowsOfForms}))))
	},
	"quotient": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		return apply(t, b, "div", apply(t, b, f, b.Param("m", shape{rowsOfForms})), exposures(b))
	},
	"parameter": func(t *testing.T, b *graph.Builder, f string) graph.ID {
		zero, one := 0.0, 1.0
		if f == "exp" {
			return apply(t, b, "gather", b.Bijector(stdlib.New().For(&zero, nil), b.Param("m", shape{3}), 0,
				0), levelsOf(b, 3))
		}
		return apply(t, b, "gather", b.Bijector(stdlib.New().For(&zero, &one), b.Param("m", shape{3}), 0, 1),
			levelsOf(b, 3))
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

// A density of f(m) is computed by the form with the predictor m, however f(m) is written, and has the value
// and the gradient that the distribution itself gives.
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
					strings.HasPrefix(what, "logistic") && p.Func != "inv_logit",
					what == "parameter" && p.Func != "exp" && p.Func != "inv_logit":
					continue
				}
				var made [2]*graph.Graph
				for i := range made {
					b := graph.New("forms")
					if i == 1 {
						b.Plain()
					}
					naturally(t, b, d, p, spell)
					made[i] = build(t, b)
				}
				x := make([]float64, made[0].Dim())
				for k := range x {
					x[k] = 0.4 * math.Sin(float64(2*k+1))
				}
				got := evaluated(made[0], x)
				for k, want := range evaluated(made[1], x) {
					if !(math.Abs(got[k]-want) <= 1e-10*max(1, math.Abs(want))) {
						t.Errorf("%s of %s, %s: number %d is %v, want %v", name, p.Func, what, k, got[k],
							want)
					}
				}
				if !beyond(made, x, what == "parameter") {
					t.Errorf("%s of %s, %s: the density ends where %s(m) does", name, p.Func, what, p.Func)
				}
			}
		}
	}
}

// beyond reports whether the first graph has a density with its gradient at some point where f(m) is rounded
// to the end of its range, at which the second has none unless both may.
func beyond(made [2]*graph.Graph, x []float64, both bool) bool {
	for _, m := range []float64{-800, 800} {
		at := slices.Clone(x)
		for _, p := range made[0].Params() {
			if p.Name == "m" {
				for k := range p.Shape.Len() {
					at[p.Offset+k] = m
				}
			}
		}
		if !slices.ContainsFunc(evaluated(made[0], at), func(v float64) bool {
			return !finite(v)
		}) && (both || !finite(evaluated(made[1], at)[0])) {
			return true
		}
	}
	return false
}

// naturally adds a likelihood of a distribution with f(m) in place of a parameter.
func naturally(t *testing.T, b *graph.Builder, d *def.Dist, p def.PredictorForm,
	spell func(t *testing.T, b *graph.Builder, f string) graph.ID) {
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
	if err := b.Likelihood("y", d, b.Const("y", shape{rowsOfForms}, y), theta, graph.NoID, 0.5); err != nil {
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
				x[k] = 3000 * math.Sin(float64(2*k+1)) // most probabilities are rounded to 0
			}
			if got[i] = evaluated(g, x); !finite(got[i][0]) {
				t.Errorf("levels %v: %s has the density %v", levels, name, got[i][0])
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

// A function of a function that both together have a name for is that one: it has the value where the other
// way to compute it rounds to a limit, and overflows.
func TestFunctionsAfterOthers(t *testing.T) {
	one := func(t *testing.T, b *graph.Builder, op, f string, m graph.ID) graph.ID {
		return apply(t, b, op, b.Scalar(1), apply(t, b, f, m))
	}
	for what, c := range map[string]struct {
		write func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID
		want  string
	}{
		"log(1 + exp(m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", one(t, b, "add", "exp", m))
		}, "softplus"},
		"log(1 - exp(m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", one(t, b, "sub", "exp", m))
		}, "log1m_exp"},
		"log(1 - inv_logit(m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", one(t, b, "sub", "inv_logit", m))
		}, "log1m_inv_logit"},
		"log(inv_logit(m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", apply(t, b, "inv_logit", m))
		}, "log_inv_logit"},
		"log(Phi(m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", apply(t, b, "Phi", m))
		}, "log_Phi"},
		"log1m(Phi(-m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log1m", apply(t, b, "Phi", apply(t, b, "neg", m)))
		}, "log_Phi"},
		"log(1 - Phi(-m))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", one(t, b, "sub", "Phi", apply(t, b, "neg", m)))
		}, "log_Phi"},
		"log(1/(1 + exp(-m)))": {func(t *testing.T, b *graph.Builder, m graph.ID) graph.ID {
			return apply(t, b, "log", apply(t, b, "div", b.Scalar(1), one(t, b, "add", "exp",
				apply(t, b, "neg", m))))
		}, "log_inv_logit"},
	} {
		b := graph.New("after")
		m := b.Param("m", shape{4})
		got, want := c.write(t, b, m), apply(t, b, c.want, m)
		if got != want {
			t.Errorf("%s is not %s(m)", what, c.want)
		}
		b.Plain()
		x := []float64{-0.4, -3, -20, -1e-3}
		b.Report("plain", c.write(t, b, m))
		b.Report("joined", want)
		e := build(t, b).NewExec()
		e.Forward(x)
		plain, joined := slices.Clone(e.Report(0)), e.Report(1)
		for i := range x {
			if !(math.Abs(plain[i]-joined[i]) <= 1e-12*max(1, math.Abs(plain[i]))) {
				t.Errorf("%s at %v is %v, want %v", what, x[i], joined[i], plain[i])
			}
		}
	}
}
