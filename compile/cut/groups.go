package cut

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
)

// byParty writes a sum or mean by groups of what several parties own as one of each party, so that a client
// sends a number a group and not one a row: where all know the groups, and each term has the rows. The
// expression itself where that is not so.
func (c *cutter) byParty(e *ast.Call) ast.Expr {
	f, ok := c.Universe.Structural(e.Name.Name)
	if !ok || !f.ByGroups || f.Linear == nil {
		return e
	}
	if out, ok := c.normals[e]; ok {
		return out
	}
	c.normals[e] = e
	terms := c.terms(e.Args[0], false, nil)
	known := !slices.ContainsFunc(e.Args[1:], func(g ast.Expr) bool { return !c.Facts(g).Owners.Shared() })
	if !known || !c.several(terms) || slices.ContainsFunc(terms, func(t term) bool {
		_, sum := t.expr.(*ast.Sum)
		return sum || !c.Facts(t.expr).Type.SameShape(c.Facts(e.Args[0]).Type)
	}) {
		return e
	}
	var parts [][]term
	for _, t := range terms {
		owners := c.Facts(t.expr).Owners
		at := slices.IndexFunc(parts, func(p []term) bool {
			return slices.Equal(c.Facts(p[0].expr).Owners, owners)
		})
		if at < 0 {
			at, parts = len(parts), append(parts, nil)
		}
		parts[at] = append(parts[at], t)
	}
	sums := make([]term, len(parts))
	for i, p := range parts {
		v := c.join(p, e.Args[0])
		call := &ast.Call{At: e.At, Name: e.Name, Args: append([]ast.Expr{v}, e.Args[1:]...)}
		of := c.Facts(v)
		c.facts[call] = check.ExprInfo{Type: c.Facts(e).Type, Owners: of.Owners, Random: of.Random}
		sums[i] = term{call, false}
	}
	out := c.join(sums, e)
	c.normals[e] = out
	return out
}
