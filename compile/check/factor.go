package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// factor checks `factor EXPR`. It is kept as a likelihood without a left side, of the distribution whose log
// density is its argument.
func (c *checker) factor(s *ast.Factor) {
	info, ok := c.expr(s.Value)
	if !ok || !c.numeric(s.Value, info.Type, "factor") {
		return
	}
	if !info.Random && c.For == "" {
		c.diags.Warnf(diag.Unused, c.File.Source, s.Span(),
			"no parameter enters this factor: it is a constant")
	}
	term := c.Universe.Factor()
	call := &ast.Dist{At: s.At, Name: ast.Ident{Name: term.Name}, Args: []*ast.Arg{{Value: s.Value}}}
	c.Likelihoods = append(c.Likelihoods, &Likelihood{Stmt: &ast.Likelihood{At: s.At, Dist: call}, Dist: term,
		Args: []ast.Expr{s.Value}, Owners: info.Owners})
}

// Factor reports whether a likelihood is that of a factor statement, which has no left side.
func (l *Likelihood) Factor() bool { return l.Stmt.Left == nil }

// Shape is the expression that has the elements of a likelihood: the left side, or the value of a factor.
func (l *Likelihood) Shape() ast.Expr {
	if l.Factor() {
		return l.Args[0]
	}
	return l.Stmt.Left
}
