package inline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

func TestFormulaPages(t *testing.T) { diagtest.Pages(t, "V086", run) }

func TestFormulaGoldens(t *testing.T) { diagtest.Goldens(t, "testdata/formula/wrong/*.txtar", run) }

// What a formula expands to is in the archives. The expansion has nothing to expand, compiles without a
// message, and gives every party the program that the formula gives it.
func TestExpansions(t *testing.T) {
	diagtest.Archives(t, "testdata/formula/*.txtar", func(t *testing.T, f *source.File) string {
		m, diags := compile.Compile(f, check.Options{})
		if diags.HasErrors() {
			t.Fatal(diags.Shown()[0].Message)
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		text := m.Expanded.Text()
		again, diags := compile.Compile(source.New(f.Name, text), check.Options{})
		if diags.HasErrors() {
			t.Fatal(diags.Shown()[0].Message)
		}
		if twice := again.Expanded.Text(); twice != text {
			t.Errorf("the expansion expands: %s", cmp.Diff(text, twice))
		}
		if d := cmp.Diff(runs(t, again), runs(t, m)); d != "" {
			t.Errorf("the formula gives other programs (-expanded +formula): %s", d)
		}
		return text
	})
}

// runs is what parties run, without the digest of the text; pooled, the model before it is checked.
func runs(t *testing.T, m *compile.Model) string {
	var b strings.Builder
	if err := m.Dump(&b, "inline"); err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Programs {
		_, body, _ := strings.Cut(p.Text, "\n")
		b.WriteString(body)
	}
	return b.String()
}
