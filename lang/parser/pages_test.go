package parser_test

import (
	"maps"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

func parse(f *source.File) diag.List {
	_, list := parser.Parse(f)
	return list
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V01", parse) }

// TestGoldens also checks that the goldens contain every code of this phase.
func TestGoldens(t *testing.T) {
	covered := maps.Clone(diagtest.Goldens(t, "testdata/*.txtar", parse))
	for _, page := range diag.Pages {
		if page.Code < "V02" && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}
