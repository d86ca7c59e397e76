package parser_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

// everything uses each statement and clause of the grammar.
const everything = `// The parties.
server registry
client hospital_a, hospital_b, lab[J], clinic[3]

/// The outcome.
data y  : binary[N]    @ registry
data XA : real<lower=0, upper=2 * K>[N, P + 1]  @ hospital_a from zscore(age), onehot(sex, drop=first), "a \"b\"", *, poly(c, 2), bin(d, k=3)
data g : level(R)[N] @ shared
data K : int
param b                   ~ normal(0, 1)  noncentered @ registry
param beta_a : real[PA]   ~ normal(mu = 0, 1)  @ hospital_a
param s : simplex[K] ~ dirichlet(rep(1.5e-3, K))
let z : real[N] = -b^2 * XA[:, 1:3]' + sum(X[j] * beta[j] for j in lab) - sum(a[k + 1 : ] for k in 1..K) @ registry
const c = 1_000 + 1e-3
y ~ bernoulli_logit(b + XA * beta_a + XB * beta_b) weights w^2 ^ (1/2)
log(earn) ~ normal(a, b); aux ~ normal(0, 1)
import nn
import "./mine.vfl"
fn sq(x) = x * x
fn layer(X, [n, m]) { /* in */ param W : real[size(X, 2), n] ~ normal(0, 1)
  let h = X * W // behind
  // alone
  return h + m }
let h : real[T] = recur h[1] = mine.sq(b), h[t] = 2 * (recur g[1] = 1, g[s] = g[s - 1] for s in 2..3)[2] + h[t - 1] for t in 2..T
transform augmented(rho = 1)
transform power(rho = {a: 0.5, b: 2}) transform none
program logistic for server
aux z_1 : real[N] ~ normal(XA * beta_a, 1)
send z_1 to registry
send o_1 = others(z_1) to lab, hospital_a
receive z_1 : real[N] from server /* the end */
`

func mustParse(t TB, text string) *ast.File {
	t.Helper()
	f, list := parser.Parse(source.New("test.vfl", text))
	if len(list) > 0 {
		var b strings.Builder
		_ = diag.Text(&b, list, false)
		t.Fatalf("unexpected diagnostics:\n%s", b.String())
	}
	return f
}

func TestEverything(t *testing.T) {
	f := mustParse(t, everything)
	kinds := map[string]int{}
	for _, s := range f.Stmts {
		kinds[strings.Fields(everything[s.Span().Start:])[0]]++
	}
	want := map[string]int{"server": 1, "client": 1, "data": 4, "param": 3, "let": 2, "const": 1, "import": 2,
		"fn": 2, "y": 1, "log(earn)": 1, "aux": 2, "transform": 3, "program": 1, "send": 2, "receive": 1}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if len(f.Comments) != 6 || !f.Comments[1].Doc || f.Comments[0].Doc {
		t.Errorf("comments: %v", f.Comments)
	}
	checkPlaces(t, f)
}

// checkPlaces checks that every node lies within its parent and begins and ends at a token.
func checkPlaces(t TB, f *ast.File) {
	t.Helper()
	text := f.Source.Text
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		outer := n.Span()
		for _, child := range ast.Children(n) {
			in := child.Span()
			if in.Start < outer.Start || in.End > outer.End || in.Start >= in.End {
				t.Fatalf("%T at %v is not inside %T at %v", child, in, n, outer)
			}
			if part := text[in.Start:in.End]; strings.TrimSpace(part) != part {
				t.Fatalf("%T covers the blanks of %q", child, part)
			}
			visit(child)
		}
	}
	visit(f)
}

// TestFields checks the fields of the tree that participle does not fill, and those that are easily confused.
func TestFields(t *testing.T) {
	f := mustParse(t, everything)
	data := f.Stmts[3].(*ast.Data)
	if q := data.From[2].Name; q.Name != `a "b"` || !q.Quoted {
		t.Errorf("quoted column: %+v", q)
	}
	if !data.From[3].Star || data.From[0].Encoder.Name != "zscore" ||
		data.From[0].Args[0].Column.Name != "age" {
		t.Errorf("columns: %+v", data.From)
	}
	if n := data.From[4].Args[1].Number; n == nil || n.Value != 2 || !n.Int {
		t.Errorf("encoder's number: %+v", n)
	}
	if a := data.From[1].Args[1]; a.Key.Name != "drop" || a.Column.Name != "first" {
		t.Errorf("encoder's setting: %+v", a)
	}
	likelihood := f.Stmts[11].(*ast.Likelihood)
	if likelihood.Power == nil || likelihood.Weights == nil || likelihood.Weights.(*ast.Binary).Op != "^" {
		t.Errorf("likelihood: %+v", likelihood)
	}
	if transform := f.Stmts[20].(*ast.Transform); transform.Rho != nil || len(transform.RhoBy) != 2 ||
		transform.RhoBy[1].Client.Name != "b" {
		t.Errorf("transform: %+v", transform)
	}
}

// same compares trees without their places.
func same(a, b any) string {
	return cmp.Diff(a, b, cmpopts.IgnoreTypes(ast.At{}, source.Span{}),
		cmp.Transformer("written", func(n ast.Number) ast.Number {
			if strings.HasPrefix(n.Text, ".") { // the printer writes the 0 before a point
				n.Text = "0" + n.Text
			}
			n.At = ast.At{}
			return n
		}))
}

// grouped prints an expression with all its parentheses.
func grouped(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Number:
		return e.Text
	case *ast.Name:
		return e.Name
	case *ast.Paren:
		return grouped(e.X)
	case *ast.Unary:
		return "(" + e.Op + grouped(e.X) + ")"
	case *ast.Binary:
		return "(" + grouped(e.X) + e.Op + grouped(e.Y) + ")"
	case *ast.Transpose:
		return "(" + grouped(e.X) + "')"
	case *ast.Index:
		return "(" + grouped(e.X) + "[" + grouped(e.Args[0].Lo) + "])"
	case *ast.Call:
		return e.Name.Name + "(" + grouped(e.Args[0]) + ")"
	}
	return "?"
}

// TestPrecedence follows the table of the language: loosest first ||; &&; == !=; < <= > >=; + -; * / .* ./;
// unary - + !; ^ (right); postfix.
func TestPrecedence(t *testing.T) {
	for input, want := range map[string]string{
		"a || b && c || d":   "((a||(b&&c))||d)",
		"a == b < c":         "(a==(b<c))",
		"a < b + c":          "(a<(b+c))",
		"a - b - c":          "((a-b)-c)",
		"a - (b - c)":        "(a-(b-c))",
		"a + b * c .* d":     "(a+((b*c).*d))",
		"a / b ./ c":         "((a/b)./c)",
		"-a * b":             "((-a)*b)",
		"-a^2":               "(-(a^2))",
		"a^-b^c":             "(a^(-(b^c)))",
		"a^b^c":              "(a^(b^c))",
		"2^-a * b":           "((2^(-a))*b)",
		"!a == b":            "((!a)==b)",
		"-a'":                "(-(a'))",
		"a'^2":               "((a')^2)",
		"a[1]'[2]":           "(((a[1])')[2])",
		"a * -b":             "(a*(-b))",
		"- - a":              "(-(-a))",
		"f(a) * (b + c)^2":   "(f(a)*((b+c)^2))",
		"a\n  + b\n  * c":    "(a+(b*c))",
		"1.*a + 2./b":        "((1.*a)+(2./b))",
		"a && !b || c != -1": "((a&&(!b))||(c!=(-1)))",
	} {
		f := mustParse(t, "let x = "+input)
		if got := grouped(f.Stmts[0].(*ast.Let).Value); got != want {
			t.Errorf("%s is read as %s, want %s", input, got, want)
		}
	}
}

// TestContextualKeywords uses words that are keywords elsewhere, and the names of types and distributions, as
// names.
func TestContextualKeywords(t *testing.T) {
	f := mustParse(t, `
data weight : real[N]
data normal : real[N]
param aux ~ normal(0, 1)
param real : real ~ normal(0, 1)
let send = weight
let receive = aux + send
program ~ normal(module, level)
module[1] ~ normal(0, 1)
weight ~ normal(0, 1)
`)
	if len(f.Stmts) != 9 {
		t.Errorf("%d statements, want 9", len(f.Stmts))
	}
}

// TestSoundStatementsSurvive breaks each line of a file in turn and checks that all other statements are
// still parsed.
func TestSoundStatementsSurvive(t *testing.T) {
	lines := []string{
		"server registry", "client a, b", "data y : real[N] @ registry", "param s ~ half_normal(1)",
		"param m : real[K] ~ normal(0, 1) @ a",
		"let e = m * 2", "y ~ normal(m, s)", "transform none", "aux z : real ~ normal(0, 1)", "send z to a",
		"log(y) ~ normal(1, s)", "receive v : real from b",
	}
	whole := mustParse(t, strings.Join(lines, "\n"))
	for i, line := range lines {
		words := strings.Fields(line)
		for _, broken := range []string{
			strings.Join(words[:len(words)-1], " ") + " (", words[0] + " " + line, line + " )", line + " +",
			"%" + line, words[0],
		} {
			with := append(append(append([]string(nil), lines[:i]...), broken), lines[i+1:]...)
			f, list := parser.Parse(source.New("test.vfl", strings.Join(with, "\n")))
			if !list.HasErrors() {
				continue // some of these happen to be right
			}
			var want []ast.Stmt
			want = append(append(want, whole.Stmts[:i]...), whole.Stmts[i+1:]...)
			if missing := without(want, f.Stmts); len(missing) > 0 {
				t.Errorf("with %q for line %d, %d sound statements are lost, the first %T", broken, i+1,
					len(missing), missing[0])
			}
			if len(list) > 2 {
				t.Errorf("with %q for line %d there are %d errors: some follow from others", broken, i+1,
					len(list))
			}
		}
	}
}

// without returns the statements of want that have no equal in got.
func without(want, got []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
next:
	for _, w := range want {
		for _, g := range got {
			if same(w, g) == "" {
				continue next
			}
		}
		out = append(out, w)
	}
	return out
}

// TestMessagesAreForUsers drops, doubles and replaces each word of a program, by half of the replacements in
// turn. No message may show a name of the implementation or the last resort of the message writer.
func TestMessagesAreForUsers(t *testing.T) {
	words := parser.Words(everything)
	for i, w := range words {
		for k, replacement := range []string{"", ")", ",", "=", "data", "name", "0", "\"s\""} {
			if !brief.Share(2, i, k) {
				continue
			}
			text := everything[:w.Start] + replacement + everything[w.End:]
			_, list := parser.Parse(source.New("test.vfl", text))
			for _, d := range list {
				if lastResort(d.Message) {
					t.Fatalf("with %q for word %d, %q: %s", replacement, i, everything[w.Start:w.End],
						d.Message)
				}
			}
		}
	}
}

// lastResort reports whether a message says nothing to a user: it shows a name of the implementation, or
// expects what it has found.
func lastResort(message string) bool {
	if found, expected, ok := strings.Cut(message, ", expected "); ok && strings.HasPrefix(found, "found `") {
		choice, _, _ := strings.Cut(expected, ":")
		for _, one := range strings.FieldsFunc(choice, func(r rune) bool { return r == ' ' }) {
			if strings.TrimSuffix(one, ",") == strings.TrimPrefix(found, "found ") {
				return true
			}
		}
	}
	for _, bad := range []string{"the end of the statement", "<ident>", "Token", "Sized", "Weighting",
		"ColumnArg", "sub-expression"} {
		if strings.Contains(message, bad) {
			return true
		}
	}
	return false
}

// TestHostileInput parses texts that could exhaust the stack or take quadratic time.
func TestHostileInput(t *testing.T) {
	const n = 20_000
	for name, text := range map[string]string{
		"parentheses": "let a = " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		"open":        "let a = " + strings.Repeat("(", n),
		"closing":     strings.Repeat(")", n),
		"calls":       "let a = " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n),
		"indices":     "let a = " + strings.Repeat("x[", n) + "1" + strings.Repeat("]", n),
		"signs":       "let a = " + strings.Repeat("-", n) + "1",
		"powers":      "let a = 1" + strings.Repeat("^1", n),
		"terms":       "let a = 1" + strings.Repeat(" + 1", 3*n),
		"subscripts":  "let a = x" + strings.Repeat("[1]", 3*n),
		"transposes":  "let a = x" + strings.Repeat("'", 3*n),
		"arguments":   "let a = f(1" + strings.Repeat(", 1", 3*n) + ")",
		"dimensions":  "data a : real[" + strings.Repeat("(", n),
		"comments":    strings.Repeat("/*", n),
		"braces":      "fn f(x) " + strings.Repeat("{", n),
		"control":     strings.Repeat("\x00 ", n),
		"words":       strings.Repeat("a ", n),
		"statements":  strings.Repeat("param\n", n),
		"run on":      "let a = 1" + strings.Repeat(" +\ny ~ normal(0, 1)\nlet a = 1", n/10),
		"swallowed":   "let a = (\n" + strings.Repeat("y ~ normal(\n", n),
		"truncate":    strings.Repeat("truncate (", n),
	} {
		_, list := parser.Parse(source.New(name, text))
		if !list.HasErrors() {
			t.Errorf("%s: no diagnostic", name)
		}
	}
}

// TestWordsCoverTheText checks the bounds of tokens: the words of a text, and the blanks, comments and
// semicolons between them, make up the text.
func TestWordsCoverTheText(t *testing.T) {
	end := 0
	for _, w := range parser.Words(everything) {
		between := everything[end:w.Start]
		if strings.TrimSpace(between) != "" && !strings.Contains(between, "//") &&
			!strings.Contains(between, "/*") && strings.TrimSpace(between) != ";" {
			t.Errorf("%q is lost", between)
		}
		end = w.End
	}
}
