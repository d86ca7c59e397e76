package transform

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// clientsMay reports what the clients would need but may not see.
func (l *layout) clientsMay(k *cut.Likelihood, diags *diag.List) bool {
	source := l.File.Source
	good := true
	for _, e := range append([]ast.Expr{k.Stmt.Left, k.Stmt.Weights}, k.Args...) {
		ast.Walk(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || !good {
				return good
			}
			s := l.Symbols[name.Name]
			if s == nil || s.Kind != check.Data || s.Owner != l.Server {
				return true
			}
			good = false
			if e == k.Stmt.Left {
				diags.Errorf(diag.PowerResponse, source, name.Span(), "the power transform needs a shared response, but %s belongs only to %s", name.Name, l.Server).
					Note("declare it `@ shared` if every client may hold it, or use `transform augmented`")
			} else {
				diags.Errorf(diag.PowerData, source, k.Stmt.Span(), "under the power transform the clients evaluate this likelihood, but %s is private data of %s", name.Name, l.Server).
					Note("declare %s `@ shared` if every client may hold it, or use `transform augmented`", name.Name)
			}
			return false
		})
	}
	for _, g := range k.Groups {
		if good && !g.Additive {
			diags.Errorf(diag.PowerNotAdditive, source, g.Span.Span(), "the power transform needs every cut in a sum of cuts of equal shape, and in one sum only").
				Note("use `transform augmented`, where the server sees each z separately")
			good = false
		}
	}
	return good
}

// atClients lets each client with a cut in a likelihood evaluate it to the power 1/J, with its own cuts exact and the others' z. J is the
// number of these clients.
func (l *layout) atClients(k *cut.Likelihood) {
	evaluators := l.Evaluators(k)
	weight := l.weight(evaluators)
	for _, name := range evaluators {
		p := l.Party(name)
		p.Likelihoods = append(p.Likelihoods, l.statement(k, weight, func(g *cut.Group) []ast.Expr { return l.othersAndOwn(p, g) }))
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

// othersAndOwn writes a group as a client sees it: the others' z as one received sum, and its own cut exactly.
func (l *layout) othersAndOwn(p *Party, g *cut.Group) []ast.Expr {
	var terms []ast.Expr
	others := false
	for _, c := range g.Cuts {
		if c.Client != p.Name || l.several(c) {
			others = true
			l.send(c)
		}
	}
	if others {
		terms = append(terms, &ast.Name{Name: OthersName(l.Program.Program, g)})
		if !slices.Contains(p.Others, g) {
			p.Others = append(p.Others, g)
		}
	}
	for _, c := range g.Cuts {
		if c.Client == p.Name {
			terms = append(terms, c.Expr)
		}
	}
	return terms
}

// several reports whether more than one member has this cut.
func (p *Program) several(c *cut.Cut) bool {
	cl, _ := p.Client(c.Client)
	n, known := cl.Count.Int()
	return !known || n > 1
}
