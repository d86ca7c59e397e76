package parser_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// FuzzParse checks for any text: no panic, and all diagnostics lie within the text. Formatting a text without
// errors keeps its tree and comments, and is idempotent.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	for _, line := range strings.Split(everything, "\n") {
		f.Add(line)
	}
	for _, seed := range []string{
		"", ";", "\ufeffparam b ~ flat()\r\n", "param b ~ normal(0, 1) // caf\xe9", "\x00", "let a = \"\xff",
		"/* /* */ */", "/*", "\"", "'", "1.", ".5", "1..2",
		"let a = " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
		"let a = " + strings.Repeat("-", 300) + "1", "let a = 1" + strings.Repeat("^1", 300),
		"fn f(x) { let a = x\nreturn a }\nfactor x\nimport \"./a.vfl\"\nmodule m implements " +
			"n\nweight W : real init glorot",
		"y ~ normal(0, 1) truncate(lower=0) weights w^(2) ^ (1/2)",
		"data y : real missing impute ~ normal(0, 1)",
		"let a = f( // one\n /* two */ 1, // three\n 2) // four\n// five\n\n\n// six", "let a = b < c < d",
		"data x : real<lower=(0 < 1)>", "send z to server; let server = 3",
		"let h : real[T] = recur h[1] = " + strings.Repeat("a_name + ", 20) + "b, h[t] = f(h[t - 1], " +
			strings.Repeat("a_name * b, ", 9) + "0.5) for t in 2..T // end",
		"fn f(x) {\nlet a = " + strings.Repeat("x[1, 2] && ", 20) + "x\nreturn normal_lpdf(" +
			strings.Repeat("a", 90) + " | " + strings.Repeat("b", 90) + ", 2)\n}\nA ~ a(.5)",
		"data X : real[N, P] from " + strings.Repeat("zscore(a_long_column_name), ", 20) + "*",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkAny(t, text) })
}

// TestWordSoup runs the checks of FuzzParse on near-programs: the words of programs in their order, with a
// few changes.
func TestWordSoup(t *testing.T) {
	words := parser.Words(everything)
	word := func(i int) string { return everything[words[i].Start:words[i].End] }
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(words)-1).Draw(t, "from")
		var b strings.Builder
		for i := from; i < len(words) && i < from+60; i++ {
			switch rapid.IntRange(0, 39).Draw(t, "change") {
			case 0: // left out
			case 1:
				b.WriteString(word(i) + " " + word(i) + " ")
			case 2:
				b.WriteString(word(rapid.IntRange(0, len(words)-1).Draw(t, "other")) + " ")
			case 3:
				b.WriteString(rapid.SampledFrom([]string{"\n", ";", "(", ")", "[", "]", "+", "\"s\"",
					"/* c */", "// c\n", "truncate(lower=0)", "missing drop", "fn", "factor"}).Draw(t,
					"extra") + " " + word(i) + " ")
			case 4:
				b.WriteString(word(i) + "\n")
			default:
				b.WriteString(word(i) + " ")
			}
		}
		checkAny(t, b.String())
	})
}

// TB holds the methods that testing.T and rapid.T share.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkAny checks what is true of every text.
func checkAny(t TB, text string) {
	t.Helper()
	file, list := parser.Parse(source.New("fuzz.vfl", text))
	for _, d := range list {
		if outside(d.Span, text) || d.Code == "" || lastResort(d.Message) {
			t.Fatalf("bad diagnostic %s at %v: %s", d.Code, d.Span, d.Message)
		}
		for _, x := range d.Fixes {
			if outside(x.Span, text) {
				t.Fatalf("bad fix of %s at %v", d.Code, x.Span)
			}
		}
	}
	if !list.HasErrors() { // a string that is not closed ends in blanks
		checkPlaces(t, file)
		checkPrinted(t, file)
	}
}

func outside(s source.Span, text string) bool {
	return s.Start < 0 || s.Start > s.End || s.End > len(text)
}

// checkPrinted checks that printing keeps the tree and the comments.
func checkPrinted(t TB, file *ast.File) {
	t.Helper()
	printed := format.Format(file)
	again := mustParse(t, printed)
	if diff := same(file.Stmts, again.Stmts); diff != "" {
		t.Fatalf("printing changes the tree:\n%s\nprinted:\n%s", diff, printed)
	}
	if diff := same(texts(file), texts(again)); diff != "" {
		t.Fatalf("printing changes the comments:\n%s\nprinted:\n%s", diff, printed)
	}
	if twice := format.Format(again); twice != printed {
		t.Fatalf("printing is not idempotent:\n%s\nthen:\n%s", printed, twice)
	}
}

func texts(f *ast.File) []string {
	out := make([]string, len(f.Comments))
	for i, c := range f.Comments {
		out[i] = c.Text
	}
	return out
}
