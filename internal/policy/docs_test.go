package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vflc/vflc/tests/manual"
)

// mentioned is a heading of a page that a text names outside a link.
var mentioned = regexp.MustCompile(`\bdocs/[a-z-]+\.md(#[a-z0-9-]+)?`)

// Every link of a page leads to a file and a heading, and so does every page that the code or a golden file
// names.
func TestPagesAreThere(t *testing.T) {
	pages := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == ".git" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".md":
			pages++
			leadSomewhere(t, path)
		case ".go", ".txtar", ".txt":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range mentioned.FindAllString(string(text), -1) {
				if !manual.Holds(filepath.Join(root, m)) {
					t.Errorf("%s: %s is not there", path, m)
				}
			}
		}
		return nil
	})
	if err != nil || pages < 20 {
		t.Fatal(pages, err)
	}
}

func leadSomewhere(t *testing.T, path string) {
	t.Helper()
	p, err := manual.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range p.BrokenLinks() {
		t.Errorf("%s: the link %s leads nowhere", path, l)
	}
}

// "Where is what" answers ten questions and more by paths that are there.
func TestWhereIsWhat(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Where is what\n")
	table, _, _ = strings.Cut(table, "\n## ")
	answers := regexp.MustCompile(`(?m)^\| [^|]+\? \| (.*) \|$`).FindAllStringSubmatch(table, -1)
	if len(answers) < 10 {
		t.Fatalf("%d questions", len(answers))
	}
	span := regexp.MustCompile("`([^`]+)`")
	for _, a := range answers {
		paths := span.FindAllStringSubmatch(a[1], -1)
		if len(paths) == 0 {
			t.Errorf("no path in: %s", a[1])
		}
		for _, p := range paths {
			if _, err := os.Stat(filepath.Join(root, p[1])); err != nil {
				t.Errorf("%s: %v", p[1], err)
			}
		}
	}
}

// What is computed is read in one sitting, and the first page in two minutes.
func TestPagesAreShort(t *testing.T) {
	for page, most := range map[string]int{"README.md": 400, "docs/inference.md": 5000} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Fields(string(text))); n > most {
			t.Errorf("%s has %d words, %d at most: decisions go to docs/rationale.md, figures to bench", page,
				n, most)
		}
	}
}
