package cut

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
)

// Noise is added to cuts, so that k * (XA*a + XB*b) and k*(XA*a) + k*(XB*b) would have two posteriors if they
// were cut as they are written. So every product is brought to one form first: factors of the server outside,
// factors that are shared or constant on each term of a sum that several parties own. Products and quotients
// element by element and sums over a family's members are multiplied out; nothing else is, and no factor.

// normal returns an expression in that form; the expression itself where it has that form, or where clients
// add no noise.
func (c *cutter) normal(e ast.Expr) ast.Expr {
	b, ok := e.(*ast.Binary)
	if !ok || !c.Transform.Kind.Noise() || !c.hasClient(c.Facts(e).Owners) {
		return e
	}
	if out, ok := c.normals[e]; ok {
		return out
	}
	out := e
	if p := c.product(b); p.moved {
		out = c.join(p.terms, e)
		for _, f := range slices.Backward(p.outside) {
			out = c.times(f, out, b)
		}
	}
	c.normals[e] = out
	return out
}

// A factor multiplies or divides.
type factor struct {
	expr   ast.Expr
	op     string // as written
	right  bool   // of its operator: it stands on the right side
	divide bool
}

// A product is a sum of terms with factors of the server around it, the first outermost.
type product struct {
	outside []factor
	terms   []term
	moved   bool // something was multiplied out, or went past a factor of the server
}

// product takes the factors off a product of which one operand holds no client's names.
func (c *cutter) product(e *ast.Binary) product {
	f, x, ok := c.factored(e)
	if !ok {
		return product{terms: []term{{e, false}}}
	}
	p := c.multiplied(x)
	server, shared := c.partition(f)
	if len(server)+len(p.outside) == 0 && !c.several(p.terms) {
		return product{terms: []term{{e, false}}}
	}
	if len(shared) > 0 {
		p.moved = true
		c.distributed(e, shared, p.terms)
		for i := range p.terms {
			for _, s := range slices.Backward(shared) {
				p.terms[i].expr = c.onto(s, p.terms[i].expr, e)
			}
		}
	}
	p.outside = append(server, p.outside...)
	return p
}

// multiplied returns what a factor multiplies: the terms of a sum of several owners, or a term with the
// factors of the server around it.
func (c *cutter) multiplied(x ast.Expr) product {
	terms := c.terms(x, false, nil)
	if len(terms) > 1 || c.several(terms) {
		if !c.several(terms) {
			terms = []term{{x, false}}
		}
		return product{terms: terms}
	}
	b, ok := terms[0].expr.(*ast.Binary)
	if !ok {
		return product{terms: terms}
	}
	p := c.product(b)
	for i := range p.terms {
		p.terms[i].minus = p.terms[i].minus != terms[0].minus
	}
	return p
}

// factored returns the operand of a product, element by element, that holds no client's names, and the other
// one.
func (c *cutter) factored(e *ast.Binary) (f factor, x ast.Expr, ok bool) {
	switch {
	case e.Op != "*" && e.Op != ".*" && e.Op != "/" && e.Op != "./" || c.ranges.MatrixProduct(e):
		return factor{}, nil, false
	case !c.hasClient(c.Facts(e.Y).Owners):
		return factor{e.Y, e.Op, true, e.Op == "/" || e.Op == "./"}, e.X, true
	case !c.hasClient(c.Facts(e.X).Owners) && (e.Op == "*" || e.Op == ".*"):
		return factor{e.X, e.Op, false, false}, e.Y, true
	}
	return factor{}, nil, false
}

// partition separates the factors of the server from shared ones. A factor without names of the server stays
// whole.
func (c *cutter) partition(f factor) (server, shared []factor) {
	if c.Facts(f.expr).Owners.Shared() {
		return nil, []factor{f}
	}
	b, ok := f.expr.(*ast.Binary)
	g, x, splits := factor{}, ast.Expr(nil), false
	if ok {
		g, x, splits = c.sharedFactor(b)
	}
	if !splits {
		return []factor{f}, nil
	}
	g.divide, g.right = g.divide != f.divide, f.right
	f.expr = x
	server, shared = c.partition(f)
	return server, append(shared, g)
}

// sharedFactor returns the shared operand of a product of the server's.
func (c *cutter) sharedFactor(e *ast.Binary) (f factor, x ast.Expr, ok bool) {
	switch {
	case e.Op != "*" && e.Op != ".*" && e.Op != "/" && e.Op != "./" || c.ranges.MatrixProduct(e):
		return factor{}, nil, false
	case c.Facts(e.Y).Owners.Shared():
		return factor{e.Y, e.Op, true, e.Op == "/" || e.Op == "./"}, e.X, true
	case c.Facts(e.X).Owners.Shared() && (e.Op == "*" || e.Op == ".*"):
		return factor{e.X, e.Op, false, false}, e.Y, true
	}
	return factor{}, nil, false
}

// several reports whether terms are a sum of two or more owners: several parties, a family's members, or one
// client and shared names.
func (c *cutter) several(terms []term) bool {
	var parties types.Owners
	shared := false
	for _, t := range terms {
		o := c.Facts(t.expr).Owners
		parties, shared = parties.Join(o), shared || o.Shared()
		if s, ok := t.expr.(*ast.Sum); ok && s.Family != nil && c.hasClient(o) {
			return true
		}
	}
	return len(terms) > 1 && c.hasClient(parties) && (len(parties) > 1 || shared)
}

// onto multiplies a term by a shared factor; the members' terms of a sum over a family one by one.
func (c *cutter) onto(f factor, x ast.Expr, from *ast.Binary) ast.Expr {
	s, ok := x.(*ast.Sum)
	if !ok || s.Family == nil || c.mentionsName(f.expr, s.Var.Name) {
		return c.normal(c.times(f, x, from))
	}
	body := c.onto(f, s.Body, from)
	out := &ast.Sum{At: s.At, Body: body, Var: s.Var, Family: s.Family}
	info := c.Facts(s)
	info.Type.Dims = c.Facts(body).Type.Dims
	c.facts[out] = info
	return out
}

// times writes the product or quotient of an expression and a factor, as its operator stood where the shapes
// still allow it.
func (c *cutter) times(f factor, x ast.Expr, from *ast.Binary) ast.Expr {
	fi, xi := c.Facts(f.expr), c.Facts(x)
	op := "*"
	if f.divide {
		op = "/"
	}
	divides := f.op == "/" || f.op == "./"
	if f.divide == divides && strings.HasPrefix(f.op, ".") || !fi.Type.Scalar() && !xi.Type.Scalar() {
		op = "." + op
	}
	out := &ast.Binary{At: from.At, OpAt: from.OpAt, Op: op, X: f.expr, Y: x}
	if f.right || f.divide {
		out.X, out.Y = x, f.expr
	}
	info := xi
	info.Owners, info.Random = fi.Owners.Join(xi.Owners), fi.Random || xi.Random
	info.Type = types.Type{}
	info.Type.Dims, _ = types.Broadcast(fi.Type.Dims, xi.Type.Dims)
	c.facts[out] = info
	return out
}

func (c *cutter) mentionsName(e ast.Expr, name string) bool { return ast.Mentions(e, name) }
