package fit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

const funnel = "data y : real[N]\ndata g : level(3)[N]\nparam m ~ normal(1, 2)\nparam t ~ " +
	"half_normal(3)\nparam u : real[3] ~ normal(m, t)\ny ~ normal(u[g], 1)\ngenerate d = u[1] - m\n"

func priorOnly(t *testing.T, text string, o fit.Options) (*fit.Prepared, error) {
	t.Helper()
	m, diags := compile.Compile(source.New("m.vfl", text), check.Options{Transform: stdlib.NoTransform,
		PriorOnly: true})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	p, diags, err := fit.Open(m,
		sourcesOf(t, m,
			map[string][]data.Values{"server": {numbers("y", 1, 2, 4, 1), numbers("g", 1, 2, 3, 3)}}), o)
	if diags.HasErrors() {
		err = data.Errors(diags)
	}
	return p, err
}

// Draws of a run without likelihoods are independent draws of the hierarchy: their moments are those of the
// prior within five standard errors, and what is generated follows from them.
func TestPriorIsDrawnDirectly(t *testing.T) {
	p, err := priorOnly(t, funnel, fit.Options{Settings: map[string]string{"chains": "4", "draws": "5000"},
		Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 20000.0
	for name, want := range map[string]struct{ mean, square, fourth float64 }{ // moments around 0
		"m":    {1, 5, 1 + 6*4 + 3*16},
		"t":    {3 * math.Sqrt(2/math.Pi), 9, 3 * 81},
		"d":    {0, 9, 3 * 3 * 81},
		"u[2]": {1, 1 + 4 + 9, 1 + 6*13 + 3*(16+2*4*9+243)},
	} {
		mean, square := 0.0, 0.0
		for c := range 4 {
			for i := range 5000 {
				v := at(r, name, c, i)
				mean, square = mean+v/n, square+v*v/n
				if d := at(r, "u[1]", c, i) - at(r, "m", c, i); math.Abs(d-at(r, "d", c, i)) > 1e-12 {
					t.Fatal("what is generated does not follow from the draw")
				}
			}
		}
		if math.Abs(mean-want.mean) > 5*math.Sqrt(want.square/n) ||
			math.Abs(square-want.square) > 5*math.Sqrt(want.fourth/n) {
			t.Errorf("%s: mean %v and mean square %v, want %v and %v", name, mean, square, want.mean,
				want.square)
		}
	}
	if len(r.Diagnose()) > 0 {
		t.Errorf("findings: %v", r.Diagnose())
	}
}

// What cannot be drawn is refused with its code, and a backend that approximates is.
func TestPriorsThatCannotBeDrawn(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(funnel, "m ~ normal(1, 2)", "m ~ flat()", 1): "improper prior flat",
	} {
		if _, err := priorOnly(t, text, fit.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	sfvi, _ := fit.Backend("sfvi")
	if _, err := priorOnly(t, funnel, fit.Options{Algorithm: sfvi}); err == nil ||
		!strings.Contains(err.Error(), "draws from the prior itself") {
		t.Errorf("sfvi: %v", err)
	}
}

// Replicates of a prior predictive check have the moments of the responses under the prior: of y[1] ~
// normal(u, 1), u ~ normal(m, t).
func TestPriorPredictive(t *testing.T) {
	m, sources := tabled(t, funnel, "none",
		map[string][]data.Values{"server": {numbers("y", 1, 2, 4, 1), numbers("g", 1, 2, 3, 3)}})
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	p, diags, err := fit.ReplicatePrior(t.Context(), b, 20000, 5)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	mean, square := 0.0, 0.0
	for _, v := range p.Responses[0].Replicates[0][0] {
		mean, square = mean+v/20000, square+v*v/20000
	}
	if math.Abs(mean-1) > 5*math.Sqrt(15.0/20000) ||
		math.Abs(square-15) > 5*math.Sqrt((1+6*14+3*(25+2*5*9+243))/20000.0) {
		t.Errorf("mean %v and mean square %v, want 1 and 15", mean, square)
	}
	checks, _, err := p.Checks(nil, nil)
	if err != nil || len(checks) == 0 {
		t.Errorf("no checks: %v", err)
	}
}

// A response that explains itself is drawn in the order of its steps, from the prior on: the variance of an
// autoregression grows from step to step.
func TestPriorPredictiveOfASeries(t *testing.T) {
	m, sources := tabled(t, "data y : real[T]\ny[1] ~ normal(0, 1)\ny[2:T] ~ normal(2 * y[1:T - 1], 1)\n",
		"none", map[string][]data.Values{"server": {numbers("y", 1, 20, 4)}})
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	p, diags, err := fit.ReplicatePrior(t.Context(), b, 200, 5)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	square := 0.0
	last := p.Responses[1].Replicates[1][0]
	for _, v := range last {
		square += v * v / 200
	}
	if want := 21.0; math.Abs(square-want) > 5*want*math.Sqrt(2.0/200) {
		t.Errorf("the mean square of y[3] is %v, want %v", square, want)
	}
}
