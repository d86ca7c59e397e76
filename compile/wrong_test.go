package compile_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A wrong program with the messages that it gets.
type wrong struct {
	name, text, want string
	habit            bool // it is right in another language
}

func compiled(text string) diag.List {
	_, diags := compile.Compile(source.New("input.vfl", text), check.Options{})
	return diags
}

func rendered(t *testing.T, l diag.List) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Text(&b, l.Shown(), false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const wantSuffix = ".want"

// The archives of wrong programs hold several each, with the messages behind each program.
func TestWrongPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/wrong/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives of wrong programs (%v)", err)
	}
	update := flag.Lookup("update").Value.String() == "true"
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wants, out := map[string]string{}, []txtar.File{}
		for _, f := range archive.Files {
			if name, is := strings.CutSuffix(f.Name, wantSuffix); is {
				wants[name] = string(f.Data)
			}
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, wantSuffix) {
				continue
			}
			got := rendered(t, compiled(string(f.Data)))
			out = append(out, f, txtar.File{Name: f.Name + wantSuffix, Data: []byte(got)})
			switch {
			case got == "":
				t.Errorf("%s: %s gets no message", path, f.Name)
			case !update && wants[f.Name] != got:
				t.Errorf("%s: the messages of %s differ (-want +got); if they are "+
					"right, run with -update:\n%s", path, f.Name, cmp.Diff(wants[f.Name], got))
			}
		}
		if update {
			archive.Files = out
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wrongPrograms collects the models of all archives of messages that are without data and manifests.
func wrongPrograms(t *testing.T) []wrong {
	t.Helper()
	var out []wrong
	for _, pattern := range []string{
		"../lang/parser/testdata/*.txtar", "check/testdata/*.txtar", "inline/testdata/*.txtar",
		"split/testdata/owners/*.txtar", "suitable/testdata/*.txtar",
		"testdata/sent/*.txtar",
		"testdata/private/*.txtar", "testdata/wrong/*.txtar",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no archives match %s (%v)", pattern, err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			base := filepath.Base(path)
			habit := strings.HasPrefix(base, "habit") || strings.HasPrefix(base, "elsewhere_")
			for i := 0; i+1 < len(archive.Files); i += 2 {
				out = append(out, wrong{base + " " + archive.Files[i].Name, string(archive.Files[i].Data),
					string(archive.Files[i+1].Data), habit})
			}
		}
	}
	return out
}

// The goldens show what users of this language and of others get wrong: no two are the same program.
func TestWrongProgramsAreMany(t *testing.T) {
	seen, habits := map[string]bool{}, 0
	for _, w := range wrongPrograms(t) {
		if w.want == "" || seen[w.text] {
			continue
		}
		seen[w.text] = true
		if w.habit {
			habits++
		}
	}
	t.Logf("%d wrong programs, %d of them habits of other languages", len(seen), habits)
	if len(seen) < 250 || habits < 60 {
		t.Errorf("%d wrong programs, %d of them habits of other languages: 250 and 60 are wanted", len(seen),
			habits)
	}
}

// Every fix does what it says: with its text in place the message is gone, and no new error of syntax is
// there.
func TestFixesMend(t *testing.T) {
	fixes := 0
	for _, w := range wrongPrograms(t) {
		before := compiled(w.text).Shown()
		for _, d := range before {
			for _, x := range d.Fixes {
				fixes++
				text := w.text[:x.Span.Start] + x.Text + w.text[x.Span.End:]
				after := compiled(text)
				if stays(after, d) {
					t.Errorf("%s: %s is still there after %q:\n%s", w.name, d.Code, x.Message,
						rendered(t, after))
				}
				if syntax(after) > syntax(before) {
					t.Errorf("%s: %q of %s makes an error of syntax:\n%s", w.name, x.Message, d.Code,
						rendered(t, after))
				}
			}
		}
	}
	if fixes < 60 {
		t.Errorf("only %d fixes", fixes)
	}
}

// stays reports whether a message is there still, in its place.
func stays(l diag.List, d *diag.Diagnostic) bool {
	return slices.ContainsFunc(l, func(e *diag.Diagnostic) bool {
		return e.Code == d.Code && e.Message == d.Message && e.Span.Start == d.Span.Start
	})
}

// syntax counts the errors of the parser.
func syntax(l diag.List) (n int) {
	for _, e := range l {
		if e.Code < "V02" {
			n++
		}
	}
	return n
}
