package cut

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// recursion cuts what clients have in a recursion of several parties. It is cut outside: arrays whose entries
// the steps take, and values that are the same in every step. Where the recursion is affine in them, noise on
// them is noise on its entries; else noise is refused there, as in any operation that is not monotone.
func (c *cutter) recursion(e *ast.Recur, at *path) ast.Expr {
	if c.hasClient(c.CountedBy(e.Lo).Join(c.CountedBy(e.Hi))) {
		c.errorf(diag.ClientData, e,
			"client data would be read by another party: the range of this recursion").Note(
			"make them `@ shared` if every party may hold them",
		)
		return e
	}
	if o := e.Ode; o != nil {
		for _, x := range []ast.Expr{o.Times, o.By, e.Init[0].Index} {
			if x != nil && c.hasClient(c.Facts(x).Owners) {
				c.errorf(diag.ClientData, x, "client data would be read by another party: the times or groups "+
					"of this differential equation").Note("make them `@ shared` if every party may hold them, or let the " +
					"party with the times have the response too")
				return e
			}
		}
	}
	affine := e.Ode == nil
	c.degrees = map[string]int{}
	for _, s := range e.Steps() {
		c.degrees[s.Name.Name] = c.degree(e, s.Value)
	}
	for _, i := range append(slices.Clip(e.Init), e.Step) {
		affine = affine && c.degree(e, i.Value) <= 1
	}
	piece := func(x ast.Expr) ast.Expr {
		if affine {
			return c.rewrite(x, at)
		}
		return c.rewrite(x, at.under(e, x))
	}
	entry := func(i *ast.Entry) *ast.Entry {
		return &ast.Entry{At: i.At, Name: i.Name, Index: i.Index, Value: c.stepped(e, i.Value, piece)}
	}
	out := &ast.Recur{At: e.At, Var: e.Var, Lo: e.Lo, Hi: e.Hi, Ode: e.Ode}
	for _, p := range e.Parts {
		out.Parts = append(out.Parts, entry(p))
	}
	out.Step = entry(e.Step)
	for _, i := range e.Init {
		out.Init = append(out.Init, entry(i))
	}
	c.setAtServer(out, e)
	return out
}

// stepped rewrites the expressions in an entry that are the same in all steps.
func (c *cutter) stepped(e *ast.Recur, x ast.Expr, piece func(ast.Expr) ast.Expr) ast.Expr {
	owners := c.Facts(x).Owners
	switch {
	case !c.hasClient(owners):
		return x
	case partOf(e, x) != "": // what clients have in it is cut where it is computed
		out := *x.(*ast.Index)
		c.setAtServer(&out, x)
		return &out
	case !c.mentionsIndex(e, x) && !c.mentionsName(x, e.Step.Name.Name):
		return piece(x)
	}
	if client, alone := owners.Sole(); alone && !c.mentionsName(x, e.Step.Name.Name) && !c.entryOf(e, x) &&
		c.private(x) != 1 {
		c.errorf(diag.RecurCut, x, "%s contributes to each step of this recursion, which %s computes", client,
			c.Server).
			Note("write what it contributes as an array of its own outside: let m = …, and m[%s] here",
				e.Var.Name)
		return x
	}
	out := ast.Rebuild(x, func(y ast.Expr) ast.Expr { return c.stepped(e, y, piece) })
	if out != x {
		c.setAtServer(out, x)
	}
	return out
}

// partOf returns the name of the part of a step that an expression reads, "" where it reads none.
func partOf(e *ast.Recur, x ast.Expr) string {
	if i, ok := x.(*ast.Index); ok {
		if n, ok := i.X.(*ast.Name); ok && e.Part(n.Name) != nil {
			return n.Name
		}
	}
	return ""
}

// private counts the operands of an expression that hold names of clients.
func (c *cutter) private(x ast.Expr) int {
	n := 0
	for _, y := range c.operands(x) {
		if c.hasClient(c.Facts(y).Owners) {
			n++
		}
	}
	return n
}

// entryOf reports whether an expression is an entry of an array that is the same in all steps, as m[t], or
// parentheses around one.
func (c *cutter) entryOf(e *ast.Recur, x ast.Expr) bool {
	i, ok := ast.Unparen(x).(*ast.Index)
	return ok && !c.mentionsIndex(e, i.X) && !c.hasClient(c.subscriptOwners(i))
}

func (c *cutter) mentionsIndex(e *ast.Recur, x ast.Expr) bool {
	return slices.ContainsFunc(e.Indices(), func(id ast.Ident) bool { return c.mentionsName(x, id.Name) })
}

func (c *cutter) mentionsParts(e *ast.Recur, x ast.Expr) bool {
	return slices.ContainsFunc(e.Parts, func(p *ast.Entry) bool { return c.mentionsName(x, p.Name.Name) })
}

// degree bounds the degree of an entry in the recursion and in what clients have, taken together: 2 stands
// for anything but affine.
func (c *cutter) degree(e *ast.Recur, x ast.Expr) int {
	if name := partOf(e, x); name != "" {
		return c.degrees[name]
	}
	if !c.mentionsName(x, e.Step.Name.Name) && !c.mentionsParts(e, x) && !c.hasClient(c.Facts(x).Owners) {
		return 0
	}
	switch x := x.(type) {
	case *ast.Name:
		return 1
	case *ast.Paren:
		return c.degree(e, x.X)
	case *ast.Unary:
		return c.degree(e, x.X)
	case *ast.Transpose:
		return c.degree(e, x.X)
	case *ast.Index:
		return 1 // an entry of the recursion, or of a cut
	case *ast.Sum:
		return c.degree(e, x.Body)
	case *ast.Binary:
		a, b := c.degree(e, x.X), c.degree(e, x.Y)
		switch x.Op {
		case "+", "-":
			return max(a, b)
		case "*", ".*":
			return min(a+b, 2)
		case "/", "./":
			if b == 0 {
				return a
			}
		}
	}
	if !c.mentionsName(x, e.Step.Name.Name) && !c.mentionsName(x, e.Var.Name) {
		return 1 // it is cut as a whole
	}
	return 2
}
