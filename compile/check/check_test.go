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
	_, problems := check.Check(&check.Linked{File: tree}, stdlib.New(), check.Options{})
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

// pedantic is what vflc check --info shows.
func pedantic(f *source.File) diag.List {
	tree, diags := parser.Parse(f)
	if diags.HasErrors() {
		return diags
	}
	p, problems := check.Check(&check.Linked{File: tree}, stdlib.New(), check.Options{})
	if diags = append(diags, problems...); diags.HasErrors() {
		return diags
	}
	return append(diags, p.Pedantic()...)
}

func TestPagesOfInfos(t *testing.T) { diagtest.Pages(t, "V09", pedantic) }

func TestGoldensOfInfos(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/info/*.txtar", pedantic)
	for _, page := range diag.Pages {
		if page.Code > "V09" && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}
