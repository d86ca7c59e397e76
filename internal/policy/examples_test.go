package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
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

// The model of the README is the example that it tells the reader to run, without its comments.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), "```vfl\n")
	shown, _, ok := strings.Cut(after, "```")
	example, err := os.ReadFile("../../examples/logistic.vfl")
	if err != nil || !ok {
		t.Fatal("no model in the README, or no example", err)
	}
	if got, want := statements(shown), statements(string(example)); !slices.Equal(got, want) {
		t.Errorf("the README shows\n%s\nbut examples/logistic.vfl has\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// statements are the lines of a model that hold more than a comment.
func statements(text string) (out []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
