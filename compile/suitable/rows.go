package suitable

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
)

// ToSubsample returns the name of the size that counts the rows of a model, and an error for each place
// where a row depends on others, as a mean over rows does, so that a minibatch would change its value. Only
// what enters the density counts: a let that only generated quantities use may mix rows.
func ToSubsample(p *cut.Program) (size string, diags diag.List) {
	c := &rowChecker{Program: p}
	if !c.find() {
		return "", c.diags
	}
	for _, s := range p.Params {
		c.param(s)
	}
	for _, s := range p.Order {
		if s.Kind == check.Data && s.Imputed() {
			c.imputed(s)
		}
	}
	for _, k := range p.Likelihoods {
		c.likelihood(k)
	}
	for _, k := range p.Cuts {
		c.cut(k)
	}
	return c.size, c.diags
}

type rowChecker struct {
	*cut.Program
	size  string
	diags diag.List
	seen  []source.Span // places reported: a let that is used twice is reported once
}

// find takes the first dimension of the responses as that of the rows.
func (c *rowChecker) find() bool {
	for _, k := range c.Likelihoods {
		for _, e := range sides(k) {
			dims := c.Facts(e).Type.Dims
			if len(dims) == 0 {
				continue
			}
			name, named := single(dims[0])
			switch {
			case !named || c.own(name):
				c.none(e.Span(),
					"the rows of this likelihood are %s, which is not the name of one "+
						"size that all parties have", dims[0])
				return false
			case c.size != "" && c.size != name:
				c.none(e.Span(), "this likelihood has %s rows, and another %s", name, c.size)
				return false
			}
			c.size = name
			break
		}
	}
	if c.size == "" {
		c.none(c.File.Span(), "no likelihood has rows")
	}
	return c.size != ""
}

// sides lists the expressions of a likelihood, the response first.
func sides(k *cut.Likelihood) []ast.Expr {
	return slices.DeleteFunc(append([]ast.Expr{k.Left}, k.Args...), func(e ast.Expr) bool { return e == nil })
}

// single returns the name of a size that consists of one name.
func single(s types.Size) (string, bool) {
	names := s.Names()
	if len(names) != 1 || !s.Equal(types.Named(names[0])) {
		return "", false
	}
	return names[0], true
}

// own reports whether each member of a family has its own value of a size.
func (c *rowChecker) own(size string) bool {
	s := c.Sizes[size]
	return s != nil && s.Member != ""
}

func (c *rowChecker) none(at source.Span, format string, args ...any) {
	c.diags.Errorf(diag.NoRows, c.File.Source, at, "the model cannot be fitted by minibatches: "+format,
		args...).
		Note("a minibatch is some rows of the response, counted by one size, such as N in `data y : " +
			"real[N]`; leave --minibatch out")
}

// mixed reports a place once.
func (c *rowChecker) mixed(at ast.Node, format string, args ...any) {
	if slices.Contains(c.seen, at.Span()) {
		return
	}
	c.seen = append(c.seen, at.Span())
	c.diags.Errorf(diag.MixedRows, c.File.Source, at.Span(), format, args...).
		Note("a minibatch has only some of the %s rows, which would change this value; compute it "+
			"beforehand as data, or leave --minibatch out", c.size)
}

// over reports whether a type has an element for each row, and ill whether its shape depends on the number of
// rows in another way.
func (c *rowChecker) over(t types.Type) (over, ill bool) {
	for i, d := range t.Dims {
		if !slices.Contains(d.Names(), c.size) {
			continue
		}
		if i > 0 || !d.Equal(types.Named(c.size)) {
			return false, true
		}
		over = true
	}
	return over, false
}

// imputed refuses missing cells: there is one where a row has it.
func (c *rowChecker) imputed(s *check.Symbol) {
	c.diags.Errorf(diag.RowParam, c.File.Source, s.Ident.Span(),
		"the missing cells of %s are parameters, which grow with its rows", s.Name).
		Note("a minibatch has only some of the rows, and so some of the missing cells; leave --minibatch " +
			"out, or leave the rows with missing cells out: `missing drop`")
}

func (c *rowChecker) param(s *cut.Param) {
	if over, ill := c.over(s.Type); over || ill {
		c.diags.Errorf(diag.RowParam, c.File.Source, s.Ident.Span(),
			"the parameter %s grows with the %s rows", s.Name, c.size).
			Note("a minibatch has only some of the rows, and so some of the elements of %s; leave "+
				"--minibatch out, or index one element per group by a level", s.Name)
		return
	}
	for _, a := range s.Args {
		if a != nil && c.rowwise(a) {
			c.mixed(a, "the prior of %s depends on the rows", s.Name)
		}
	}
}

// likelihood: one without rows stays as it is, unless clients' contributions enter it.
func (c *rowChecker) likelihood(k *cut.Likelihood) {
	if why := k.Dist.Joint(); why != "" {
		c.mixed(k.Stmt, "%s has one value for all rows: %s", k.Dist.Name, why)
		return
	}
	for _, e := range append(sides(k), k.Weights) {
		if e != nil {
			c.rowwise(e)
		}
	}
}

// cut: its auxiliary variables are counted by rows.
func (c *rowChecker) cut(k *cut.Expression) {
	if over, ill := c.over(k.Type); !over || ill {
		c.mixed(k.Expr, "this contribution of %s is of type %s, which does not have one element per row",
			k.Client, k.Type)
		return
	}
	if !slices.ContainsFunc(c.Likelihoods, func(l *cut.Likelihood) bool {
		return slices.ContainsFunc(l.Groups, func(g *cut.Group) bool { return slices.Contains(g.Cuts, k) })
	}) {
		c.mixed(k.Expr,
			"this contribution of %s enters no likelihood: a generated quantity reads it, of all rows",
			k.Client)
		return
	}
	c.rowwise(k.Expr)
}

// rowwise reports whether an expression has an element for each row. An element that depends on other rows is
// an error, and so is any other value that depends on rows.
func (c *rowChecker) rowwise(e ast.Expr) bool {
	over, ill := c.over(c.Facts(e).Type)
	if ill {
		if n, ok := e.(*ast.Name); ok && c.Symbols[n.Name].Kind == check.Param {
			return false // reported where it is declared
		}
		c.mixed(e, "an expression of type %s is not computed row by row", c.Facts(e).Type)
		return false
	}
	switch e := e.(type) {
	case *ast.Name:
		if e.Name == c.size {
			c.mixed(e, "%s, the number of rows, is used as a value", e.Name)
		}
	case *ast.Paren:
		c.rowwise(e.X)
	case *ast.Unary:
		c.rowwise(e.X)
	case *ast.Binary:
		c.binary(e)
	case *ast.Transpose:
		c.apart(e, e.X, "the transpose")
	case *ast.Index:
		c.index(e)
	case *ast.Call:
		c.call(e)
	case *ast.Sum:
		c.sum(e)
	case *ast.Recur:
		if over {
			c.mixed(e, "a recursion computes a row from those before it")
		}
	}
	return over
}

// apart reports an operation on an operand that has an element for each row.
func (c *rowChecker) apart(e ast.Node, x ast.Expr, what string) {
	if c.rowwise(x) {
		c.mixed(e, "%s mixes rows", what)
	}
}

// binary: a matrix product sums over the rows of its right side.
func (c *rowChecker) binary(e *ast.Binary) {
	x, y := c.Facts(e.X).Type, c.Facts(e.Y).Type
	before := len(c.diags)
	c.rowwise(e.X)
	if len(c.diags) > before {
		return
	}
	if e.Op == "*" && !x.Scalar() && !y.Scalar() {
		c.apart(e, e.Y, "the product, a sum over the rows of its right side,")
		return
	}
	c.rowwise(e.Y)
}

// index: rows may choose elements by their levels, and no row may be chosen.
func (c *rowChecker) index(e *ast.Index) {
	over := c.rowwise(e.X)
	for i, a := range e.Args {
		for _, end := range []ast.Expr{a.Lo, a.Hi} {
			if end != nil {
				c.rowwise(end)
			}
		}
		if whole := a.Slice && a.Lo == nil && a.Hi == nil; over && i == 0 && !whole {
			c.mixed(e, "the index chooses rows")
		}
	}
}

// call: elementwise functions go row by row, and so do some structural ones.
func (c *rowChecker) call(e *ast.Call) {
	s, structural := c.Universe.Structural(e.Name.Name)
	byRow := !structural || s.RowWise
	if over, _ := c.over(c.Facts(e).Type); over && structural && s.ByGroups {
		c.mixed(e, "it has a row for each group, which may have any of the rows that it adds up")
		return
	}
	if d, ok := c.Density(e); ok && d.Dist.Event != nil {
		byRow, _ = c.over(c.Facts(e).Type) // else the rows are the elements of one vector
	}
	for _, a := range e.Args {
		if byRow {
			c.rowwise(a)
		} else {
			c.apart(e, a, e.Name.Name)
		}
	}
}

// sum is of one term per member or number, each row by row.
func (c *rowChecker) sum(e *ast.Sum) {
	c.rowwise(e.Body)
	for _, end := range []ast.Expr{e.Lo, e.Hi} {
		if end != nil {
			c.rowwise(end)
		}
	}
}
