package compile_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/compiletest"
)

// Every pass verifies its result for every model at hand: the examples, the pages of diagnostics and the archives of the compiler's tests,
// under each transform. Models with errors are verified up to the pass that finds them.
func TestEveryPassIsVerified(t *testing.T) {
	whole := 0
	for name, text := range models(t) {
		for _, kind := range transforms.All() {
			t.Run(name+" "+kind.Name, func(t *testing.T) {
				if m, diags := compiletest.Try(t, source.New("model.vfl", text), check.Options{Transform: kind}); !diags.HasErrors() && !m.Pooled() {
					whole++
				}
			})
		}
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
	for _, pattern := range []string{"*/testdata/*.txtar", "*/testdata/*/*.txtar", "../lang/parser/testdata/*.txtar", "../cmd/vflc/testdata/*.txtar"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				out[path+" "+f.Name] = string(f.Data)
			}
		}
	}
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

func examples(t *testing.T) []string {
	paths, err := filepath.Glob("../examples/*.vfl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	return paths
}

// The graphs of the examples, with their data, are verified under each transform.
func TestExamplesAreVerifiedWithTheirData(t *testing.T) {
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range transforms.All() {
			m, diags := compile.Compile(source.New(path, string(text)), check.Options{Transform: kind})
			if diags.HasErrors() {
				continue
			}
			sources, err := data.Locate(path, m.Parties(), nil)
			if err != nil {
				t.Fatal(err)
			}
			b, diags, err := compile.Bind(m, sources, "")
			if err != nil || diags.HasErrors() {
				t.Fatalf("%s: %v %v", path, diags, err)
			}
			if err := b.Verify(); err != nil {
				t.Errorf("%s, %s: %v", path, kind, err)
			}
		}
	}
}
