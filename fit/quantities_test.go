package fit_test

import (
	"context"
	"math"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// quantitiesModel has two parameters with known priors, and one quantity of both.
const quantitiesModel = "data y : real[N]\nparam b ~ normal(0, 2)\nparam u : real[2] ~ normal(b, 1)\ny ~ " +
	"normal(b, 1)\ngenerate q = u - b\ngenerate p = b > 2\n"

func quantities(t *testing.T) *model.SimulatedModel {
	t.Helper()
	m, diags := compile.Compile(source.New("m.vfl", quantitiesModel),
		check.Options{Transform: stdlib.NoTransform})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	tables := data.Sources{{PartyRef: data.PartyRef{Name: "server"},
		Tables: []data.Reader{data.Columns("y", data.Values{Name: "y", Numbers: []float64{1, 2}})}}}
	b, diags, err := compile.Bind(m, tables, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	q, diags := b.Quantities(m, "q", "p")
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	return q
}

func described() []posterior.Variable {
	return []posterior.Variable{{Name: "q", Owner: "server"}, {Name: "p", Owner: "server"}}
}

// Quantities are computed draw by draw, whatever the order of the columns, and keep the chains.
func TestQuantitiesAtDraws(t *testing.T) {
	d := posterior.NewDraws([]posterior.Variable{{Name: "u", Dims: []int{2}}, {Name: "b"}}, 2, 3)
	for c := range 2 {
		for i := range 3 {
			x := float64(10*c + i)
			d.Append(c, []float64{x, 2 * x, 3})
		}
	}
	got, err := fit.Quantities(t.Context(), quantities(t), described(), d)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 2 {
		for i := range 3 {
			x := float64(10*c + i)
			if a, b, p := got.Column(0)[c][i], got.Column(1)[c][i], got.Column(2)[c][i]; a != x-3 ||
				b != 2*x-3 || p != 1 {
				t.Errorf("chain %d, draw %d: %v, %v, %v", c, i, a, b, p)
			}
		}
	}
	if name := got.Columns()[1].Name; name != "q[2]" {
		t.Errorf("the second column is %s", name)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fit.Quantities(stopped, quantities(t), described(), d); err == nil {
		t.Error("no error after the end of the context")
	}
	if _, err := fit.Quantities(t.Context(), quantities(t), described(),
		posterior.NewDraws([]posterior.Variable{{Name: "b"}}, 1, 1)); err == nil {
		t.Error("no error for draws without u")
	}
}

// u - b is standard normal, and b exceeds 2, one standard deviation, with probability 0.1587. The tolerance
// is five standard errors of n independent draws.
func TestQuantitiesAtPriorDraws(t *testing.T) {
	const n = 4000
	d, err := fit.PriorQuantities(t.Context(), quantities(t), described(), n, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := posterior.Summarise(d)
	for k, want := range []struct{ mean, sd float64 }{{0, 1}, {0, 1},
		{0.158655, math.Sqrt(0.158655 * 0.841345)}} {
		if se := want.sd / math.Sqrt(n); math.Abs(float64(rows[k].Mean)-want.mean) > 5*se ||
			math.Abs(float64(rows[k].SD)/want.sd-1) > 0.06 {
			t.Errorf("%s: mean %v, sd %v; want %v, %v", rows[k].Name, rows[k].Mean, rows[k].SD, want.mean,
				want.sd)
		}
	}
}
