package fit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/metropolis"
)

// written is a result as it is read from its folder.
func written(t *testing.T, r *Result) *posterior.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "elsewhere")
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	read, err := posterior.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func checksOf(found []posterior.Finding) (out []string) {
	for _, f := range found {
		out = append(out, f.Check)
	}
	return out
}

// An interrupted run is a finding, of the run and of its folder.
func TestInterruptIsAFinding(t *testing.T) {
	for _, a := range append(Backends(), metropolis.Algorithm()) {
		j := &journey{a, twoPlaces(t, a.Transforms[0])}
		given := short(a)
		if s, ok := a.In(backends.Iterations); ok {
			given[s.Name] = "60"
		}
		p, diags, err := OpenBound(j.bound, Options{Algorithm: a, Settings: given, Seed: 3})
		good(t, diags, err)
		at := int64(330)
		switch a.Gives {
		case backends.Approximation:
			at = 30
		case backends.Conditional:
			at = 60 + 255 + 20
		}
		ctx, interrupt := context.WithCancel(t.Context())
		p.Algorithm = interrupting(a, at, interrupt)
		r, err := p.Sample(t.Context(), ctx.Done())
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		for what, found := range map[string][]posterior.Finding{"run": r.Diagnose(),
			"folder": Diagnose(written(t, r))} {
			if !slices.Contains(checksOf(found), "interrupted") {
				t.Errorf("%s: an interrupted %s has the findings %v", a.Name, what, checksOf(found))
			}
		}
	}
}

// What a run warns of is what its folder is diagnosed with: a bad approximation is a finding of both, and so
// are a maximum that was not reached and the evaluations that were left out.
func TestRunAndFolderHaveTheSameFindings(t *testing.T) {
	draws := posterior.NewDraws([]posterior.Variable{{Name: "x", Owner: "server"}}, 1, 40)
	for i := range 40 {
		draws.Append(0, []float64{float64(i % 7)})
	}
	f := &fitted{draws: draws, info: backends.StepInfo{NonFinite: 3}, ratios: heavy(200)}
	algorithm, _ := Backend("sfvi")
	p := &Prepared{Algorithm: algorithm}
	p.BoundModel = twoPlaces(t, algorithm.Transforms[0])
	p.Record.Backend, p.Record.Roles = "sfvi", algorithm.Roles()
	r := p.result(f)
	checks := checksOf(r.Diagnose())
	for _, want := range []string{"khat", "converged", "nonfinite"} {
		if !slices.Contains(checks, want) {
			t.Errorf("no %s among the findings %v", want, checks)
		}
	}
	if len(r.Document.Diagnostics.Messages) != len(checks) {
		t.Errorf("%d messages for the findings %v", len(r.Document.Diagnostics.Messages), checks)
	}
	if got := checksOf(Diagnose(written(t, r))); !slices.Equal(got, checks) {
		t.Errorf("the findings of the run are %v, of its folder %v", checks, got)
	}
}

// heavy are log ratios whose Pareto shape is 2.
func heavy(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = -2 * math.Log((float64(i)+0.5)/float64(n))
	}
	return out
}

// Texts about a sampler without trajectories do not name divergences or energies, and remedies name its own
// settings.
func TestTextsFitTheAlgorithm(t *testing.T) {
	j := &journey{metropolis.Algorithm(), twoPlaces(t, metropolis.Algorithm().Transforms[0])}
	r := written(t, j.sample(t, Options{}, nil))
	var text bytes.Buffer
	if err := WriteFindings(&text, r, Diagnose(r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "--keep") || strings.Contains(text.String(), "--draws") ||
		strings.Contains(text.String(), "--warmup") {
		t.Errorf("its settings are called keep and burn:\n%s", text.String())
	}
	text.Reset()
	if err := WriteFindings(&text, r, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "divergences") || strings.Contains(text.String(), "E-BFMI") ||
		!strings.Contains(text.String(), "R-hat") {
		t.Errorf("a sampler without trajectories: %s", text.String())
	}
}

// A normal of 51 dimensions with correlations of 0.99 and sds of 1 is not fitted when a step size that falls
// to 0 has brought the fit to rest, nor where sds still grow. A fit that has reached its optimum under either
// schedule has converged.
func TestScheduleIsNoConvergence(t *testing.T) {
	algorithm, _ := Backend("sfvi")
	run := func(text string, given map[string]string) *Result {
		path := filepath.Join(t.TempDir(), "m.vfl")
		write(t, path, text)
		write(t, filepath.Join(filepath.Dir(path), "m", "data.csv"), "y\n1\n0.2\n")
		given["draws"], given["correct"] = "2000", "false"
		p, diags, err := OpenBound(bindPath(t, path, stdlib.NoTransform, 1),
			Options{Algorithm: algorithm, Settings: given, Seed: 1})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	hard := "data y : real[N]\nparam m ~ normal(0, 1)\nparam x : real[50] ~ normal(m, 0.1)\ny ~ " +
		"normal(x[1] - x[1], 1)\n"
	easy := "data y : real[N]\nparam m ~ normal(0, 1)\ny ~ student_t(4, m, 1)\n"
	for name, c := range map[string]struct {
		text      string
		given     map[string]string
		converged bool
	}{
		"hard, cosine":   {hard, map[string]string{"schedule": "cosine"}, false},
		"hard, constant": {hard, map[string]string{}, false},
		"easy, cosine":   {easy, map[string]string{"schedule": "cosine", "lr": "0.01"}, true},
		"easy, constant": {easy, map[string]string{"lr": "0.01"}, true},
	} {
		r := run(c.text, c.given)
		if got := *r.Document.Diagnostics.Converged; got != c.converged ||
			slices.Contains(checksOf(r.Diagnose()), "converged") == got {
			t.Errorf("%s: converged %t, findings %v", name, got, r.Document.Diagnostics.Messages)
		}
		if !c.converged && r.Summary()[0].SD > 0.7 {
			t.Errorf("%s: the sd of m is %v, so that it has nearly converged", name, r.Summary()[0].SD)
		}
	}
}

// Weights that correct draws well on average may leave few of them where a quantile of one parameter is: that
// is a finding, of the run and of its folder, whose value is the number of draws without weights that would
// tell the share of the mass below the quantile as exactly. With more draws it is none.
func TestFewDrawsOfAQuantileAreAFinding(t *testing.T) {
	algorithm := backend(t, "sfvi")
	bound := twoPlaces(t, algorithm.Transforms[0])
	env, err := session.NewLocal(bound.Plan, session.SimulatedKeys(3, bound.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	p := &Prepared{Algorithm: algorithm, BoundModel: bound}
	p.Record.Backend, p.Record.Roles = "sfvi", algorithm.Roles()
	for _, c := range []struct {
		draws int
		fires bool
	}{{60, true}, {200, false}} {
		// z and x are normal quantiles, z in another order; x of the posterior has a variance of 1/(1 − 0.3),
		// and z is as drawn.
		f := &fitted{weighable: true,
			weighted: posterior.NewDraws([]posterior.Variable{{Name: "z", Owner: "server"},
				{Name: "x", Owner: "server"}}, 1, c.draws)}
		f.info.Done, f.info.Fit.Converged = true, true
		quantile := func(i int) float64 {
			return math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(c.draws)-1)
		}
		for i := range c.draws {
			x := quantile(i)
			f.ratios = append(f.ratios, 0.15*x*x)
			f.weighted.Append(0, []float64{quantile(37 * i % c.draws), x})
		}
		f.resample(env)
		if f.corrected == nil {
			t.Fatalf("%d draws, k̂ %g: not corrected", c.draws, f.khat())
		}
		r := p.result(f)
		// p(1 − p) divided by the variance of a weighted share, at the worse quantile of x
		want := math.Inf(1)
		row := f.summary()[1]
		for _, q := range []posterior.Number{row.Q5, row.Q95} {
			share, square := 0.0, 0.0
			below := func(i int) float64 {
				if f.weighted.Column(1)[0][i] <= float64(q) {
					return 1
				}
				return 0
			}
			for i, w := range f.corrected {
				share += w * below(i)
			}
			for i, w := range f.corrected {
				square += w * w * (below(i) - share) * (below(i) - share)
			}
			want = min(want, share*(1-share)/square)
		}
		if (want < fewEffective) != c.fires {
			t.Fatalf("%d draws: %g of them tell a quantile of x", c.draws, want)
		}
		for what, found := range map[string][]posterior.Finding{"run": r.Diagnose(),
			"folder": Diagnose(written(t, r))} {
			at := slices.IndexFunc(found, func(f posterior.Finding) bool { return f.Check == "quantiles" })
			if (at >= 0) != c.fires {
				t.Errorf("%d draws: the %s has the findings %v", c.draws, what, found)
			}
			if at < 0 || !c.fires {
				continue
			}
			text := fmt.Sprintf("x: its 5 %% or 95 %% quantile is as uncertain as that of %.0f draws: few "+
				"draws of the approximation lie where the posterior's tail is", want)
			if f := found[at]; f.Parameter != "x" || math.Abs(float64(f.Value)-want) > 0.03*want ||
				f.Try == "" || !strings.HasPrefix(f.Text, text) {
				t.Errorf("the finding is %+v, want %s (%g)", f, text, want)
			}
		}
	}
}

// Where a model has one party, a ridge that is bent is no ridge between parties.
func TestOnePartyHasNoRidgeBetween(t *testing.T) {
	bound := bindFiles(t, "param a : real[2] ~ normal(0, 1)\nfactor normal_lpdf(a[1] * a[2] | 1, 0.002)\n",
		stdlib.NoTransform, 1, nil)
	p, diags, err := OpenBound(bound, Options{Seed: 1})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	good(t, nil, err)
	checks := checksOf(r.Diagnose())
	if !slices.Contains(checks, "divergences") || slices.Contains(checks, "between") {
		t.Errorf("findings: %v", checks)
	}
}
