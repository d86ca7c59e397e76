package diag_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

func render(t *testing.T, list diag.List, colour bool) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Text(&b, list, colour); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// example has a tab and wide characters before its span.
func example() diag.List {
	f := source.New("m.vfl", "let\tx = \"血圧\" + yy\nparam b ~ normal(0, 1)\n")
	start := strings.Index(f.Text, "yy")
	var list diag.List
	list.Errorf("V0201", f, source.Span{Start: start, End: start + 2}, "unknown name `%s`", "yy").
		Note("A sentence.").NoteAt(f, source.Span{Start: strings.Index(f.Text, "b ~"),
		End: strings.Index(f.Text, " ~")}, "declared here").
		Fix(source.Span{Start: start, End: start + 2}, "y", "did you mean `y`?")
	return list
}

func TestText(t *testing.T) {
	list := example()
	list.Warnf("V0601", nil, source.Span{}, "a flag is odd")
	list.Errorf("V0501", nil, source.Span{}, "column age: \"x\" is not a number").Data = "a.csv:3"
	want := `m.vfl:1:16: error V0201: unknown name ` + "`yy`" + `
    1 | let x = "血圧" + yy
      |                  ^^
  note: A sentence.
  note: m.vfl:2:7: declared here
    2 | param b ~ normal(0, 1)
      |       -
  fix: did you mean ` + "`y`" + `?
    1 | let x = "血圧" + y
      |                  +

vflc: warning V0601: a flag is odd

a.csv:3: column age: "x" is not a number [V0501]
`
	if diff := cmp.Diff(want, render(t, list, false)); diff != "" {
		t.Error(diff)
	}
}

// TestColourAddsNothingElse checks that the coloured text without its colours is the plain text.
func TestColourAddsNothingElse(t *testing.T) {
	list := example()
	coloured := render(t, list, true)
	plain := strings.NewReplacer("\x1b[1m", "", "\x1b[1;31m", "", "\x1b[1;33m", "", "\x1b[32m", "",
		"\x1b[34m", "", "\x1b[0m", "").Replace(coloured)
	if coloured == plain || plain != render(t, list, false) {
		t.Errorf("coloured text:\n%q", coloured)
	}
}

// TestTerminalIsSafe checks that no control character of a source reaches the terminal.
func TestTerminalIsSafe(t *testing.T) {
	f := source.New("m.vfl", "a \x1b[2J \x9b \xff \u202e b\r\n")
	var list diag.List
	list.Errorf("V0101", f, source.Span{Start: 2, End: 3}, "found \x1b").Fix(source.Span{Start: 2, End: 3},
		"\x1b[", "type \x07")
	for _, r := range render(t, list, false) {
		if r < ' ' && r != '\n' || r == 0x9b || r == '\u202e' {
			t.Errorf("%q is printed", r)
		}
	}
}

// TestLongLines checks that only the part of a long line around the span is shown, with the mark under it.
func TestLongLines(t *testing.T) {
	for _, at := range []int{0, 30, 61, 62, 63, 64, 100, 5000, 9990} {
		f := source.New("m.vfl", strings.Repeat("é", at)+"X"+strings.Repeat("ü", 10_000-at))
		var list diag.List
		list.Errorf("V0101", f, source.Span{Start: 2 * at, End: 2*at + 1}, "here")
		lines := strings.Split(render(t, list, false), "\n")
		shown, mark := []rune(lines[1]), []rune(lines[2])
		if i := slices.Index(mark, '^'); i < 0 || shown[i] != 'X' || len(shown) > 200 {
			t.Errorf("at %d:\n%s\n%s", at, lines[1], lines[2])
		}
	}
}

// TestEmptyAndOutside checks that spans at the end of a file, after it and over several lines are shown.
func TestEmptyAndOutside(t *testing.T) {
	f := source.New("m.vfl", "ab\ncd")
	for _, span := range []source.Span{{Start: 5, End: 5}, {Start: 2, End: 2}, {Start: 1, End: 4},
		{Start: 5, End: 99}, {Start: 99, End: 99}} {
		var list diag.List
		list.Errorf("V0101", f, span, "here")
		if got := render(t, list, false); strings.Count(got, "^") != 1 {
			t.Errorf("%v:\n%s", span, got)
		}
	}
}

func TestJSON(t *testing.T) {
	list := example()
	var b strings.Builder
	if err := diag.JSON(&b, list); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	place := func(line, column, endLine, endColumn float64) map[string]any {
		return map[string]any{"file": "m.vfl", "line": line, "column": column, "end_line": endLine,
			"end_column": endColumn}
	}
	want := map[string]any{"schema": 1.0, "diagnostics": []any{map[string]any{
		"code": "V0201", "severity": "error", "message": "unknown name `yy`", "place": place(1, 16, 1, 18),
		"notes": []any{map[string]any{"message": "A sentence.", "place": nil},
			map[string]any{"message": "declared here", "place": place(2, 7, 2, 8)}},
		"fixes": []any{map[string]any{"message": "did you mean `y`?", "place": place(1, 16, 1, 18),
			"text": "y"}},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPagesAreUnique(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, p := range diag.Pages {
		if seen[p.Code] {
			t.Errorf("%s has two pages", p.Code)
		}
		seen[p.Code] = true
		if got, ok := diag.Explain(p.Code); !ok || got != p {
			t.Errorf("Explain(%s) finds another page", p.Code)
		}
	}
	if _, ok := diag.Explain("V0000"); ok {
		t.Error("an unknown code has a page")
	}
}
