// Package diagtest holds the tests that every phase with diagnostics shares: explain pages with examples that
// hold, and golden files of rendered diagnostics.
package diagtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

var update = flag.Bool("update", false, "rewrite golden files")

// A Phase runs the phases of the compiler up to the one under test.
type Phase func(*source.File) diag.List

// Pages checks the explain pages of the codes with a prefix: the wrong example gets the code, the right
// example does not, and both get no other error.
func Pages(t *testing.T, prefix string, run Phase) {
	t.Helper()
	n := 0
	for _, page := range diag.Pages {
		if strings.HasPrefix(string(page.Code), prefix) {
			n++
			t.Run(string(page.Code), func(t *testing.T) { checkPage(t, page, run) })
		}
	}
	if n == 0 {
		t.Errorf("no page has a code that begins with %s", prefix)
	}
}

func checkPage(t *testing.T, page diag.Page, run Phase) {
	if page.Title == "" || page.Text == "" {
		t.Errorf("the page has no title or no text")
	}
	wrong, right := run(source.New("wrong.vfl", page.Wrong)), run(source.New("right.vfl", page.Right))
	if len(wrong.Shown()) == 0 {
		t.Errorf("the wrong example gets no diagnostic")
	}
	for _, d := range wrong.Shown() {
		if d.Code != page.Code {
			t.Errorf("the wrong example gets %s: %s", d.Code, d.Message)
		}
	}
	for _, d := range right {
		if d.Severity == diag.Error || d.Code == page.Code {
			t.Errorf("the right example gets %s: %s", d.Code, d.Message)
		}
	}
}

// Goldens checks archives whose result is the diagnostics of their input, rendered as text. It returns the
// codes that the archives cover.
func Goldens(t *testing.T, pattern string, run Phase) map[diag.Code]bool {
	t.Helper()
	covered := map[diag.Code]bool{}
	Archives(t, pattern, func(t *testing.T, f *source.File) string {
		list := run(f).Shown()
		for _, d := range list {
			covered[d.Code] = true
		}
		var b strings.Builder
		if err := diag.Text(&b, list, false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
	return covered
}

// Archives checks every archive that matches a pattern: the result for its file input.vfl is its file want.
// The flag -update rewrites want.
func Archives(t *testing.T, pattern string, result func(*testing.T, *source.File) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives match %s (%v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			checkArchive(t, path, result)
		})
	}
}

func checkArchive(t *testing.T, path string, result func(*testing.T, *source.File) string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) == 0 || archive.Files[0].Name != "input.vfl" {
		t.Fatalf("%s does not begin with input.vfl", path)
	}
	got := result(t, source.New("input.vfl", string(archive.Files[0].Data)))
	if *update {
		archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(archive.Files) != 2 {
		t.Fatalf("%s has no file want: run the test with -update and read what it writes", path)
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
		t.Errorf("the result differs (-want +got); if it is right, run with -update:\n%s", diff)
	}
}

// Want compares diagnostics, rendered as text, with the file want of an archive. Shorten, if not nil, takes
// away what differs between runs of a test.
func Want(t *testing.T, path string, list diag.List, shorten func(string) string) {
	t.Helper()
	var b strings.Builder
	if err := diag.Text(&b, list, false); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if shorten != nil {
		got = shorten(got)
	}
	if *update {
		if err := os.WriteFile(path,
			txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "want", Data: []byte(got)}}}),
			0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	archive, err := txtar.ParseFile(path)
	if err != nil || len(archive.Files) != 1 {
		t.Fatalf("%s has no file want: run the test with -update and read what it writes (%v)", path, err)
	}
	if diff := cmp.Diff(string(archive.Files[0].Data), got); diff != "" {
		t.Errorf("the result differs (-want +got); if it is right, run with -update:\n%s", diff)
	}
}
