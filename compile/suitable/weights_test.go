package suitable_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

// runWeights refuses as a backend that draws every parameter where no client has a weight, else as one that
// maximises at the server.
func runWeights(f *source.File) diag.List {
	m, diags := compile.Compile(f, check.Options{})
	if diags.HasErrors() {
		return diags
	}
	b := suitable.RefusingBackend{Name: "nuts", Others: []string{"sfvi"}}
	if !m.Pooled() {
		b.Name = "soul"
		return append(diags, suitable.WithoutClientWeights(m.Checked, b)...)
	}
	return append(diags, suitable.WithoutWeights(m.Checked, b)...)
}

func TestWeightPages(t *testing.T) { diagtest.Pages(t, "V064", runWeights) }

func TestWeightGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/V064*.txtar", runWeights)
	for _, code := range []diag.Code{diag.WeightDrawn, diag.WeightOfClient} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}

// Weights of the server and shared ones are maximised over like its other parameters.
func TestWithoutClientWeights(t *testing.T) {
	const model = "client a\ndata y : real[N]\ndata X : real[N, P] @ a\nparam b : real[P] ~ normal(0, 1) @ " +
		"a\nweight c @ OWNER\ny ~ normal(X * b + c, 1)\n"
	for owner, refused := range map[string]bool{"server": false, "shared": false, "a": true} {
		f := source.New("", strings.Replace(model, "OWNER", owner, 1))
		m, diags := compile.Compile(f, check.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		found := suitable.WithoutClientWeights(m.Checked, suitable.RefusingBackend{Name: "soul"})
		if found.HasErrors() != refused {
			t.Errorf("a weight @ %s is refused: %v", owner, found)
		}
		if !suitable.WithoutWeights(m.Checked, suitable.RefusingBackend{Name: "nuts"}).HasErrors() {
			t.Errorf("a weight @ %s is not refused", owner)
		}
	}
}
