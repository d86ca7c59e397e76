package fit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// tabled is a model with tables in memory: by party, "" for a model without clients, its columns.
func tabled(t *testing.T, text, transform string, tables map[string][]data.Values) (*compile.Model,
	data.Sources) {
	t.Helper()
	o := check.Options{}
	o.Transform, _ = stdlib.New().Transform(transform)
	m, diags := compile.Compile(source.New("m.vfl", text), o)
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	return m, sourcesOf(t, m, tables)
}

func sourcesOf(t *testing.T, m *compile.Model, tables map[string][]data.Values) data.Sources {
	t.Helper()
	out, err := data.Named(m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if columns := tables[out[i].Name]; columns != nil {
			out[i].Tables = []data.Reader{data.Columns("table of "+out[i].Name, columns...)}
		}
	}
	return out
}

// fitted fits a model shortly.
func fitted(t *testing.T, m *compile.Model, sources data.Sources) (*fit.Prepared, *fit.Result) {
	t.Helper()
	p, diags, err := fit.Open(m, sources,
		fit.Options{Settings: map[string]string{"chains": "2", "warmup": "60", "draws": "40"}, Seed: 2})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

func numbers(name string, v ...float64) data.Values { return data.Values{Name: name, Numbers: v} }

// keys are n of them, from a number on.
func keys(n, from int) data.Values {
	out := data.Values{Name: "id"}
	for i := range n {
		out.Words = append(out.Words, fmt.Sprintf("r%03d", from+i))
	}
	return out
}

// at returns a draw's element of a parameter, as posterior.Columns numbers them.
func at(r *fit.Result, name string, chain, draw int) float64 {
	for k, c := range r.Draws.Columns() {
		if c.Name == name {
			return r.Draws.Column(k)[chain][draw]
		}
	}
	panic("no " + name)
}

// The expectation at every draw is the formula of the distribution at the parameters of that draw, its
// document has the mean, sd and quantiles of these, and parties have what one process has.
func TestExpectationsAreFormulasAtDraws(t *testing.T) {
	sum := func(f func(name string) float64, xa, xb float64) float64 { return f("b") + xa*f("u") + xb*f("v") }
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	cut := func(below func(x float64) float64) func(f func(string) float64, xa, xb float64) []float64 {
		return func(f func(string) float64, xa, xb float64) []float64 {
			eta := xa*f("u") + xb*f("v")
			one, two := below(f("c[1]")-eta), below(f("c[2]")-eta)
			return []float64{one, two - one, 1 - two}
		}
	}
	one := func(g func(f func(string) float64, eta float64) float64) func(func(string) float64, float64,
		float64) []float64 {
		return func(f func(string) float64, xa, xb float64) []float64 {
			return []float64{g(f, sum(f, xa, xb))}
		}
	}
	for _, c := range []struct {
		name, elem, more, likelihood string
		want                         func(f func(string) float64, xa, xb float64) []float64
	}{
		{"bernoulli", "binary", "", "bernoulli_logit(b + xa * u + xb * v)",
			one(func(_ func(string) float64, eta float64) float64 {
				return logistic(eta)
			})},
		{"poisson", "count", "", "poisson_log(b + xa * u + xb * v)",
			one(func(_ func(string) float64, eta float64) float64 {
				return math.Exp(eta)
			})},
		{"hurdle", "count", "param p ~ beta(2, 2)\n", "hurdle_poisson_log(p, b + xa * u + xb * v)",
			one(func(f func(string) float64, eta float64) float64 {
				return (1 - f("p")) * math.Exp(eta) / (1 - math.Exp(-math.Exp(eta)))
			})},
		{"zeros of a negative binomial", "count", "param p ~ beta(2, 2)\nparam k ~ gamma(4, 1)\n",
			"zero_inflated_neg_binomial_2_log(p, b + xa * u + xb * v, k)",
			one(func(f func(string) float64, eta float64) float64 {
				return (1 - f("p")) * math.Exp(eta)
			})},
		{"hurdle of a negative binomial", "count", "param p ~ beta(2, 2)\nparam k ~ gamma(4, 1)\n",
			"hurdle_neg_binomial_2_log(p, b + xa * u + xb * v, k)",
			one(func(f func(string) float64, eta float64) float64 {
				return (1 - f("p")) * math.Exp(eta) / (1 - math.Pow(1+math.Exp(eta)/f("k"), -f("k")))
			})},
		{"mixture", "count", "param p ~ beta(2, 2)\n",
			"mixture(p, poisson_log(b + xa * u + xb * v), poisson(3))",
			one(func(f func(string) float64, eta float64) float64 {
				return f("p")*math.Exp(eta) + (1-f("p"))*3
			})},
		{"ordered logistic", "level(3)", "param c : ordered[2] ~ normal(0, 2)\n",
			"ordered_logistic(xa * u + xb * v, c)", cut(logistic)},
		{"ordered probit", "level(3)", "param c : ordered[2] ~ normal(0, 2)\n",
			"ordered_probit(xa * u + xb * v, c)", cut(phi)},
		{"categorical", "level(3)", "param w : real[3] ~ normal(0, 1)\n",
			"categorical_logit(outer(xa * u + xb * v, w))",
			func(f func(string) float64, xa, xb float64) []float64 {
				var out []float64
				total := 0.0
				for k := range 3 {
					e := math.Exp((xa*f("u") + xb*f("v")) * f(fmt.Sprintf("w[%d]", k+1)))
					out, total = append(out, e), total+e
				}
				for k := range out {
					out[k] /= total
				}
				return out
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := "param b ~ normal(0, 1)\n"
			if !strings.Contains(c.likelihood, "b +") {
				b = ""
			}
			text := "client clinic, lab\ndata y : " + c.elem +
				"[N] @ shared\ndata xa : real[N] @ clinic\ndata xb : real[N] @ lab\nparam u ~ normal(0, 1) " +
				"@ clinic\nparam v ~ normal(0, 1) @ lab\n" + b + c.more + "y ~ " + c.likelihood + "\n"
			n := 18
			xa, xb, y := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range n {
				xa[i], xb[i] = math.Sin(float64(3*i)), math.Cos(float64(2*i))
				if y[i] = float64(i % 2); strings.HasPrefix(c.elem, "level") {
					y[i] = float64(i%3 + 1)
				}
			}
			m, sources := tabled(t, text, "exact", map[string][]data.Values{
				data.OwnerShared: {keys(n, 0), numbers("y", y...)},
				"clinic":         {keys(n, 0), numbers("xa", xa...)},
				"lab":            {keys(n, 0), numbers("xb", xb...)},
			})
			p, r := fitted(t, m, sources)
			newA, newB := []float64{0, 1.5, -2}, []float64{0, 0.5, 0.25}
			q := fit.PredictionRequest{Seed: 4,
				Sources: sourcesOf(t, m,
					map[string][]data.Values{"clinic": {keys(3, 100), numbers("xa", newA...)},
						"lab": {keys(3, 100), numbers("xb", newB...)}})}
			whole, diags, err := fit.PredictBound(t.Context(), p.BoundModel, r.Draws, q)
			if err != nil || diags.HasErrors() {
				t.Fatal(err, data.Errors(diags))
			}
			q.PerParty = true
			apart, _, err := fit.PredictBound(t.Context(), p.BoundModel, r.Draws, q)
			if err != nil {
				t.Fatal(err)
			}
			got := whole.Responses[0]
			if len(got.Expected) == 0 {
				t.Fatal("no expectation")
			}
			for e := range got.Expected {
				if !slices.Equal(got.Expected[e], apart.Responses[0].Expected[e]) {
					t.Fatal("parties have other expectations than one process")
				}
			}
			for d := range whole.Draws {
				chain, draw := d/40, d%40
				for row := range 3 {
					want := c.want(func(name string) float64 {
						return at(r, name, chain, draw)
					}, newA[row], newB[row])
					for k, w := range want {
						if v := got.Expected[row+3*k][d]; !(math.Abs(v-w) < 1e-12*(1+math.Abs(w))) {
							t.Fatalf("draw %d, row %d, part %d: %v, want %v", d, row, k, v, w)
						}
					}
				}
			}
			doc := whole.Document([]float64{0.5})
			if y := doc.Responses[0]; y.Of != "expectation" ||
				(y.Categories == nil) != (y.Probabilities == nil) {
				t.Errorf("the document is %+v", y)
			}
			whole.Replicates = true
			if y := whole.Document([]float64{0.5}).Responses[0]; y.Of != "replicates" {
				t.Errorf("with replicates it is %+v", y)
			}
		})
	}
}

// A continuous response is replicated. Generated quantities of rows are computed for new rows, with what they
// read, and those that a response enters are left out.
func TestGeneratedQuantitiesOfNewRows(t *testing.T) {
	const text = "data y : real[N]\ndata x : real[N]\ndata w : real[N]\nparam b ~ normal(0, 1)\ny ~ " +
		"normal(b * x, 1)\ngenerate twice = 2 * b\ngenerate p = inv_logit(twice * x + w)\ngenerate r = y - " +
		"x * b\ngenerate s = r * 2\ngenerate one = b\n"
	m, sources := tabled(t, text, "none",
		map[string][]data.Values{"server": {numbers("y", 1, 2, 3), numbers("x", 1, 2, 2),
			numbers("w", 0, 0, 1)}})
	p, r := fitted(t, m, sources)
	x, w := []float64{0.5, -1}, []float64{3, 0.25}
	got, diags, err := fit.PredictBound(t.Context(), p.BoundModel, r.Draws,
		fit.PredictionRequest{Sources: sourcesOf(t, m,
			map[string][]data.Values{"server": {numbers("x", x...), numbers("w", w...)}})})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	var names []string
	for _, y := range got.Document(nil).Responses {
		names = append(names, y.Name+" "+y.Of)
	}
	slices.Sort(names)
	if want := []string{"p generated", "y replicates"}; !slices.Equal(names, want) {
		t.Fatalf("predicted %v, want %v", names, want)
	}
	for _, y := range got.Responses {
		for d := range got.Draws {
			for row := range x {
				if want := logistic(2*at(r, "b", d/40, d%40)*x[row] + w[row]); y.Name == "p" &&
					!(math.Abs(y.Draws[row][d]-want) < 1e-14) {
					t.Fatalf("p[%d] at draw %d is %v, want %v", row+1, d, y.Draws[row][d], want)
				}
			}
		}
	}
}

// Rows that are 0 in all columns of a party are predicted, alone and with others, and a cross-validation with
// one of them in a fold is made: its contribution is 0.
func TestRowsOfZeros(t *testing.T) {
	const text = "client clinic, lab\ndata y : binary[N] @ shared\ndata xa : real[N] @ clinic\ndata xb : " +
		"real[N] @ lab\nparam u ~ normal(0, 1) @ clinic\nparam v ~ normal(0, 1) @ lab\nparam b ~ normal(0, " +
		"1)\ny ~ bernoulli_logit(b + xa * u + xb * v)\n"
	m, sources := tabled(t, text, "exact", map[string][]data.Values{
		data.OwnerShared: {keys(6, 0), numbers("y", 0, 1, 0, 1, 1, 0)},
		"clinic":         {keys(6, 0), numbers("xa", 0, 1, 0, 1, 0, 1)},
		"lab":            {keys(6, 0), numbers("xb", 1, 2, 3, 4, 5, 6)},
	})
	p, r := fitted(t, m, sources)
	for _, xa := range [][]float64{{0}, {0, 0}, {0, 1}} {
		xb := make([]float64, len(xa))
		for i := range xb {
			xb[i] = float64(i)
		}
		got, diags, err := fit.PredictBound(context.Background(), p.BoundModel, r.Draws,
			fit.PredictionRequest{Sources: sourcesOf(t, m,
				map[string][]data.Values{"clinic": {keys(len(xa), 50), numbers("xa", xa...)},
					"lab": {keys(len(xa), 50), numbers("xb", xb...)}})})
		if err != nil || diags.HasErrors() {
			t.Errorf("%v: %v %v", xa, err, data.Errors(diags))
			continue
		}
		if want := logistic(at(r, "b", 1, 3)); math.Abs(got.Responses[0].Expected[0][43]-want) > 1e-14 {
			t.Errorf("%v: %v, want %v", xa, got.Responses[0].Expected[0][43], want)
		}
	}
}
