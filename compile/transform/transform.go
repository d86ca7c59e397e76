// Package transform turns a model with cuts into what each party evaluates, by the facts of the model's
// transform.
package transform

import (
	"slices"

	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// A PartyShare is the share of one party, or of each member of a family.
type PartyShare struct {
	Name        string
	Family      bool
	Likelihoods []*ast.Likelihood
	Sent        []*cut.Expression // of a client: its cuts that leave, as z ~ normal(cut, rho) or themselves
	Received    []*cut.Expression // of the server
	Sums        []Sum             // of a client that evaluates likelihoods with cuts: from the server
	Generated   []*ast.Generate
}

// A Sum is what the server adds up of what clients send, for a client: without the client's own, which it has
// itself. One cut alone keeps its name.
type Sum struct {
	Name string
	Cuts []*cut.Expression
	Type types.Type
}

// A Program is a model as its parties evaluate it.
type Program struct {
	*cut.Program
	Parties []*PartyShare // the server first, then the clients as declared
}

// Apply applies the model's transform.
func Apply(p *cut.Program) (*Program, diag.List) {
	l := &layout{Program: &Program{Program: p}}
	l.Parties = append(l.Parties, &PartyShare{Name: p.Server})
	for _, c := range p.Clients {
		l.Parties = append(l.Parties, &PartyShare{Name: c.Name, Family: c.Family})
	}
	if p.Transform.Kind.Pooled() {
		l.Parties = l.Parties[:1] // the server evaluates the model as written
		return l.Program, nil
	}
	var diags diag.List
	for _, k := range p.Likelihoods {
		switch {
		case l.alone(k):
		case k.Factor() && p.Transform.Kind.Powers():
			diags.Errorf(diag.PowerFactor, p.File.Source, k.Stmt.Span(),
				"under the power transform the clients would evaluate this factor, which has no "+
					"response that they share").
				Note("use `transform augmented` or `transform exact`, or a factor of its own for each party")
		case k.Dist.Joint() != "" && k.Home == p.Server && p.Transform.Kind.Powers():
			diags.Errorf(diag.PowerJoint, p.File.Source, k.Stmt.Span(),
				"under the power transform each client would evaluate %s with noise on the others' rows, "+
					"but its rows cannot be taken apart: %s", k.Dist.Name, k.Dist.Joint()).
				Note("use `transform augmented` or `transform exact`, where the server evaluates it")
		case k.Home != p.Server:
			l.atHome(k, &diags)
		case !p.Transform.Kind.Powers():
			l.atServer(k)
		case l.clientsMay(k, &diags):
			l.atClients(k)
		}
	}
	l.generated(&diags)
	l.order()
	return l.Program, diags
}

// order sorts what the server receives by cut.
func (l *layout) order() {
	received := l.Parties[0].Received
	slices.SortFunc(received, func(a, b *cut.Expression) int {
		return slices.Index(l.Cuts, a) - slices.Index(l.Cuts, b)
	})
}

// layout builds a Program.
type layout struct{ *Program }

// Party returns the share of a party by name.
func (p *Program) Party(name string) *PartyShare {
	for _, q := range p.Parties {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// statement writes a likelihood as a party evaluates it: terms returns the terms that replace a group.
func (l *layout) statement(k *cut.Likelihood, power ast.Expr,
	terms func(*cut.Group) []ast.Expr) *ast.Likelihood {
	args := make([]ast.Expr, len(k.Args))
	for i, a := range k.Args {
		if a != nil {
			args[i] = l.substitute(a, terms)
		}
	}
	text := Write(k.Dist, args)
	return &ast.Likelihood{At: k.Stmt.At, Left: k.Left, Dist: text.Dist, Truncate: text.Truncate,
		Censor: text.Censor, Weights: k.Weights, Power: power}
}

// Statement is a likelihood as a program writes it: one without a left side is a factor.
func Statement(l *ast.Likelihood) ast.Stmt {
	if l.Left == nil {
		return &ast.Factor{At: l.At, Value: l.Dist.Args[0].Value}
	}
	return l
}

// Dist writes a distribution with its arguments; those after an omitted one are named.
func Dist(name string, params []string, args []ast.Expr) *ast.Dist {
	d := &ast.Dist{Name: ast.Ident{Name: name}}
	gap := false
	for i, a := range args {
		switch {
		case a == nil:
			gap = true
		case gap:
			d.Args = append(d.Args, &ast.Arg{Name: &ast.Ident{Name: params[i]}, Value: a})
		default:
			d.Args = append(d.Args, &ast.Arg{Value: a})
		}
	}
	return d
}

// substitute replaces references to groups; the terms of a reference at the end of a chain become terms of
// the chain.
func (l *layout) substitute(e ast.Expr, terms func(*cut.Group) []ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.Name:
		if g := l.Referenced(x.Name); g != nil {
			return add(nil, terms(g))
		}
	case *ast.Binary:
		if n, ok := x.Y.(*ast.Name); ok && x.Op == "+" {
			if g := l.Referenced(n.Name); g != nil {
				return add(l.substitute(x.X, terms), terms(g))
			}
		}
	}
	return ast.Rebuild(e, func(y ast.Expr) ast.Expr { return l.substitute(y, terms) })
}

// add adds terms to a sum, which is nil at first.
func add(sum ast.Expr, terms []ast.Expr) ast.Expr {
	for _, t := range terms {
		if sum == nil {
			sum = t
			continue
		}
		sum = continued(sum, t)
	}
	return sum
}

// continued adds a term to a sum; a term that is a chain is added term by term.
func continued(sum, t ast.Expr) ast.Expr {
	if b, ok := t.(*ast.Binary); ok && (b.Op == "+" || b.Op == "-") {
		return &ast.Binary{Op: b.Op, X: continued(sum, b.X), Y: b.Y}
	}
	if u, ok := t.(*ast.Unary); ok && u.Op == "-" {
		return &ast.Binary{Op: "-", X: sum, Y: u.X}
	}
	return &ast.Binary{Op: "+", X: sum, Y: t}
}

// received is what the server writes for what a client sends of a cut: its name, or the sum over the members
// of a family.
func received(k *cut.Expression) ast.Expr {
	name := &ast.Name{Name: k.Name}
	if !k.Family {
		return name
	}
	j := "j"
	return &ast.Sum{
		Body: &ast.Index{X: name, Args: []*ast.Subscript{{Lo: &ast.Name{Name: j}}}},
		Var:  ast.Ident{Name: j}, Family: &ast.Ident{Name: k.Client},
	}
}

// alone assigns a likelihood to the party that sees all of it, if there is one.
func (l *layout) alone(k *cut.Likelihood) bool {
	if k.Party == "" {
		return false
	}
	p := l.Party(k.Party)
	p.Likelihoods = append(p.Likelihoods, l.statement(k, nil, nil))
	return true
}

// send records that a client sends a cut.
func (l *layout) send(k *cut.Expression) {
	p := l.Party(k.Client)
	if !slices.Contains(p.Sent, k) {
		p.Sent = append(p.Sent, k)
		server := l.Parties[0]
		server.Received = append(server.Received, k)
	}
}
