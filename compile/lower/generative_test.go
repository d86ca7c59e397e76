package lower_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

func generative(t *testing.T, f fixture, options check.Options) *model.SimulatedModel {
	t.Helper()
	m, diags := f.Bind(t, options).Generative()
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	return m
}

// unit gives every parameter of a model a value within any support used here, by name.
func unit(m *model.SimulatedModel, at map[string]float64) []float64 {
	x := make([]float64, m.Graph.Dim())
	for k, p := range m.Graph.Params() {
		for i := range p.Len {
			v := 0.3 + 0.1*float64(i%5)
			if given, ok := at[m.Params[k].Name]; ok {
				v = given
			}
			x[p.Offset+i] = v
		}
	}
	return x
}

func pointwise(t *testing.T, m *model.SimulatedModel, x []float64) []float64 {
	t.Helper()
	var out []float64
	s := m.NewSimulator()
	for k, y := range m.Responses {
		dst := make([]float64, len(y.Values))
		if err := s.LogDensity(k, x, dst); err != nil {
			t.Fatal(err)
		}
		out = append(out, dst...)
	}
	return out
}

func sumOf(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// The pointwise densities of the true model sum to what its likelihood terms add to the target of the graph
// that is sampled.
func TestPointwiseSumsToTheTarget(t *testing.T) {
	oneByOne := family
	oneByOne.Text = strings.Replace(family.Text, "sum(X[j] * beta[j] for",
		"sum(square(X[j] * beta[j]) .* (1 + m + X[j] * beta[j]) for", 1)
	for name, f := range map[string]fixture{"logistic": logistic, "family": family, "poisson": poisson,
		"members one by one": oneByOne} {
		options := check.Options{Transform: stdlib.NoTransform}
		m, plan := generative(t, f, options), f.Bind(t, options).Plan
		env, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		spec := plan.Parties[0]
		theta := make([]float64, spec.Graph.Dim())
		for i := range theta {
			theta[i] = 0.4 * math.Sin(float64(i+1))
		}
		values := make([]float64, m.Graph.Dim())
		if err := env.Values(context.Background(), density.Draw{Theta: [][]float64{theta}},
			[][]float64{values}); err != nil {
			t.Fatal(err)
		}
		e := spec.Graph.NewExec()
		e.Forward(theta)
		e.Target()
		want := 0.0
		for k, term := range spec.Graph.Terms() {
			if strings.HasPrefix(term, "y ") || strings.HasPrefix(term, "y[") {
				want += e.TermValues()[k]
			}
		}
		if got := sumOf(pointwise(t, m, values)); math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("%s: pointwise densities sum to %v, the terms are %v", name, got, want)
		}
	}
}

var gaussian = fixture{
	Text: `client a, b
data y : real[N]
data XA : real[N, PA] @ a
data XB : real[N, PB] @ b
param m ~ normal(1, 2)
param s ~ half_normal(1)
param u : real[PA] ~ normal(0.5, 0.5) @ a
param v : real[PB] ~ normal(0, 1) @ b
y ~ normal(m + XA * u + XB * v, s)`,
	Tables: map[string]string{"server": strings.Replace(table(1, 25, "x0"), "id,x0", "id,y", 1),
		"a": table(2, 25, "x1", "x2"), "b": table(3, 25, "x3")},
}

// In the augmented model with a Gaussian likelihood the noise adds its variances to the likelihood's: log
// N(y_i; η_i, s² + ρ_a² + ρ_b²). The widths run from noise of a tenth to ten times the likelihood's.
func TestMarginalDensityOfTheAugmentedModel(t *testing.T) {
	f := gaussian
	for _, s := range []float64{0.15, 1, 14} {
		rho := map[string]float64{"a": 0.7, "b": 1.3}
		none := generative(t, f, check.Options{Transform: stdlib.NoTransform})
		augmented := generative(t, f, check.Options{Transform: stdlib.Augmented, RhoBy: rho, Rho: 1})
		x := unit(augmented, map[string]float64{"s": s})
		total := math.Sqrt(s*s + 0.7*0.7 + 1.3*1.3)
		want := pointwise(t, none, unit(none, map[string]float64{"s": total}))
		for i, got := range pointwise(t, augmented, x) {
			if math.Abs(got-want[i]) > 1e-8 {
				t.Errorf("s = %g, row %d: %v, want %v", s, i, got, want[i])
			}
		}
	}
}

// Draws forwards have the moments of the model: m ~ N(1, 2), u_k ~ N(½, ½), and y given the parameters has
// the mean of the true model and the variance s² + Σρ². 4,000 draws; bounds are five standard errors.
func TestSimulatedMoments(t *testing.T) {
	m := generative(t, gaussian, check.Options{Transform: stdlib.Augmented, Rho: 0.5})
	s, r := m.NewSimulator(), rand.New(rand.NewPCG(1, 2))
	const draws = 4000
	x, fixed := make([]float64, m.Graph.Dim()), unit(m, map[string]float64{"s": 0.8})
	means := make([]float64, len(x))
	var first, second float64
	for range draws {
		if err := s.Prior(r, x, nil); err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			means[i] += v / draws
		}
		y, err := s.Responses(r, fixed)
		if err != nil {
			t.Fatal(err)
		}
		first += y[0][3] / draws
		second += y[0][3] * y[0][3] / draws
	}
	for k, p := range m.Graph.Params() {
		c := map[string][2]float64{"m": {1, 2}, "s": {math.Sqrt(2 / math.Pi), 0.603}, "u": {0.5, 0.5},
			"v": {0, 1}}[m.Params[k].Name]
		if got := means[p.Offset]; math.Abs(got-c[0]) > 5*c[1]/math.Sqrt(draws) {
			t.Errorf("mean of %s is %g, want %g", m.Params[k].Name, got, c[0])
		}
	}
	variance := second - first*first
	if want := 0.8*0.8 + 2*0.25; math.Abs(variance-want) > 5*want*math.Sqrt(2.0/draws) {
		t.Errorf("variance of a response is %g, want %g", variance, want)
	}
	none := generative(t, gaussian, check.Options{Transform: stdlib.NoTransform})
	e := none.Graph.NewExec()
	e.Forward(fixed)
	if want := e.Report(none.Responses[0].Args[0])[3]; math.Abs(first-want) > 5*math.Sqrt(1.14/draws) {
		t.Errorf("mean of a response is %g, want %g", first, want)
	}
}

// A prior whose scale is changed by a factor is wider by that factor, and only that one.
func TestPriorWithAnotherScale(t *testing.T) {
	m := generative(t, gaussian, check.Options{})
	a, b := make([]float64, m.Graph.Dim()), make([]float64, m.Graph.Dim())
	for _, c := range []struct {
		x     []float64
		scale func(string) float64
	}{{a, nil}, {b, func(name string) float64 {
		if name == "m" {
			return 3
		}
		return 1
	}}} {
		if err := m.NewSimulator().Prior(rand.New(rand.NewPCG(3, 4)), c.x, c.scale); err != nil {
			t.Fatal(err)
		}
	}
	for i := range a {
		want := a[i]
		if i == m.Graph.Params()[0].Offset {
			want = 1 + 3*(a[i]-1)
		}
		if math.Abs(b[i]-want) > 1e-12 {
			t.Errorf("element %d is %g, want %g", i, b[i], want)
		}
	}
}

func TestWhatHasNoSimulationOrPointwiseDensity(t *testing.T) {
	f := gaussian
	with := func(old, new string) fixture {
		out := f
		out.Text = strings.Replace(f.Text, old, new, 1)
		return out
	}
	for name, c := range map[string]struct {
		f    fixture
		want string
	}{
		"rows combined": {with("normal(m + XA * u + XB * v, s)",
			"normal(cumulative_sum(m + XA * u + XB * v), s)"), "rows are combined"},
		"two responses": {fixture{Text: f.Text + "\ny ~ normal(XA * u + XB * v, 2)", Tables: f.Tables},
			"another response"},
		"two cuts apart": {with("XA * u + XB * v", "(XA * u) .* (XB * v)"), "by more than a sum"},
	} {
		m := generative(t, c.f, check.Options{Transform: stdlib.Augmented, Rho: 1})
		err := m.NewSimulator().LogDensity(0, unit(m, nil), make([]float64, 25))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
		none := generative(t, c.f, check.Options{Transform: stdlib.NoTransform})
		if err := none.NewSimulator().LogDensity(0, unit(none, nil), make([]float64, 25)); err != nil {
			t.Errorf("%s, true model: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		f    fixture
		want string
	}{
		"flat": {with("m ~ normal(1, 2)", "m ~ flat()"), "m has the improper prior flat"},
		"cut by a share": {with("u : real[PA] ~ normal(0.5, 0.5)",
			"q ~ half_normal(1) @ a\nparam u : real<lower=0>[PA] ~ normal(0, q)"), "not normalised"},
		"outside the prior": {with("m ~ normal(1, 2)", "m : real<lower=90> ~ normal(1, 2)"),
			"outside its support"},
	} {
		m := generative(t, c.f, check.Options{})
		err := m.NewSimulator().Prior(rand.New(rand.NewPCG(1, 1)), make([]float64, m.Graph.Dim()), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
	}
}
