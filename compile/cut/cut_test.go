package cut_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/compiletest"
)

const head = `client a, b
client lab[J]
data y : real[N] @ shared
data w : real[N] @ shared
data x : real[N]
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
data Z : real[N, R] @ lab
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, 1) @ a
param s ~ normal(0, 1) @ b
param v : real[Q] ~ normal(0, 1) @ b
param g : real[R] ~ normal(0, 1) @ lab
let fa = XA * u
let fb = XB * v
`

// cuts describes what was cut: each cut as "client: expression", then each group with + where it is additive
// and , where it is not.
func cuts(p *cut.Program) string {
	var out []string
	for _, k := range p.Cuts {
		out = append(out, k.Client+": "+format.Expr(k.Expr))
	}
	for _, g := range p.Groups {
		var names []string
		for _, k := range g.Cuts {
			names = append(names, strings.TrimPrefix(k.Name, "z_"))
		}
		mark := ","
		if g.Additive {
			mark = "+"
		}
		out = append(out, strings.Join(names, mark)+mark)
	}
	return strings.Join(out, "; ")
}

// The cuts of y ~ normal(LOCATION, 1), and what stays with the server, where $1 stands for the first group.
func TestCutsOfALocation(t *testing.T) {
	for _, c := range []struct{ location, cuts, server string }{
		// chains of + and - are one sum: the terms of one client are one cut, in whatever order they stand,
		// and the rest stays
		{"m + fa + fb", "a: XA * u; b: XB * v; 1+2+", "m + $1"},
		{"fa + m + 2 * fa + x", "a: XA * u + 2 * (XA * u); 1+", "m + x + $1"},
		{"m - (fa - (fb + x))", "a: -(XA * u); b: XB * v; 1+2+", "m + x + $1"},
		{"(fb) + -(m - fa)", "a: XA * u; b: XB * v; 1+2+", "-m + $1"},
		// a cut is maximal: names of the client and shared names go into it, names of the server stay outside
		{"m + exp(fa)", "a: exp(XA * u); 1+", "m + $1"},
		{"m + w .* (k * fa)", "a: w .* (k * (XA * u)); 1+", "m + $1"},
		{"m * fa", "a: XA * u; 1+", "m * $1"},
		{"exp(m + fa + fb)", "a: XA * u; b: XB * v; 1+2+", "exp(m + $1)"},
		{"x .* tanh(m * (fa + fb))", "a: XA * u; b: XB * v; 1+2+", "x .* tanh(m * $1)"},
		{"k + w + fa + m", "a: XA * u; 1+", "k + w + m + $1"},
		// the same expression is one cut, and the same cuts are one group
		{"m * fa + x .* fa", "a: XA * u; 1+", "m * $1 + x .* $1"},
		{"(m + fa) .* (x + fa)", "a: XA * u; 1+", "(m + $1) .* (x + $1)"},
		// combined by more than a sum, or of several shapes: one by one
		{"m + fa .* fb", "a: XA * u; b: XB * v; 1,; 2,", "m + $1 .* $2"},
		{"m + fa + s", "a: XA * u; b: s; 1,2,", "m + $1"},
		{"m + fa + (fa + fb) .* x", "a: XA * u; b: XB * v; 1,2,; 1,", "m + $1 .* x + $2"},
		// families: the members' cuts are used by their sum, or one by one
		{"m + sum(Z[j] * g[j] for j in lab)", "lab: Z * g; 1+", "m + $1"},
		{"sum(m - Z[j] * g[j] for j in lab) + fa", "a: XA * u; lab: -(Z * g); 1+2+",
			"sum(m for j in lab) + $1"},
		{"sum(exp(m + Z[j] * g[j]) for j in lab)", "lab: Z * g; 1,", "sum(exp(m + $1[j]) for j in lab)"},
	} {
		m := compiletest.Compile(t, head+"y ~ normal("+c.location+", 1)\n", check.Options{})
		if got := cuts(m.Cuts); got != c.cuts {
			t.Errorf("%s\ngives %s\nwant  %s", c.location, got, c.cuts)
		}
		if got := format.Expr(m.Cuts.Likelihoods[0].Args[0]); got != c.server {
			t.Errorf("%s\nleaves %s\nwant   %s", c.location, got, c.server)
		}
	}
}

// Cuts of several statements: equal expressions are one cut, equal sums one group, and a cut in two sums is
// seen separately.
func TestCutsOfSeveralStatements(t *testing.T) {
	for _, c := range []struct{ first, second, cuts string }{
		{"m + fa + fb", "fb + x + fa", "a: XA * u; b: XB * v; 1+2+"},
		{"m + fa + fb", "m + fa", "a: XA * u; b: XB * v; 1,2,; 1,"},
		{"m + fa", "m + fb", "a: XA * u; b: XB * v; 1+; 2+"},
	} {
		m := compiletest.Compile(t, head+"y ~ normal("+c.first+", 1)\ny ~ normal("+c.second+", 2)\n",
			check.Options{})
		if got := cuts(m.Cuts); got != c.cuts {
			t.Errorf("%s and %s\ngive %s\nwant %s", c.first, c.second, got, c.cuts)
		}
	}
}

// Auxiliary variables have names that the model does not use.
func TestNamesOfCutsAreFree(t *testing.T) {
	m := compiletest.Compile(t,
		head+"param z_1 ~ normal(0, 1)\nparam aux_y ~ normal(0, 1)\ny ~ normal(z_1 + aux_y + m + fa, 1)\n",
		check.Options{})
	if got := m.Cuts.Cuts[0].Name; got != "cut_1" {
		t.Errorf("the cut is called %s", got)
	}
}

// scalars is a model of numbers, two parameters of each party: what is left after cutting can be evaluated by
// hand.
const scalars = `client a, b
data y : real @ shared
param m ~ normal(0, 1)
param n ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param a1 ~ normal(0, 1) @ a
param a2 ~ normal(0, 1) @ a
param b1 ~ normal(0, 1) @ b
let la = a1 * a2
let lb = m - b1
`

func expression(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{"m", "n", "k", "a1", "a2", "b1", "la", "lb", "2"}).Draw(t, "name")
	}
	x := expression(t, depth-1)
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 0:
		return "-(" + x + ")"
	case 1:
		return "tanh(" + x + ")"
	}
	return "(" + x + ") " + rapid.SampledFrom([]string{"+", "+", "-", "*"}).Draw(t, "operator") + " (" +
		expression(t, depth-1) + ")"
}

// Cutting changes no value: with every group set to the sum of its cuts, what the server evaluates is what
// was written.
func TestCuttingChangesNoValue(t *testing.T) {
	values := map[string]float64{"m": 0.3, "n": -1.1, "k": 0.7, "a1": 1.3, "a2": -0.4, "b1": 0.9}
	values["la"], values["lb"] = values["a1"]*values["a2"], values["m"]-values["b1"]
	rapid.Check(t, func(r *rapid.T) {
		text := expression(r, 5)
		m, diags := compiletest.Try(t, source.New("m.vfl", scalars+"y ~ normal("+text+", 1)\n"),
			check.Options{})
		// that parameters cancel is found later
		if diags.HasErrors() && diags.Shown()[0].Code != diag.DataCut {
			r.Fatalf("%s: %s", text, diags.Shown()[0].Message)
		}
		l, after := m.Cuts.Likelihoods[0], maps.Clone(values)
		for _, g := range l.Groups {
			for _, c := range g.Cuts {
				after[g.Reference()] += evaluate(c.Expr, values)
			}
		}
		want, got := evaluate(m.Checked.Likelihoods[0].Args[0], values), evaluate(l.Args[0], after)
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			r.Errorf("%s is %v, but %s with %v is %v", text, want, format.Expr(l.Args[0]), after, got)
		}
		if l.Party != "" && len(l.Groups) > 0 {
			r.Errorf("%s is all of %s, but is cut", text, l.Party)
		}
	})
}

func evaluate(e ast.Expr, values map[string]float64) float64 {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value
	case *ast.Name:
		return values[e.Name]
	case *ast.Paren:
		return evaluate(e.X, values)
	case *ast.Unary:
		if e.Op == "+" {
			return evaluate(e.X, values)
		}
		return -evaluate(e.X, values)
	case *ast.Call:
		return map[string]func(float64) float64{"tanh": math.Tanh, "exp": math.Exp}[e.Name.Name](
			evaluate(e.Args[0], values),
		)
	case *ast.Binary:
		x, y := evaluate(e.X, values), evaluate(e.Y, values)
		return map[string]float64{"+": x + y, "-": x - y, "*": x * y, "/": x / y}[e.Op]
	}
	panic(fmt.Sprintf("cut: %T is not an expression of this test", e))
}

// The order of terms changes no cut but for the order inside it.
func TestCutsDoNotDependOnTheOrderOfTerms(t *testing.T) {
	terms := []string{"m", "fa", "x", "fb", "k"}
	want := ""
	for range 5 {
		terms = append(terms[1:], terms[0])
		m := compiletest.Compile(t, head+"y ~ normal("+strings.Join(terms, " + ")+", 1)\n", check.Options{})
		if want == "" {
			want = cuts(m.Cuts)
		}
		if got := cuts(m.Cuts); got != want {
			t.Errorf("%s gives %s, want %s", strings.Join(terms, " + "), got, want)
		}
		if !slices.ContainsFunc(m.Cuts.Groups, func(g *cut.Group) bool {
			return g.Additive && len(g.Cuts) == 2
		}) {
			t.Errorf("%q: no sum of two cuts", terms)
		}
	}
}

// A matrix of constants that a let holds is the same wherever the let stands, however large it is.
func TestConstantsAreNoCopies(t *testing.T) {
	row := "[" + strings.Repeat("1, ", 19) + "2]"
	compiletest.Compile(t, "data y : real[N]\nparam b : real[20] ~ normal(0, 1)\nlet m = ["+
		strings.Repeat(row+", ", 24)+row+"] * b\ny ~ normal("+strings.Repeat("sum(m) + ", 600)+"0, 1)\n",
		check.Options{})
}
