package cut

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// maxNodes bounds the size of expressions after their lets are expanded.
const maxNodes = 200_000

type expandKey struct {
	expr   ast.Expr
	member string
}

func (c *cutter) expandAll(list []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, e := range list {
		out[i] = c.expand(e)
	}
	return out
}

// expand expands the lets in an expression.
func (c *cutter) expand(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	return c.expandFor(e, "")
}

// expandFor expands lets; with a member, the bare names of a family's let become that member's.
func (c *cutter) expandFor(e ast.Expr, member string) ast.Expr {
	if c.leaf(e) {
		c.nodes++
		return e
	}
	key := expandKey{e, member}
	if out, ok := c.expanded[key]; ok {
		c.nodes += size(out)
		return out
	}
	if c.nodes > maxNodes {
		return e
	}
	c.nodes++
	defer c.binding(e)()
	if n, ok := e.(*ast.Name); ok && slices.Contains(c.bound, n.Name) {
		return e
	}
	out := ast.Rebuild(e, func(x ast.Expr) ast.Expr { return c.expandFor(x, member) })
	switch x := e.(type) {
	case *ast.Paren:
		out = c.expandFor(x.X, member)
	case *ast.Name:
		s := c.Symbols[x.Name]
		switch {
		case s != nil && s.Kind == check.Let && (s.Family || member == ""):
			out = c.expandFor(s.Decl.(*ast.Let).Value, member)
		case s != nil && s.Kind == check.Let:
			out = c.expandFor(s.Decl.(*ast.Let).Value, "")
		case s != nil && s.Family && s.Kind != check.Party && member != "":
			out = c.memberOf(x, member)
		}
	case *ast.Index:
		if n, ok := x.X.(*ast.Name); ok {
			s := c.Symbols[n.Name]
			j, named := indexName(x)
			if s != nil && s.Family && named && len(x.Args) == 1 && !c.sized(j) &&
				!slices.Contains(c.counting, j) {
				out = e
				if s.Kind == check.Let {
					out = c.expandFor(s.Decl.(*ast.Let).Value, j)
				}
			}
		}
	}
	if out != e {
		if _, ok := c.facts[out]; !ok {
			if _, ok := c.Info[out]; !ok {
				c.facts[out] = c.Info[e]
			}
		}
	}
	c.expanded[key] = out
	return out
}

// leaf reports whether an expression is a number, or a name that stands for no other expression.
func (c *cutter) leaf(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Number:
		return true
	case *ast.Name:
		s := c.Symbols[e.Name]
		return s == nil || s.Kind != check.Let && !s.Family
	}
	return false
}

// binding notes the names that an expression binds for those inside it, until the function that it returns is
// called.
func (c *cutter) binding(e ast.Expr) (leave func()) {
	bound, counting := c.bound, c.counting
	switch e := e.(type) {
	default:
		return func() {}
	case *ast.Recur:
		c.bound, c.counting = slices.Clone(bound), slices.Clone(counting)
		for _, id := range e.Indices() {
			c.counting = append(c.counting, id.Name)
		}
		for _, s := range e.Steps() {
			c.bound = append(c.bound, s.Name.Name)
		}
	case *ast.Sum:
		if e.Family == nil {
			c.counting = append(slices.Clone(counting), e.Var.Name)
		}
	}
	return func() { c.bound, c.counting = bound, counting }
}

// sized reports whether a name is a size or a declared value, and so not a variable of a comprehension.
func (c *cutter) sized(name string) bool {
	_, symbol := c.Symbols[name]
	_, size := c.Sizes[name]
	return symbol || size
}

func indexName(e *ast.Index) (string, bool) {
	if len(e.Args) == 0 || e.Args[0].Slice {
		return "", false
	}
	n, ok := e.Args[0].Lo.(*ast.Name)
	if !ok {
		return "", false
	}
	return n.Name, true
}

// memberOf writes X as X[j].
func (c *cutter) memberOf(x *ast.Name, j string) ast.Expr {
	out := &ast.Index{At: x.At, X: x, Args: []*ast.Subscript{{At: x.At, Lo: &ast.Name{At: x.At, Name: j}}}}
	c.facts[out] = c.Info[x]
	return out
}

// own writes X[j] as X: a member's expression in its own names.
func (c *cutter) own(e ast.Expr, j string) ast.Expr {
	if x, ok := e.(*ast.Index); ok {
		if n, ok := x.X.(*ast.Name); ok {
			s := c.Symbols[n.Name]
			if name, named := indexName(x); s != nil && s.Family && named && name == j {
				out := &ast.Name{At: n.At, Name: n.Name}
				c.facts[out] = c.Facts(e)
				return out
			}
		}
	}
	if n, ok := e.(*ast.Name); ok && n.Name == j && !c.sized(j) {
		c.errorf(diag.ClientData, n,
			"the member's number %s enters its contribution, but a member does not know its number", j).
			Note("give each member a datum of its own instead")
	}
	out := ast.Rebuild(e, func(x ast.Expr) ast.Expr { return c.own(x, j) })
	if out != e {
		c.facts[out] = c.Facts(e)
	}
	return out
}

// size counts nodes, up to the bound. An array of constants is one: it is the same node wherever it stands.
func size(e ast.Expr) int {
	n := 0
	ast.Walk(e, func(x ast.Node) bool {
		n++
		_, constants := x.(*ast.Array)
		return n <= maxNodes && !constants
	})
	return n
}
