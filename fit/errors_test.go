package fit

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// normalMean writes a model of a mean with its table, and opens it.
func normalMean(t *testing.T, sd string, o Options) (*Prepared, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.vfl")
	write(t, path, "data y : real[N]\nparam b ~ normal(0, 10)\ny ~ normal(b, "+sd+")\n")
	write(t, filepath.Join(filepath.Dir(path), "m", "data.csv"), "y\n1\n2\n3\n2.2\n")
	m, sources := compiled(t, path, check.Options{})
	p, diags, err := Open(m, sources, o)
	good(t, diags, nil)
	return p, err
}

// An option that does not fit is a UsageError, which names it.
func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Settings: map[string]string{"draws": "many"}}, `"many" is not a whole number`},
		{Options{Settings: map[string]string{"shape": "2"}}, `no setting "shape"`},
		{Options{Algorithm: backend(t, "soul")}, "it runs on augmented, power"},
		{Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"minibatch": "4"}},
			"minibatch: 4 is not less than the number of rows, N = 4"},
		{Options{Algorithm: backend(t, "sfvi"), From: "run"}, "--from is for Markov chains"},
		{Options{Auxiliary: true}, "no auxiliary variables"},
	} {
		_, err := normalMean(t, "1", c.o)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// An error that only the kernel finds is a UsageError too.
	p, err := normalMean(t, "1", Options{Settings: map[string]string{"metric": "low-rank",
		"init": "sfvi"}})
	if err != nil {
		t.Fatal(err)
	}
	var usage *UsageError
	if _, err = p.Sample(t.Context(), nil); !errors.As(err, &usage) {
		t.Errorf("%v is not a UsageError", err)
	}
}

// A density that is nowhere finite is an InitError with a diagnostic at the statement, for every kind of
// backend.
func TestInitErrorNamesTheTerm(t *testing.T) {
	for _, name := range []string{"nuts", "sfvi"} {
		p, err := normalMean(t, "1e-300", Options{Algorithm: backend(t, name)})
		if err != nil {
			t.Fatal(err)
		}
		var start *InitError
		var told data.Errors
		if _, err = p.Sample(t.Context(), nil); !errors.As(err, &start) || !errors.As(err, &told) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		at := p.Source.Text[told[0].Span.Start:told[0].Span.End]
		if told[0].Code != diag.NoStart ||
			!strings.Contains(told[0].Message, "server: the log density of y") ||
			!strings.HasPrefix(at, "y ~ ") || len(told[0].Notes) < 2 {
			t.Errorf("%s: %v at %q", name, err, at)
		}
	}
}

// A cancelled context ends a run without a result, and without an error of the model.
func TestCancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, a := range Backends() {
		p, diags, err := OpenBound(twoPlaces(t, a.Transforms[0]), Options{Algorithm: a})
		good(t, diags, err)
		if _, err := p.Sample(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

// Diagnostics of a model that does not suit the algorithm come from Open, before any table is read.
func TestOpenFindsWhatDoesNotSuit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.vfl")
	write(t, path,
		"client a\ndata y : real[N] @ shared\ndata x : real[N] @ a\nparam b ~ normal(0, 1) @ a\nparam s ~ "+
			"half_normal(1)\ny ~ normal(x * b, s)\n")
	m, _ := compiled(t, path, check.Options{Transform: stdlib.Augmented, Rho: 1})
	_, diags, err := Open(m, data.Sources{}, Options{Algorithm: backend(t, "soul")})
	if err != nil || !diags.HasErrors() || !strings.Contains(diags[0].Message, "no maximum") {
		t.Errorf("%v, %v", diags, err)
	}
}

// A run without a folder has responses too, with one log density for each draw of each observation.
func TestPointwiseInMemory(t *testing.T) {
	p, err := normalMean(t, "1",
		Options{LogLik: true, Settings: map[string]string{"chains": "2", "warmup": "100", "draws": "30"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const halfLogTwoPi = 0.9189385332046727
	for i, y := range []float64{1, 2, 3, 2.2} {
		for c, chain := range r.Draws.Column(0) {
			for d, b := range chain {
				want := -(y-b)*(y-b)/2 - halfLogTwoPi
				if got := r.Responses[0].LogLik[i][c][d]; got-want > 1e-12 || want-got > 1e-12 {
					t.Fatalf("observation %d at b = %v: %v, want %v", i+1, b, got, want)
				}
			}
		}
	}
}

// A model whose data are in memory is fitted as one whose data are in tables, and its record names no files.
func TestDataInMemory(t *testing.T) {
	tables, err := normalMean(t, "1",
		Options{Settings: map[string]string{"chains": "2", "warmup": "100", "draws": "30"}})
	if err != nil {
		t.Fatal(err)
	}
	b, diags, err := compile.BindValues(tables.Model, tables.Values, nil)
	good(t, diags, err)
	p, diags, err := OpenBound(b, Options{Settings: tables.Given()})
	good(t, diags, err)
	want, err := tables.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sameDraws(t, "data in memory", want.Draws, got.Draws)
	if len(want.Record.Data) != 1 || len(got.Record.Data) != 0 {
		t.Errorf("files %v and %v", want.Record.Data, got.Record.Data)
	}
}
