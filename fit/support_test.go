package fit

import (
	"os"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// backend finds a listed algorithm.
func backend(t testing.TB, name string) backends.Algorithm {
	t.Helper()
	a, ok := Backend(name)
	if !ok {
		t.Fatalf("there is no backend %s", name)
	}
	return a
}

// compiled compiles the model in a file and finds its tables.
func compiled(t testing.TB, path string, o check.Options, tables ...string) (*compile.Model, data.Sources) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, diags := compile.Compile(source.New(path, string(text)), o)
	good(t, diags, nil)
	sources, err := data.Locate(path, m.Parties(), tables)
	good(t, nil, err)
	return m, sources
}

// good requires that there is neither an error nor a diagnostic that is one.
func good(t testing.TB, diags diag.List, err error) {
	t.Helper()
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
}

func bound(t testing.TB, path string, o check.Options, tables ...string) *compile.BoundModel {
	t.Helper()
	m, sources := compiled(t, path, o, tables...)
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	good(t, diags, err)
	return b
}

// bindPath binds a model under another transform.
func bindPath(t testing.TB, path string, transform def.Transform, rho float64) *compile.BoundModel {
	t.Helper()
	return bound(t, path, check.Options{Transform: transform, Rho: rho})
}

func bindModel(t testing.TB, path string, transform def.Transform) *compile.BoundModel {
	t.Helper()
	return bindPath(t, path, transform, 1)
}

// noNoise are auxiliary variables that equal their cuts.
type noNoise struct{}

func (noNoise) Value(_ int, g, z []float64) { copy(z, g) }

func (noNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	vector.Add(len(w), w, adj, own)
}
