package parser_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// TestSoundLinesAreNotForeign adds an error to each model of the examples and of the studies, and to models
// with words of other languages as names: no other line is taken for another language.
func TestSoundLinesAreNotForeign(t *testing.T) {
	models := 0
	for _, root := range []string{"../../examples", "../../bench", "../../stdlib"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".vfl" {
				return err
			}
			text, err := os.ReadFile(path)
			models += notForeign(t, path, string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rules, err := os.ReadFile("foreign.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b[a-z_]+\b`).FindAllString(string(rules), -1)
	for _, name := range names {
		for _, text := range []string{
			"param %[1]s : real[N] ~ normal(0, 1)\nlet b = a + 2 * %[1]s\ny ~ normal(%[1]s[g], 1)",
			"data %[1]s : real[N] @ a\nlet b = %[1]s - mean(%[1]s)",
			"let %[1]s = a .* b @ c",
			"fn %[1]s(x) = x + 1\nlet b = %[1]s(2) / a",
		} {
			models += notForeign(t, name, fmt.Sprintf(text, name))
		}
	}
	if models < 1000 {
		t.Errorf("%d models", models)
	}
}

// notForeign returns 1 if a text parses, 0 if not.
func notForeign(t *testing.T, path, text string) int {
	t.Helper()
	if _, list := parser.Parse(source.New(path, text)); list.HasErrors() {
		return 0
	}
	_, list := parser.Parse(source.New(path, strings.TrimRight(text, "\n")+"\nlet broken = 1 2\n"))
	for _, d := range list {
		if d.Code == diag.ForeignHabit {
			t.Errorf("%s: %q is taken for another language: %s", path, text[d.Span.Start:d.Span.End], d.Message)
		}
	}
	return 1
}
