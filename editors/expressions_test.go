package editors_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// shape prints the tree of an expression, each operation before what it joins.
func shape(e ast.Node) string {
	switch e := e.(type) {
	case *ast.Number:
		return e.Text
	case *ast.Name:
		return e.Name
	case *ast.Text:
		return fmt.Sprintf("%q", e.Text)
	case *ast.Paren:
		return form("paren", e.X)
	case *ast.Unary:
		return form(e.Op, e.X)
	case *ast.Binary:
		return form(e.Op, e.X, e.Y)
	case *ast.Transpose:
		return form("'", e.X)
	case *ast.Array:
		return form("array", e.Elems...)
	case *ast.Call:
		return strings.TrimSuffix(form("call "+e.Name.Name, e.Args...), ")") + settings(e.Named) + ")"
	case *ast.Index:
		return form("index "+shape(e.X), e.Args...)
	case *ast.Subscript:
		return subscript(e)
	case *ast.Sum:
		return total(e)
	case *ast.Recur:
		return recursion(e)
	}
	panic(fmt.Sprintf("editors: no shape of %T", e))
}

func form[N ast.Node](head string, parts ...N) string {
	for _, p := range parts {
		head += " " + shape(p)
	}
	return "(" + head + ")"
}

func subscript(s *ast.Subscript) string {
	ends := []string{"_", "_"}
	for i, e := range []ast.Expr{s.Lo, s.Hi} {
		if e != nil {
			ends[i] = shape(e)
		}
	}
	if !s.Slice {
		return ends[0]
	}
	return "(: " + strings.Join(ends, " ") + ")"
}

func total(e *ast.Sum) string {
	over := ""
	if e.Family != nil {
		over = e.Family.Name
	} else {
		over = form("..", e.Lo, e.Hi)
	}
	head := "sum"
	if e.Each {
		head = "each"
	}
	return fmt.Sprintf("(%s %s %s %s)", head, shape(e.Body), e.Var.Name, over)
}

func recursion(e *ast.Recur) string {
	out := "(recur"
	entries := slices.Concat(e.Init, e.Parts, []*ast.Entry{e.Step})
	slices.SortFunc(entries, func(a, b *ast.Entry) int { return a.Start - b.Start })
	for _, n := range entries {
		out += fmt.Sprintf(" (%s %s %s)", n.Name.Name, shape(n.Index), shape(n.Value))
	}
	if e.Ode == nil {
		return out + fmt.Sprintf(" %s %s)", e.Var.Name, form("..", e.Lo, e.Hi))
	}
	out = strings.Replace(out, "(recur", "(ode", 1) + fmt.Sprintf(" %s %s", e.Var.Name, shape(e.Ode.Times))
	if e.Ode.Member != nil {
		out += fmt.Sprintf(" %s %s", e.Ode.Member.Name, shape(e.Ode.By))
	}
	return out + settings(e.Ode.Settings) + ")"
}

func settings(list []*ast.Arg) (out string) {
	for _, a := range list {
		out += fmt.Sprintf(" (%s %s)", a.Name.Name, shape(a.Value))
	}
	return out
}

// A talker makes texts of expressions, with operators of all levels side by side.
type talker struct{ *rand.Rand }

func (s talker) one(of ...string) string { return of[s.IntN(len(of))] }

func (s talker) expression(depth int) string {
	text := s.operand(depth)
	for s.IntN(5) > 1 {
		text += s.one(" || ", " && ", " == ", " != ", " < ", "<=", ">", " >= ", "..", " + ", "-", " * ", "/",
			" .* ", "./", "^", " ^ ", " ^ -") + s.operand(depth)
	}
	return text
}

func (s talker) operand(depth int) string {
	return s.one("", "", "", "-", "!", "+ ") + s.term(depth) +
		s.one("", "", "", "", "'", "[1]", "[:, g]'", "[2:k + 1]")
}

func (s talker) term(depth int) string {
	names := []string{"a", "β", "h.W1", "x_2", "weight", "by", "to", "recur", "ode", "module"}
	if depth == 0 || s.IntN(3) > 0 {
		return s.one(append(names, "2", "1_000", "1.5", "1e-3", ".5", `"A \" b"`)...)
	}
	e := func() string { return s.expression(depth - 1) }
	switch s.IntN(11) {
	case 0:
		return "(" + e() + ")"
	case 1:
		return "[" + e() + ", " + e() + "]"
	case 2:
		return "[" + e() + " for k in 1..K + 1]"
	case 3:
		return "sum(" + e() + " for j in " + s.one("lab", "0..2*K") + ")"
	case 4:
		return "max(" + e() + " by g" + s.one("", ", h") + ")"
	case 5:
		return "normal_lpdf(" + e() + s.one(" | ", ", ") + e() + ", " + e() + ")"
	case 6:
		return "(recur h[1] = " + e() + ", k[t] = " + e() + ", h[t] = " + e() + " for t in 2..T)"
	case 9:
		return "(ode h[0] = " + e() + ", h'[t] = " + e() + " for t in x + 1 by s in g with (rel_tol = 1e-3))"
	case 10:
		return "ode(f, " + e() + ", x, " + e() + s.one("", ", t0 = "+e()+", by = g") + ")"
	case 7:
		return "nn.mlp(" + e() + ", [8, 1])"
	}
	return "pi()"
}

// likelihood makes a text whose left side is an expression that begins with a name, and whose weights may
// have a power of the likelihood behind them.
func (s talker) likelihood() string {
	return "a" + s.one("", "[1]", "'", "^2", " * 3") + s.one(" - ", " / ", "^", " == ") + s.expression(1) +
		" ~ normal(m = " + s.expression(1) + ") weights " + s.operand(1) +
		s.one("", " ^ (1 / 2)", "^2 ^ (0.5)")
}

// TestExpressions writes expressions with their trees, which the tests of tree-sitter-vfl compare with its
// own.
func TestExpressions(t *testing.T) {
	type example struct {
		Text  string   `json:"text"`
		Trees []string `json:"trees"`
	}
	s := talker{rand.New(rand.NewPCG(1, 2))}
	var lines []string
	for len(lines) < 300 {
		text := "let v = " + s.expression(2)
		if len(lines)%4 == 3 {
			text = s.likelihood()
		}
		f, diags := parser.Parse(source.New("e.vfl", text))
		if len(diags) > 0 || len(f.Stmts) != 1 { // a < b < c, say
			continue
		}
		e := example{Text: text}
		for _, r := range roots(f.Stmts[0]) {
			e.Trees = append(e.Trees, shape(r))
		}
		var line strings.Builder
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(line.String()))
	}
	kept(t, "tree-sitter-vfl/test/expressions.json", "[\n"+strings.Join(lines, ",\n")+"\n]\n")
}

// roots lists the expressions of a statement.
func roots(s ast.Stmt) []ast.Expr {
	y, ok := s.(*ast.Likelihood)
	if !ok {
		return []ast.Expr{s.(*ast.Let).Value}
	}
	out := []ast.Expr{y.Left, y.Dist.Args[0].Value, y.Weights}
	if y.Power != nil {
		out = append(out, y.Power)
	}
	return out
}
