package parser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// TestPlaceInFile checks that what is said of a statement, and its tree, do not depend on how far from the
// beginning of the file it stands, in particular not on where the words end that participle is shown at a
// time.
func TestPlaceInFile(t *testing.T) {
	const before = "let filler = 1\n"
	ends := "\nlet z = 1\nlet zz = 2\n"
	for _, text := range []string{
		"let a = ", "y ~ ", "param b : real<lower=0, ", "data x : real[N", "let a = f(1, ", "let a = b ^",
		"y ~ normal(0, 1) weights w ^", "transform augmented(rho = {a: 1",
		"fn f(x) {\nlet u = 2 * x\nparam v ~ normal(0, 1)\nreturn u + v\n}",
		"fn f(x) {\nlet u = 2 * x\nparam v ~ normal(0, \nreturn u + v\n}", "fn f(x) {\nlet u = 1",
		"fn f(x) { fn g(y) { let a = 1 } return 2 }",
		"pram b ~ normal(0, 1)", "data from : real", "let a = (1 + [2, 3)", "let a = 1 }",
		"y ~ normal(0, 1)\nz ~ normal(0, 1)\n" + strings.Repeat("w ~ normal(0, 1)\n", 30) + "v ~ normal(0 1)",
	} {
		first := outcome(before + text + ends)
		for n := 2; n < 70; n++ {
			got := outcome(strings.Repeat(before, n)+text+ends).shift(-(n-1)*len(before), n-1)
			if fmt.Sprint(got) != fmt.Sprint(first) {
				t.Fatalf("behind %d statements, %q gives\n%v, behind one\n%v", n, text, got, first)
			}
		}
	}
}

// said is what the parser makes of a text: where the statements stand, and the diagnostics.
type said struct {
	stmts []string
	diags []string
	spans []source.Span
	at    []source.Span
}

func outcome(text string) said {
	file, list := parser.Parse(source.New("m.vfl", text))
	var s said
	for _, x := range file.Stmts {
		s.stmts, s.at = append(s.stmts, fmt.Sprintf("%T", x)), append(s.at, x.Span())
	}
	for _, d := range list {
		s.diags, s.spans = append(s.diags, message(d)), append(s.spans, d.Span)
	}
	return s
}

func message(d *diag.Diagnostic) string { return string(d.Code) + " " + d.Message }

// shift moves all places, and drops statements from the front.
func (s said) shift(by, drop int) said {
	move := func(list []source.Span) (out []source.Span) {
		for _, x := range list {
			out = append(out, source.Span{Start: x.Start + by, End: x.End + by})
		}
		return out
	}
	return said{s.stmts[drop:], s.diags, move(s.spans), move(s.at[drop:])}
}
