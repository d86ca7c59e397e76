package check_test

import (
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/diagtest"
)

func run(f *source.File) diag.List {
	tree, diags := parser.Parse(f)
	if diags.HasErrors() {
		return diags
	}
	_, problems := check.Check(tree, stdlib.New(), check.Options{})
	return append(diags, problems...)
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V02", run) }

// TestGoldens also holds that the goldens show every code of this phase.
func TestGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/*.txtar", run)
	for _, page := range diag.Pages {
		if page.Code > "V02" && page.Code < "V03" && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}
