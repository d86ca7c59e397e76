package fit_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
)

// overfitted is a network without priors for responses that are noise: the longer it is fitted, the worse it
// predicts.
func overfitted(n int) map[string][]data.Values {
	xa, xb, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		xa[i], xb[i] = math.Sin(float64(7*i)), math.Cos(float64(5*i*i))
		y[i] = float64((i*i + i/3) % 7 % 2)
	}
	return map[string][]data.Values{data.OwnerShared: {keys(n, 0), numbers("y", y...)},
		"a": {keys(n, 0), numbers("xa", xa...)}, "b": {keys(n, 0), numbers("xb", xb...)}}
}

const network = "import nn\nclient a, b\ndata y : binary[N] @ shared\ndata XA : real[N, 1] @ a from " +
	"xa\ndata XB : real[N, 1] @ b from xb\nlet ha = nn.features(XA, [6])\nlet hb = nn.features(XB, [6])\n" +
	"weight wa : real[6] init lecun_normal @ a\nweight wb : real[6] init lecun_normal @ b\nweight k\ny ~ " +
	"bernoulli_logit(k + ha * wa + hb * wb)\n"

// A fit of weights returns to where the rows that were held out were predicted best, long before its last
// iteration, and says that it has converged; without rows held out it goes on to the end. A second fit is the
// same.
func TestHeldOutRowsStopAFit(t *testing.T) {
	sfvi, _ := fit.Backend("sfvi")
	m, sources := tabled(t, network, "exact", overfitted(60))
	var first float64
	for k, held := range []string{"0.2", "0.2", "0"} {
		p, diags, err := fit.Open(m, sources,
			fit.Options{Algorithm: sfvi, Seed: 4, Settings: map[string]string{"lr": "0.02",
				"iterations": "3000", "held-out": held, "elbo-draws": "20", "draws": "2"}})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		value := at(r, "k", 0, 0)
		switch d := r.Document; {
		case held == "0":
			if d.Diagnostics.Validated || d.Work.Iterations < 2000 {
				t.Errorf("without rows held out: %d iterations, %+v", d.Work.Iterations, d.Diagnostics)
			}
		case !d.Diagnostics.Validated || !*d.Diagnostics.Converged || d.Work.Iterations >= 2000:
			t.Errorf("with rows held out: %d iterations, %+v", d.Work.Iterations, d.Diagnostics)
		case k == 1 && value != first:
			t.Errorf("a second fit gives %v, not %v", value, first)
		}
		if first == 0 {
			first = value
		}
		if text := strings.Join(r.Document.Diagnostics.Messages, "\n"); held != "0" &&
			strings.Contains(text, "--iterations") {
			t.Errorf("advice to take more iterations: %s", text)
		}
	}
}

// Rows are held out of models with weights alone, and of enough rows.
func TestHeldOutRowsAreForWeights(t *testing.T) {
	sfvi, _ := fit.Backend("sfvi")
	const without = "client a, b\ndata y : binary[N] @ shared\ndata xa : real[N] @ a\ndata xb : real[N] @ " +
		"b\nparam u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ b\ny ~ bernoulli_logit(xa * u + xb * v)\n"
	for text, n := range map[string]int{network: 20, without: 60} {
		m, sources := tabled(t, text, "exact", overfitted(n))
		p, diags, err := fit.Open(m, sources,
			fit.Options{Algorithm: sfvi, Settings: map[string]string{"estimator": "sampled",
				"iterations": "100", "elbo-draws": "20", "draws": "2"}})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		r, err := p.Sample(t.Context(), nil)
		if err != nil || r.Document.Diagnostics.Validated {
			t.Errorf("rows were held out: %v", err)
		}
	}
}

// A follower keeps how each fit of a run ended, and stops the run after a number of steps.
type follower struct {
	fit.Quiet
	ends []backends.VariationalFit
	last backends.VariationalFit
	stop func()
	at   int
	done int
}

func (f *follower) Step(_ int, i backends.StepInfo) {
	if i.Fit.Final.N > 0 {
		f.ends = append(f.ends, i.Fit)
	}
	f.last = i.Fit
	if f.done++; f.done == f.at {
		f.stop()
	}
}

// Of several fits the one is kept that predicts the rows held out best, which is not the one with the
// greatest ELBO.
func TestRestartsCompareRowsHeldOut(t *testing.T) {
	sfvi, _ := fit.Backend("sfvi")
	m, sources := tabled(t, network, "exact", overfitted(60))
	differ := false
	for seed := range uint64(4) {
		told := &follower{}
		p, diags, err := fit.Open(m, sources, fit.Options{Algorithm: sfvi, Seed: seed + 1, Progress: told,
			Settings: map[string]string{
				"lr": "0.02", "iterations": "1000", "elbo-draws": "20", "draws": "2", "restarts": "4"}})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		if _, err := p.Sample(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		best, greatest := told.ends[0], told.ends[0]
		for _, e := range told.ends {
			if e.HeldOut > best.HeldOut {
				best = e
			}
			if e.Final.Value > greatest.Final.Value {
				greatest = e
			}
		}
		differ = differ || best.Final != greatest.Final
		if len(told.ends) < 4 || told.last.HeldOut != best.HeldOut || told.last.Final != best.Final {
			t.Errorf("seed %d: kept %+v of %d, the best is %+v", seed+1, told.last, len(told.ends), best)
		}
	}
	if !differ {
		t.Error("the greatest ELBO is always that of the best predictions: nothing is tested")
	}
}

// A fit with rows held out that is interrupted, before or behind its best iteration or in its evaluation, and
// resumed ends as one that was not.
func TestHeldOutFitResumes(t *testing.T) {
	sfvi, _ := fit.Backend("sfvi")
	m, sources := tabled(t, network, "exact", overfitted(60))
	run := func(dir string, resume bool, at int) *fit.Result {
		stop := make(chan struct{})
		p, diags, err := fit.Open(m, sources, fit.Options{Algorithm: sfvi, Seed: 4, Dir: dir, Resume: resume,
			Progress: &follower{stop: func() {
				close(stop)
			}, at: at},
			Settings: map[string]string{"lr": "0.02", "iterations": "3000", "elbo-draws": "20",
				"draws": "2"}})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		r, err := p.Sample(t.Context(), stop)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := run(filepath.Join(t.TempDir(), "run"), false, 0)
	for _, at := range []int{20, 75, int(want.Document.Work.Iterations) - 30} {
		dir := filepath.Join(t.TempDir(), "run")
		run(dir, false, at)
		got := run(dir, true, 0)
		if got.Document.Work.Iterations != want.Document.Work.Iterations ||
			!got.Document.Diagnostics.Validated {
			t.Errorf("interrupted at %d: %d iterations, %d without", at, got.Document.Work.Iterations,
				want.Document.Work.Iterations)
		}
		for k, c := range want.Draws.Columns() {
			if !slices.Equal(got.Draws.Column(k)[0], want.Draws.Column(k)[0]) {
				t.Errorf("interrupted at %d: %s is %v, not %v", at, c.Name, got.Draws.Column(k)[0],
					want.Draws.Column(k)[0])
			}
		}
	}
}
