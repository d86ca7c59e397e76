package format_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

// TB holds the methods that testing.T and rapid.T share.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

func parse(t TB, text string) *ast.File {
	t.Helper()
	f, list := parser.Parse(source.New("input.vfl", text))
	for _, d := range list {
		if d.Code != diag.EmptyFile {
			t.Fatalf("%v: %s in\n%s", d.Span, d.Message, text)
		}
	}
	return f
}

func TestGoldens(t *testing.T) {
	diagtest.Archives(t, "testdata/*.txtar", func(t *testing.T, f *source.File) string {
		out := format.Format(parse(t, f.Text))
		checkKept(t, f.Text, out)
		return out
	})
}

// checkKept checks that out, the printed form of in, has the same tree and comments, and that formatting
// leaves it unchanged.
func checkKept(t TB, in, out string) {
	t.Helper()
	before, after := parse(t, in), parse(t, out)
	if diff := cmp.Diff(before.Stmts, after.Stmts, cmpopts.IgnoreTypes(ast.At{}, source.Span{})); diff != "" {
		t.Fatalf("the tree changes (-before +after):\n%s\n%s", diff, out)
	}
	if diff := cmp.Diff(before.Comments, after.Comments, cmpopts.IgnoreTypes(ast.At{})); diff != "" {
		t.Fatalf("the comments change (-before +after):\n%s\n%s", diff, out)
	}
	if again := format.Format(after); again != out {
		t.Fatalf("printing is not idempotent; first\n%s\nthen\n%s", out, again)
	}
}

var comments = []string{"// line", "//", "/// doc", "/* block */", "/**/", "/* two\n   lines */",
	"//  blanks  ", "// 血圧 ü", "/* // */", "//*"}

const program = `server registry
client a, b[J]
data y : count[N] @ registry
data X : real<lower=0>[N, P] @ a from zscore(age), onehot(sex, drop=first), *
param beta : real[P] ~ normal(mu=0, 1) noncentered @ a
let e = -X[:, 1:2] * beta' + sum(f(k, 2) for k in 1..K)
y ~ poisson_log(e) weights w ^ (1/2)
transform power(rho = {a: 1, b: 2})
send z = o to a, b
`

// TestCommentsAnywhere puts comments, blank lines and semicolons between arbitrary words of a program.
func TestCommentsAnywhere(t *testing.T) {
	words := parser.Words(program)
	starts := map[int]bool{}
	for _, s := range parse(t, program).Stmts {
		starts[s.Span().Start] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i, w := range words {
			for range rapid.SampledFrom([]int{0, 0, 0, 0, 1, 1, 2}).Draw(t, "comments") {
				b.WriteString(rapid.SampledFrom([]string{" ", "\n", "\n\n\n"}).Draw(t, "before"))
				text := rapid.SampledFrom(comments).Draw(t, "comment")
				b.WriteString(text)
				if strings.HasPrefix(text, "//") {
					b.WriteString("\n")
				}
			}
			if starts[w.Start] && i > 0 && rapid.Bool().Draw(t, "semicolon") {
				b.WriteString(";")
			}
			b.WriteString(rapid.SampledFrom([]string{" ", " ", "\n", "\n\n\n"}).Draw(t, "blank") +
				program[w.Start:w.End])
		}
		checkKept(t, b.String(), format.Format(parse(t, b.String())))
	})
}

// expression generates trees as the compiler builds them: without parentheses, places or the text of numbers.
func expression(depth int) *rapid.Generator[ast.Expr] {
	return rapid.Custom(func(t *rapid.T) ast.Expr {
		kind := rapid.IntRange(0, 10).Draw(t, "kind")
		if depth == 0 {
			kind = min(kind, 1)
		}
		sub := func(label string) ast.Expr { return expression(depth-1).Draw(t, label) }
		switch kind {
		case 0:
			return &ast.Name{Name: rapid.SampledFrom([]string{"a", "beta", "sum", "weight", "e1"}).Draw(t,
				"name")}
		case 1:
			return generatedNumber(t)
		case 2:
			return &ast.Unary{Op: rapid.SampledFrom([]string{"-", "+", "!"}).Draw(t, "op"), X: sub("x")}
		case 3:
			return &ast.Transpose{X: sub("x")}
		case 4:
			return &ast.Index{X: sub("x"), Args: []*ast.Subscript{generatedSubscript(t, sub),
				generatedSubscript(t, sub)}}
		case 5:
			return &ast.Call{Name: ast.Ident{Name: "f"},
				Args: []ast.Expr{sub("first"), sub("second")}[:rapid.IntRange(0, 2).Draw(t, "arguments")]}
		case 6:
			s := &ast.Sum{Body: sub("body"), Var: ast.Ident{Name: "k"}}
			if rapid.Bool().Draw(t, "family") {
				s.Family = &ast.Ident{Name: "lab"}
			} else {
				s.Lo, s.Hi = sub("low"), sub("high")
			}
			return s
		case 7:
			return &ast.Array{Elems: []ast.Expr{sub("first"), sub("second")}[:rapid.IntRange(1, 2).Draw(t,
				"elements")]}
		}
		op := rapid.SampledFrom(strings.Fields("|| && == != < <= > >= + - * / .* ./ ^ ^")).Draw(t, "op")
		return &ast.Binary{Op: op, X: sub("x"), Y: sub("y")}
	})
}

func generatedNumber(t *rapid.T) ast.Expr {
	if rapid.Bool().Draw(t, "whole") {
		return &ast.Number{Value: float64(rapid.IntRange(0, 1<<53).Draw(t, "value")), Int: true}
	}
	return &ast.Number{Value: math.Abs(rapid.Float64().Draw(t, "value"))}
}

func generatedSubscript(t *rapid.T, sub func(string) ast.Expr) *ast.Subscript {
	s := &ast.Subscript{Slice: rapid.Bool().Draw(t, "slice")}
	if !s.Slice || rapid.Bool().Draw(t, "has low") {
		s.Lo = sub("low")
	}
	if s.Slice && rapid.Bool().Draw(t, "has high") {
		s.Hi = sub("high")
	}
	return s
}

// TestExprReadsBack checks that a printed tree parses to the same tree, in each place of the grammar that
// takes an expression.
func TestExprReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := expression(4).Draw(t, "expression")
		f := parse(t, "let x = "+format.Expr(e))
		if got := f.Stmts[0].(*ast.Let).Value; !ast.Equal(e, got) {
			t.Fatalf("%s is read as %s", format.Expr(e), format.Expr(got))
		}
		bound := &ast.Let{Name: ast.Ident{Name: "x"}, Type: &ast.Type{Elem: ast.Ident{Name: "real"},
			Bounds: []*ast.Bound{{Which: ast.Ident{Name: "lower"}, Value: e}}}, Value: e}
		if got := parse(t, format.Stmt(bound)).Stmts[0].(*ast.Let); !ast.Equal(e, got.Type.Bounds[0].Value) ||
			!ast.Equal(e, got.Value) {
			t.Fatalf("%s changes", format.Stmt(bound))
		}
		likelihood := &ast.Likelihood{Left: &ast.Name{Name: "y"},
			Dist: &ast.Dist{Name: ast.Ident{Name: "flat"}}, Weights: e, Power: e}
		if got := parse(t, format.Stmt(likelihood)).Stmts[0].(*ast.Likelihood); !ast.Equal(e, got.Weights) ||
			!ast.Equal(e, got.Power) {
			t.Fatalf("%s changes", format.Stmt(likelihood))
		}
		likelihood.Power = nil
		if got := parse(t, format.Stmt(likelihood)).Stmts[0].(*ast.Likelihood); !ast.Equal(e, got.Weights) ||
			got.Power != nil {
			t.Fatalf("%s changes", format.Stmt(likelihood))
		}
	})
}

// TestParenthesesAreMinimal removes each pair of parentheses of a printed tree: without it, the text parses
// to another tree.
func TestParenthesesAreMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := expression(3).Draw(t, "expression")
		kept := parse(t, "let x = "+format.Expr(e)).Stmts[0].(*ast.Let)
		var parens []*ast.Paren
		ast.Walk(kept, func(n ast.Node) bool {
			if p, ok := n.(*ast.Paren); ok {
				parens = append(parens, p)
			}
			return true
		})
		for _, p := range parens {
			at := p.Span()
			text := "let x = " + format.Expr(e)
			without := text[:at.Start] + " " + text[at.Start+1:at.End-1] + " " + text[at.End:]
			f, list := parser.Parse(source.New("input.vfl", without))
			if !list.HasErrors() && len(f.Stmts) == 1 && ast.Equal(f.Stmts[0].(*ast.Let).Value, e) {
				t.Fatalf("%s needs no parentheses around %s", text, text[at.Start:at.End])
			}
		}
	})
}

// TestCompilerFile prints a file that has no source.
func TestCompilerFile(t *testing.T) {
	real := &ast.Type{Elem: ast.Ident{Name: "real"}, Dims: []ast.Expr{&ast.Name{Name: "N"}}}
	cut := &ast.Binary{Op: "*", X: &ast.Name{Name: "X"}, Y: &ast.Binary{Op: "+", X: &ast.Name{Name: "beta"},
		Y: &ast.Number{Value: -1}}}
	f := &ast.File{Stmts: []ast.Stmt{
		&ast.Program{Name: ast.Ident{Name: "logistic"}, For: ast.Ident{Name: "a"}},
		&ast.Data{Name: ast.Ident{Name: "X"}, Type: real,
			From: []*ast.Column{{Name: &ast.ColumnName{Name: "blood pressure"}}, {Star: true}}},
		&ast.Aux{Name: ast.Ident{Name: "z_1"}, Type: real, Dist: &ast.Dist{Name: ast.Ident{Name: "normal"},
			Args: []*ast.Arg{{Value: cut}, {Value: &ast.Number{Value: 0.5}}}}},
		&ast.Send{Name: ast.Ident{Name: "z_1"}, To: []ast.Ident{{Name: "server"}}},
	}}
	want := `program logistic for a // of model sha256:00
data X : real[N] from "blood pressure", *
aux z_1 : real[N] ~ normal(X * (beta + -1.0), 0.5)
send z_1 to server
`
	got := format.File(f, "of model sha256:00")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := format.Format(parse(t, got)); again != got {
		t.Errorf("printed again:\n%s", again)
	}
}

// TestLinesAreShort checks that a long list of columns is wrapped as late as possible.
func TestLinesAreShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,30}`), 2, 20).Draw(t, "columns")
		for i := range names {
			names[i] = "c" + names[i]
		}
		text := "data x : real[N] from " + strings.Join(names, ", ")
		lines := strings.Split(strings.TrimSuffix(format.Format(parse(t, text)), "\n"), "\n")
		if slices.ContainsFunc(lines, func(l string) bool { return len(l) > 100 }) {
			t.Fatalf("a line is too long:\n%s", strings.Join(lines, "\n"))
		}
		for i := 1; i < len(lines); i++ {
			next, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
			if len(lines[i-1])+1+len(next) <= 100 {
				t.Fatalf("a line is broken too early:\n%s", strings.Join(lines, "\n"))
			}
		}
	})
}
