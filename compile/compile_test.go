package compile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"weak"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

func TestMain(m *testing.M) { brief.Run(m) }

// Every pass verifies its result for every model of the repository: the examples, the pages of diagnostics
// and the archives of the compiler's tests, under each transform. Models with errors are verified up to the
// pass that finds them.
func TestEveryPassIsVerified(t *testing.T) {
	whole := 0
	for name, text := range models(t) {
		t.Run(name, func(t *testing.T) {
			for _, kind := range stdlib.Transforms() {
				m, diags := compiletest.Try(t, source.New("model.vfl", text), check.Options{Transform: kind})
				if m.Checked == nil {
					break // it does not parse
				}
				if !diags.HasErrors() && !m.Pooled() {
					whole++
				}
			}
		})
	}
	if whole < 40 {
		t.Errorf("only %d models were split", whole)
	}
}

func models(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, page := range diag.Pages {
		out[string(page.Code)+" wrong"], out[string(page.Code)+" right"] = page.Wrong, page.Right
	}
	for _, pattern := range []string{"*/testdata/*.txtar", "*/testdata/*/*.txtar",
		"../lang/parser/testdata/*.txtar", "../cmd/vflc/testdata/*.txtar"} {
		for _, path := range files(t, pattern) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				out[path+" "+f.Name] = string(f.Data)
			}
		}
	}
	for _, pattern := range []string{"../examples/*.vfl", "../examples/*/*.vfl", "../bench/*/*.vfl"} {
		for _, path := range files(t, pattern) {
			out[path] = read(t, path)
		}
	}
	return out
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The graphs of the examples, with their data, are verified under each transform.
func TestExamplesAreVerifiedWithTheirData(t *testing.T) {
	for _, path := range files(t, "../examples/*.vfl") {
		for _, kind := range stdlib.Transforms() {
			m, diags := compile.Compile(source.New(path, read(t, path)), check.Options{Transform: kind})
			if diags.HasErrors() {
				continue
			}
			sources, err := data.Locate(path, m.Parties(), nil)
			if err != nil {
				t.Fatal(err)
			}
			b, diags, err := compile.Bind(m, sources, data.Joining{})
			if err != nil || diags.HasErrors() {
				t.Fatalf("%s: %v %v", path, diags, err)
			}
			if err := b.Verify(); err != nil {
				t.Errorf("%s, %s: %v", path, kind, err)
			}
		}
	}
}

// Every stage prints its result under its name and has a doc of one sentence. A stage that Compile did not
// reach is not printed.
func TestStagesPrint(t *testing.T) {
	m := compiletest.Compile(t, pair.Text, check.Options{})
	wrong, _ := compile.Compile(source.New("wrong.vfl", "fn f(x) = y\nparam m ~ normal(k, 1)\n"),
		check.Options{})
	want := map[string]string{"inline": "let eta = m + XA * u", "latent": "let eta", "check": "XA", "cut": "XA * u",
		"transform": "receives z_1 from a", "split": "send z_1 to server"}
	for _, s := range compile.Stages() {
		var out strings.Builder
		if err := m.Dump(&out, s.Name); err != nil || !strings.Contains(out.String(), want[s.Name]) ||
			want[s.Name] == "" {
			t.Errorf("%s prints %q (%v)", s.Name, out.String(), err)
		}
		if strings.Count(s.Doc, ".") != 1 || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s: %q is not a sentence", s.Name, s.Doc)
		}
		if err := wrong.Dump(&out, s.Name); err == nil {
			t.Errorf("%s of a wrong model is printed", s.Name)
		}
		delete(want, s.Name)
	}
	if err := m.Dump(&strings.Builder{}, "parse"); err == nil || len(want) > 0 {
		t.Errorf("parse is printed (%v), and not %v", err, want)
	}
}

// A pooled model is run by one party: it prints as written.
func TestAPooledModelIsNotSplit(t *testing.T) {
	m := compiletest.Compile(t, pair.Text, check.Options{Transform: stdlib.NoTransform})
	var out strings.Builder
	if err := m.Dump(&out, "split"); err != nil || out.String() != "-- model.vfl --\n"+pair.Text ||
		m.Manifest != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	if got := m.Files(); len(got) != 1 || string(got["model.vfl"]) != pair.Text {
		t.Errorf("files %v", got)
	}
}

// Values in memory give the plan that tables give: the same coordinates and the same densities.
func TestValuesInMemory(t *testing.T) {
	tables := pair.Bind(t, check.Options{})
	b, diags, err := compile.BindValues(tables.Model, tables.Values, nil)
	if err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	if err := b.Verify(); err != nil {
		t.Error(err)
	}
	for i, p := range b.Plan.Parties {
		if got, want := p.Graph.String(), tables.Plan.Parties[i].Graph.String(); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", p.Party, got, want)
		}
	}
}

// A large matrix is in memory once after Release: as the graph reads it, no longer as it was bound.
func TestReleaseFreesWhatTheGraphHasCopied(t *testing.T) {
	m, diags := compile.Compile(source.New("m.vfl",
		"data y : real[N]\ndata X : real[N, P]\nparam b : real[P] ~ normal(0, 1)\ny ~ normal(X * b, 1)\n"),
		check.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	const rows, columns = 5000, 3
	x := make([]float64, rows*columns)
	for i := range x {
		x[i] = float64(i%17) - 8
	}
	matrix := weak.Make(&x[0])
	b, diags, err := compile.BindValues(m, map[string]data.Bindings{"server": {
		"y": {Recipe: data.Recipe{Name: "y", Rank: 1}, Dims: []int{rows}, Values: make([]float64, rows),
			ByRow: true},
		"X": {Recipe: data.Recipe{Name: "X", Rank: 2}, Dims: []int{rows, columns}, Values: x, ByRow: true},
	}}, nil)
	if err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	x = nil
	if runtime.GC(); matrix.Value() == nil {
		t.Fatal("the values were not held before their release, so that this test shows nothing")
	}
	b.Release()
	if runtime.GC(); matrix.Value() != nil {
		t.Error("something still holds the matrix as it was bound")
	}
	if err := b.Plan.Verify(); err != nil {
		t.Error(err)
	}
	defer func() {
		if s, _ := recover().(string); !strings.HasPrefix(s, "compile: ") {
			t.Errorf("a simulation without values: panic %q", s)
		}
	}()
	b.Generative()
}
