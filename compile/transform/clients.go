package transform

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// clientsMay reports what the clients would need but may not see.
func (l *layout) clientsMay(k *cut.Likelihood, diags *diag.List) bool {
	source := l.File.Source
	if left := l.private(k.Stmt.Left); len(left) > 0 {
		diags.Errorf(diag.PowerResponse, source, left[0].Span(),
			"the power transform needs a shared response, but %s belongs only to %s", left[0].Name, l.Server).
			Note("declare it `@ shared` if every client may hold it, or use `transform augmented`")
		return false
	}
	var names []string
	for _, name := range l.private(append([]ast.Expr{k.Stmt.Weights}, k.Args...)...) {
		if !slices.Contains(names, name.Name) {
			names = append(names, name.Name)
		}
	}
	if len(names) > 0 {
		diags.Errorf(diag.PowerData, source, k.Stmt.Span(),
			"under the power transform the clients evaluate this likelihood, but it "+
				"uses private data of %s: %s", l.Server, strings.Join(names, ", ")).
			Note("declare what every client may hold `@ shared`, or use `transform augmented`")
		return false
	}
	good := true
	for _, g := range k.Groups {
		if good && !g.Additive {
			diags.Errorf(diag.PowerNotAdditive, source, g.Span.Span(),
				"the power transform needs every cut in a sum of cuts of equal shape, and in one sum only").
				Note("use `transform augmented`, where the server sees each z separately")
			good = false
		}
	}
	return good
}

// private lists the data of the server in some expressions.
func (l *layout) private(of ...ast.Expr) (found []*ast.Name) {
	for _, e := range of {
		ast.Walk(e, func(n ast.Node) bool {
			if name, ok := n.(*ast.Name); ok {
				if s := l.Symbols[name.Name]; s != nil && s.Kind == check.Data && s.Owner == l.Server {
					found = append(found, name)
				}
			}
			return true
		})
	}
	return found
}

// atClients lets each client with a cut in a likelihood evaluate it to the power 1/J, with its own cuts exact
// and the others' z. J is the number of these clients.
func (l *layout) atClients(k *cut.Likelihood) {
	evaluators := l.Evaluators(k)
	weight := l.weight(evaluators)
	for _, name := range evaluators {
		p := l.Party(name)
		p.Likelihoods = append(p.Likelihoods, l.statement(k, weight, func(g *cut.Group) []ast.Expr {
			return l.othersAndOwn(p, g)
		}))
	}
}

// weight is 1/J, or nil where J is 1.
func (l *layout) weight(evaluators []string) ast.Expr {
	fixed, sum := 0, ast.Expr(nil)
	for _, name := range evaluators {
		c, _ := l.Client(name)
		if n, ok := c.Count.Int(); ok {
			fixed += n
			continue
		}
		sum = add(sum, []ast.Expr{SizeExpr(c.Count)})
	}
	if fixed == 1 && sum == nil {
		return nil
	}
	if fixed > 0 {
		n := number(fixed)
		if sum == nil {
			sum = n
		} else {
			sum = add(sum, []ast.Expr{n})
		}
	}
	return &ast.Binary{Op: "/", X: number(1), Y: sum}
}

// othersAndOwn writes a group as a client sees it: the others' z as one received sum, and its own cut
// exactly.
func (l *layout) othersAndOwn(p *PartyShare, g *cut.Group) []ast.Expr {
	var terms []ast.Expr
	others := false
	for _, c := range g.Cuts {
		if c.Client != p.Name || l.several(c) {
			others = true
			l.send(c)
		}
	}
	if others {
		terms = append(terms, p.receives(Sum{OthersName(l.Program.Program, g), g.Cuts, g.Type}))
	}
	for _, c := range g.Cuts {
		if c.Client == p.Name {
			terms = append(terms, c.Expr)
		}
	}
	return terms
}

// several reports whether more than one member has this cut.
func (p *Program) several(c *cut.Expression) bool {
	cl, _ := p.Client(c.Client)
	n, known := cl.Count.Int()
	return !known || n > 1
}
