package compile_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

// withModule separates a model from the module of its client a, which follows it in a text.
func withModule(f *source.File) (*source.File, func(string) (*source.File, error)) {
	model, module, found := strings.Cut(f.Text, "\nmodule ")
	return source.New("model.vfl", model+"\n"), func(client string) (*source.File, error) {
		if !found || client != "a" {
			return nil, nil
		}
		return source.New("model/a.vfl", "module "+module), nil
	}
}

// linked compiles a model with its module, for a run.
func linked(f *source.File) diag.List {
	model, module := withModule(f)
	m, diags := compile.Compile(model, check.Options{Module: module})
	if !diags.HasErrors() {
		diags = append(diags, m.Incomplete()...)
	}
	return diags
}

func TestPagesOfModules(t *testing.T) { diagtest.Pages(t, "V065", linked) }

func TestGoldensOfModules(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/private/*.txtar", linked)
	for _, code := range []diag.Code{diag.BadContribution, diag.NoModule, diag.BadPrivate, diag.PrivateScope,
		diag.PrivateShows} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}
