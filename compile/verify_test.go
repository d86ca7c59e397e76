package compile_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

var pair = compiletest.Fixture{
	Text: `client a, b
data y : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
param m ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
let eta = m + XA * u + XB * v
y ~ normal(eta, 1)
`,
	Tables: map[string]string{"server": "id,y\n1,0.5\n2,1\n", "a": "id,x1,x2\n1,1,2\n2,3,4\n",
		"b": "id,x3\n1,2\n2,1\n"},
}

// Each pass's Verify finds the faults put into its result here: a leaked value, a lost statement, a channel
// with one end.
func TestVerifyFindsWhatIsWrong(t *testing.T) {
	power := check.Options{Transform: stdlib.Power}
	for name, c := range map[string]struct {
		options check.Options
		after   string
		spoil   func(*compile.Model)
	}{
		"an expression without a type": {after: "check", spoil: func(m *compile.Model) {
			delete(m.Checked.Info, m.Checked.Likelihoods[0].Args[0])
		}},
		"a client's name taken for shared": {after: "check", spoil: func(m *compile.Model) {
			changeInfo(m, func(i *check.ExprInfo) { i.Owners = nil })
		}},
		"a parameter taken for data": {after: "check", spoil: func(m *compile.Model) {
			changeInfo(m, func(i *check.ExprInfo) { i.Random = false })
		}},
		"a shape that does not fit": {after: "check", spoil: func(m *compile.Model) {
			changeInfo(m, func(i *check.ExprInfo) { i.Type.Dims = []types.Size{types.Named("Q")} })
		}},
		"an owner who is nobody": {after: "check", spoil: func(m *compile.Model) {
			m.Checked.Symbols["u"].Owner = "c"
		}},
		"a prior at another party": {after: "check", spoil: func(m *compile.Model) {
			m.Checked.Symbols["m"].Args[0] = value(m)
		}},
		"no noise": {after: "check", spoil: func(m *compile.Model) {
			m.Checked.Transform.Rho = -1
		}},
		"a private name at the server": {after: "cut", spoil: func(m *compile.Model) {
			m.Cuts.Likelihoods[0].Args[1] = value(m).(*ast.Binary).Y
		}},
		"another client's cut": {after: "cut", spoil: func(m *compile.Model) {
			m.Cuts.Cuts[0].Client = "b"
		}},
		"the same cut twice": {after: "cut", spoil: func(m *compile.Model) {
			m.Cuts.Cuts = append(m.Cuts.Cuts, m.Cuts.Cuts[0])
		}},
		"a cut that enters nothing": {after: "cut", spoil: func(m *compile.Model) {
			m.Cuts.Groups[0].Cuts = m.Cuts.Groups[0].Cuts[1:]
		}},
		"a group without a use": {after: "cut", spoil: func(m *compile.Model) {
			m.Cuts.Likelihoods[0].Args[0] = m.Cuts.Likelihoods[0].Args[1]
		}},
		"noise on a scale": {after: "cut", spoil: func(m *compile.Model) {
			l := m.Cuts.Likelihoods[0]
			l.Args[1] = sent(l.Args[0])
		}},
		"noise through a square": {after: "cut", spoil: func(m *compile.Model) { around(m, "square") }},
		"noise outside a domain": {after: "cut", spoil: func(m *compile.Model) { around(m, "log") }},
		"a smaller cut than need be": {after: "cut", spoil: func(m *compile.Model) {
			l := m.Cuts.Likelihoods[0]
			m.Cuts.Groups[0].Cuts = m.Cuts.Groups[0].Cuts[:1]
			m.Cuts.Cuts = m.Cuts.Cuts[:1]
			l.Args[0] = call("tanh", sent(l.Args[0]))
		}},
		"a likelihood lost": {after: "transform", spoil: func(m *compile.Model) {
			m.Parts.Parties[0].Likelihoods = nil
		}},
		"a likelihood twice": {after: "transform", spoil: func(m *compile.Model) {
			p := m.Parts.Parties[0]
			p.Likelihoods = append(p.Likelihoods, p.Likelihoods...)
		}},
		"a cut that nobody sends": {after: "transform", spoil: func(m *compile.Model) {
			m.Parts.Parties[1].Sent = nil
		}},
		"a cut that nobody receives": {after: "transform", spoil: func(m *compile.Model) {
			m.Parts.Parties[0].Received = nil
		}},
		"powers of 2": {power, "transform", func(m *compile.Model) {
			m.Parts.Parties[1].Likelihoods[0].Power = nil
		}},
		"one client's share lost": {power, "transform", func(m *compile.Model) {
			m.Parts.Parties[2].Likelihoods = nil
		}},
		"another's cut exact": {power, "transform", func(m *compile.Model) {
			m.Parts.Parties[1].Likelihoods[0].Left = value(m)
		}},
		"a program that was changed": {after: "split", spoil: func(m *compile.Model) {
			m.Programs[1].Text += "\n"
		}},
		"a value that is not sent": {after: "split", spoil: func(m *compile.Model) {
			rewrite(m, 0, "receive z_1 : real[N] from a\n", "")
		}},
		"a value sent to nobody": {power, "split", func(m *compile.Model) {
			rewrite(m, 1, "receive o_1 : real[N] from server\n", "")
		}},
		"another party's data": {after: "split", spoil: func(m *compile.Model) {
			rewrite(m, 1, "param u", "data XB : real[N, P]\nparam u")
		}},
		"more in the manifest": {after: "split", spoil: func(m *compile.Model) {
			m.Manifest.Parties = append(m.Manifest.Parties, m.Manifest.Parties[0])
		}},
	} {
		m := compiletest.Compile(t, pair.Text, c.options)
		c.spoil(m)
		if err := m.Verify(); err == nil || !strings.Contains(err.Error(), "after "+c.after+":") {
			t.Errorf("%s: %v, want an error after %s", name, err, c.after)
		}
	}
}

// value is XA * u + XB * v before it is cut, at the end of eta's value.
func value(m *compile.Model) ast.Expr { return m.Checked.Symbols["eta"].Decl.(*ast.Let).Value }

// sent is what stands for the clients' sum at the end of an argument.
func sent(e ast.Expr) ast.Expr { return e.(*ast.Binary).Y }

// around applies a function to the first argument after it is cut.
func around(m *compile.Model, function string) {
	l := m.Cuts.Likelihoods[0]
	l.Args[0] = call(function, l.Args[0])
}

func call(function string, x ast.Expr) ast.Expr {
	return &ast.Call{Name: ast.Ident{Name: function}, Args: []ast.Expr{x}}
}

// changeInfo changes the facts of eta where the likelihood refers to it.
func changeInfo(m *compile.Model, change func(*check.ExprInfo)) {
	e := m.Checked.Likelihoods[0].Args[0]
	i := m.Checked.Info[e]
	change(&i)
	m.Checked.Info[e] = i
}

// rewrite changes a program together with its digest.
func rewrite(m *compile.Model, party int, old, with string) {
	p := &m.Programs[party]
	p.Text = strings.Replace(p.Text, old, with, 1)
	m.Manifest.Parties[party].SHA256 = split.Digest(p.Text)
}

func TestVerifyFindsWhatIsWrongWithData(t *testing.T) {
	for name, c := range map[string]struct {
		after string
		spoil func(*compile.BoundModel)
	}{
		"no number": {"bind", func(b *compile.BoundModel) { b.Values["a"]["XA"].Values[0] = math.NaN() }},
		"values too few": {"bind", func(b *compile.BoundModel) {
			v := b.Values["a"]["XA"]
			v.Values = v.Values[1:]
		}},
		"another's table":   {"bind", func(b *compile.BoundModel) { b.Values["b"]["XA"] = b.Values["a"]["XA"] }},
		"a size of its own": {"sizes", func(b *compile.BoundModel) { b.Sizes.Common["P"]++ }},
		"a party lost":      {"lower", func(b *compile.BoundModel) { b.Lowered = b.Lowered[:2] }},
		"a parameter's size": {"lower", func(b *compile.BoundModel) {
			b.Lowered[1].Spec.Params[0].Dims = []int{1}
		}},
		"a cut lost":        {"lower", func(b *compile.BoundModel) { b.Lowered[1].Spec.Cuts = nil }},
		"data from nowhere": {"lower", func(b *compile.BoundModel) { delete(b.Values["a"], "XA") }},
		"a wire too many": {"link", func(b *compile.BoundModel) {
			g := &b.Plan.Groups[0]
			g.Members = append(g.Members, g.Members[0])
		}},
	} {
		b := pair.Bind(t, check.Options{})
		c.spoil(b)
		if err := b.Verify(); err == nil || !strings.Contains(err.Error(), "after "+c.after+":") {
			t.Errorf("%s: %v, want an error after %s", name, err, c.after)
		}
	}
}

// A manifest that no party takes is not written.
func TestManifestsWithoutAForm(t *testing.T) {
	m := compiletest.Compile(t, pair.Text, check.Options{})
	if len(m.Files()) != 4 {
		t.Error("the files are", len(m.Files()))
	}
	m.Manifest.Parties[1].Name = m.Manifest.Parties[2].Name
	defer func() {
		if what, _ := recover().(string); !strings.HasPrefix(what,
			"compile: a manifest that no party takes") {
			t.Errorf("it is written: %q", what)
		}
	}()
	m.Files()
}
