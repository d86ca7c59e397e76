package points_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/points"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

// run refuses as a backend that draws every parameter where no client has a weight, else as one that
// maximises at the server.
func run(f *source.File) diag.List {
	m, diags := compile.Compile(f, check.Options{})
	if diags.HasErrors() {
		return diags
	}
	b := points.Backend{Name: "nuts", Others: []string{"sfvi"}}
	if !m.Pooled() {
		b.Name = "soul"
		return append(diags, points.OfServer(m.Checked, b)...)
	}
	return append(diags, points.None(m.Checked, b)...)
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V064", run) }

func TestGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/*.txtar", run)
	for _, code := range []diag.Code{diag.WeightDrawn, diag.WeightOfClient} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}

// Weights of the server and shared ones are maximised over like its other parameters.
func TestOfServer(t *testing.T) {
	const model = "client a\ndata y : real[N]\ndata X : real[N, P] @ a\nparam b : real[P] ~ normal(0, 1) @ " +
		"a\nweight c @ OWNER\ny ~ normal(X * b + c, 1)\n"
	for owner, refused := range map[string]bool{"server": false, "shared": false, "a": true} {
		f := source.New("", strings.Replace(model, "OWNER", owner, 1))
		m, diags := compile.Compile(f, check.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := points.OfServer(m.Checked, points.Backend{Name: "soul"}).HasErrors(); got != refused {
			t.Errorf("a weight @ %s is refused: %v", owner, got)
		}
		if !points.None(m.Checked, points.Backend{Name: "nuts"}).HasErrors() {
			t.Errorf("a weight @ %s is not refused", owner)
		}
	}
}
