package policy

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// People copy the examples.
func TestExamplesAreFormatted(t *testing.T) {
	found := 0
	walk(t, func(name string) {
		if path.Dir(name) != "examples" || path.Ext(name) != ".vfl" {
			return
		}
		found++
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		file, diags := parser.Parse(source.New(name, string(text)))
		for _, d := range diags {
			t.Errorf("%s: %s", name, d.Message)
		}
		if diff := cmp.Diff(string(text), format.Format(file)); diff != "" {
			t.Errorf("%s is not formatted (vflc fmt %s):\n%s", name, name, diff)
		}
	})
	if found == 0 {
		t.Error("there are no examples")
	}
}

// Every model in the documentation parses.
func TestModelsInDocumentationParse(t *testing.T) {
	walk(t, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(text), "```vfl\n")
		for i, block := range blocks[1:] {
			model, _, _ := strings.Cut(block, "```")
			_, diags := parser.Parse(source.New(name, model))
			for _, d := range diags {
				t.Errorf("%s, model %d: %s", name, i+1, d.Message)
			}
		}
	})
}
