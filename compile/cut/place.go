package cut

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// A path leads from a place in an argument of a distribution up to the argument, operation by operation. nil
// is the argument itself.
type path struct {
	up      *path
	node    ast.Expr // the operation; nil for a sum
	operand ast.Expr // of the operation: where the place is
	// Of a sum: the values of its other terms, and whether the place is subtracted.
	rest  def.Range
	minus bool
}

// under is the path from an operand of an operation.
func (p *path) under(node, operand ast.Expr) *path {
	return &path{up: p, node: node, operand: operand}
}

// free returns the range of the argument where the place may be any real number. It stops at the first
// operation that is not monotone in the place.
func (at *path) free(ranges *check.Ranges) (values def.Range, stop ast.Expr) {
	values = def.Reals()
	for p := at; p != nil; p = p.up {
		if p.node == nil {
			if p.minus {
				values = values.Neg()
			}
			values = values.Add(p.rest)
			continue
		}
		operands := func(e ast.Expr) def.Range {
			if e == p.operand {
				return values
			}
			return ranges.Beside(e)
		}
		if !ranges.Monotone(p.node, p.operand, operands) {
			return values, p.node
		}
		values = ranges.Given(p.node, operands)
	}
	return values, nil
}

// fits reports whether noise may be added at a place in an argument with a domain: whatever number stands
// there, the argument stays inside, and it moves with that number in one direction, operation by operation.
func (at *path) fits(ranges *check.Ranges, domain def.Support) bool {
	values, stop := at.free(ranges)
	if domain.OfWholes() {
		return stop == nil && at.gives(ranges) == domain
	}
	return stop == nil && values.Within(domain)
}

// gives is the set of vectors that the argument is in whatever numbers stand at the place: that of the values
// of the last function. Rows may be chosen of its value.
func (at *path) gives(ranges *check.Ranges) (of def.Support) {
	var last ast.Expr
	for p := at; p != nil; p = p.up {
		switch p.node.(type) {
		case *ast.Paren, *ast.Index:
		default:
			last = p.node
		}
	}
	return ranges.Gives(last)
}

func (c *cutter) fits(at *path) bool { return at.fits(c.ranges, c.param.Domain) }

// A failure is why no place inside an expression of one client takes noise.
type failure struct {
	reason reason
	at     ast.Expr
	beside []ast.Expr // operands of at that hold names of the client
}

type reason int

const (
	outside reason = iota // the argument would leave its support
	beside                // names of the client would remain beside the cut
	stopped               // an operation that is not monotone
	data                  // no parameter
)

// within replaces the largest expression of a client that takes noise, in an expression of that client and
// shared names, by the reference to its cut. Beside it only shared names may remain; the shared terms of a
// sum stay with them.
func (c *cutter) within(client string, e ast.Expr, at *path) (ast.Expr, *failure) {
	own, shared := c.split(client, e)
	if len(shared) > 0 || own[0].minus {
		at = &path{up: at, rest: c.total(shared), minus: own[0].minus}
	}
	switch {
	case !c.random(own):
		return nil, &failure{reason: data, at: own[0].expr}
	case c.fits(at):
		return c.join(append(shared, c.references(e, part{client, own})...), e), nil
	case len(own) > 1:
		return nil, c.besideOthers(client, e, exprs(own), at)
	}
	inner, failed := c.inside(client, own[0].expr, at)
	if failed != nil {
		return nil, failed
	}
	return c.join(append(shared, term{inner, own[0].minus}), e), nil
}

// maximal cuts all of an expression of a client but the shared terms of a sum.
func (c *cutter) maximal(client string, e ast.Expr) ast.Expr {
	own, shared := c.split(client, e)
	return c.join(append(shared, c.references(e, part{client, own})...), e)
}

// split separates the terms of a sum that hold names of a client from the others.
func (c *cutter) split(client string, e ast.Expr) (own, shared []term) {
	for _, t := range c.terms(e, false, nil) {
		if slices.Contains(c.Facts(t.expr).Owners, client) {
			own = append(own, t)
		} else {
			shared = append(shared, t)
		}
	}
	return own, shared
}

// inside replaces the largest expression that takes noise among the operands of an operation that takes none.
func (c *cutter) inside(client string, e ast.Expr, at *path) (ast.Expr, *failure) {
	own := slices.DeleteFunc(c.operands(e), func(x ast.Expr) bool {
		return !slices.Contains(c.Facts(x).Owners, client)
	})
	if len(own) != 1 {
		return nil, c.besideOthers(client, e, own, at)
	}
	x := own[0]
	if v, ok := e.(*ast.Sum); ok {
		defer c.enter(v)()
	}
	inner, failed := c.within(client, c.normal(x), at.under(e, x))
	if failed != nil {
		return nil, failed
	}
	out := ast.Rebuild(e, func(y ast.Expr) ast.Expr {
		if y == x {
			return inner
		}
		return y
	})
	c.setAtServer(out, e)
	return out, nil
}

// besideOthers is the failure where several operands of an expression, or terms of a sum, hold names of a
// client, or none does: the expression is a name.
func (c *cutter) besideOthers(client string, e ast.Expr, own []ast.Expr, at *path) *failure {
	if _, stop := at.free(c.ranges); stop != nil {
		return &failure{reason: stopped, at: stop}
	}
	for _, x := range own {
		if c.takesNoise(client, x, at.under(e, x)) {
			return &failure{reason: beside, at: e, beside: own}
		}
	}
	return &failure{reason: outside, at: e}
}

// takesNoise reports whether noise may be added somewhere inside an expression, whatever remains beside it.
func (c *cutter) takesNoise(client string, e ast.Expr, at *path) bool {
	if info := c.Facts(e); !info.Random || !slices.Contains(info.Owners, client) {
		return false
	}
	return c.fits(at) || slices.ContainsFunc(c.operands(e), func(x ast.Expr) bool {
		return c.takesNoise(client, x, at.under(e, x))
	})
}

// random reports whether a parameter enters one of some terms.
func (c *cutter) random(terms []term) bool {
	return slices.ContainsFunc(terms, func(t term) bool { return c.Facts(t.expr).Random })
}

func exprs(terms []term) (out []ast.Expr) {
	for _, t := range terms {
		out = append(out, t.expr)
	}
	return out
}

// total is the range of a sum of terms.
func (c *cutter) total(terms []term) def.Range {
	out := def.Point(0)
	for _, t := range terms {
		if v := c.ranges.Beside(t.expr); t.minus {
			out = out.Add(v.Neg())
		} else {
			out = out.Add(v)
		}
	}
	return out
}

// operands lists the expressions directly in an operation; of a subscript, its ends. A member's value has
// none.
func (c *cutter) operands(e ast.Expr) (out []ast.Expr) {
	if c.ofMember(e) {
		return nil
	}
	for _, n := range ast.Children(e) {
		switch n := n.(type) {
		case *ast.Subscript:
			for _, x := range []ast.Expr{n.Lo, n.Hi} {
				if x != nil {
					out = append(out, x)
				}
			}
		case ast.Expr:
			out = append(out, n)
		}
	}
	return out
}

// ofMember reports whether an expression is the value of one member of a family, as beta[j].
func (c *cutter) ofMember(e ast.Expr) bool {
	x, ok := e.(*ast.Index)
	if !ok {
		return false
	}
	n, ok := x.X.(*ast.Name)
	j, named := indexName(x)
	return ok && named && c.Symbols[n.Name] != nil && c.Symbols[n.Name].Family && !c.sized(j)
}

// setAtServer gives a rebuilt expression the facts of the one before it, at the server: its private names
// stand in cuts.
func (c *cutter) setAtServer(out, before ast.Expr) {
	info := c.Facts(before)
	info.Owners = types.Owners{c.home}
	c.facts[out] = info
}

// enter notes that what follows is in the body of a sum with a variable, until the function that it returns
// is called.
func (c *cutter) enter(e *ast.Sum) (leave func()) {
	members, loops := c.members, c.loops
	if e.Family != nil {
		c.members = append(slices.Clone(members), member{e.Var.Name, e.Family.Name})
	} else {
		c.loops = append(slices.Clone(loops), e.Var.Name)
	}
	return func() { c.members, c.loops = members, loops }
}
