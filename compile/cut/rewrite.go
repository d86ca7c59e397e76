package cut

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// rewrite replaces the cuts in an expression that several parties own by references to groups. at leads from
// the expression to the argument.
func (c *cutter) rewrite(e ast.Expr, at *path) ast.Expr {
	info := c.Facts(e)
	if !c.hasClient(info.Owners) {
		return e
	}
	if p, ok := e.(*ast.Paren); ok {
		return c.rewrite(p.X, at)
	}
	e = c.normal(e)
	if call, ok := e.(*ast.Call); ok {
		e = c.byParty(call)
	}
	if d, ok := c.Density(e); ok && (c.Transform.Kind.Noise() || !c.one(e)) {
		return c.density(e.(*ast.Call), d)
	}
	if c.Transform.Kind.Noise() && c.one(e) && ast.HoldsDensity(e) {
		return c.descend(e, at) // noise belongs on the arguments of the density
	}
	if client, alone := info.Owners.Sole(); alone {
		return c.sole(client, e, at)
	}
	if c.chains(e) {
		return c.chain(e, at)
	}
	return c.descend(e, at)
}

// sole cuts an expression of one client: where noise may be added to it, and without noise else all of it.
func (c *cutter) sole(client string, e ast.Expr, at *path) ast.Expr {
	out, failed := c.within(client, e, at)
	switch {
	case failed == nil:
		return out
	case failed.reason != data && !c.Transform.Kind.Noise():
		return c.maximal(client, e)
	}
	c.refuse(client, e, at, failed)
	return e
}

// chains reports whether an expression is a sum of terms, or a comprehension that is one.
func (c *cutter) chains(e ast.Expr) bool {
	s, ok := e.(*ast.Sum)
	if ok && s.Family == nil {
		_, ok = c.apart(s, false)
		return ok
	}
	return isChain(e)
}

// isChain reports whether an expression is a sum of terms: one that flatten takes apart, or one over the
// members of a family.
func isChain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Unary:
		return e.Op != "!"
	case *ast.Binary:
		return e.Op == "+" || e.Op == "-"
	case *ast.Sum:
		return e.Family != nil
	}
	return false
}

// apart writes a comprehension over a range as a chain of comprehensions, one for each term of its body,
// where the index stands in what a client has in a body of several owners: a client knows all values of the
// index.
func (c *cutter) apart(e *ast.Sum, minus bool) (out []term, ok bool) {
	if e.Family != nil || !c.hasClient(c.Facts(e).Owners) {
		return nil, false
	}
	terms := c.terms(e.Body, minus, nil)
	if !c.several(terms) {
		return nil, false
	}
	body := c.Facts(e.Body).Type
	for _, t := range terms {
		info := c.Facts(t.expr)
		ok = ok || c.hasClient(info.Owners) && ast.Mentions(t.expr, e.Var.Name)
		if e.Each && !info.Type.SameShape(body) {
			return nil, false
		}
		s := &ast.Sum{At: e.At, Each: e.Each, Body: t.expr, Var: e.Var, Lo: e.Lo, Hi: e.Hi}
		info.Owners = info.Owners.Join(c.CountedBy(e.Lo)).Join(c.CountedBy(e.Hi))
		if e.Each {
			info.Type.Dims = c.Facts(e).Type.Dims
		}
		c.facts[s] = info
		out = append(out, term{s, t.minus})
	}
	return out, ok
}

// descend rebuilds a node over its rewritten children.
func (c *cutter) descend(e ast.Expr, at *path) ast.Expr {
	info := c.Facts(e)
	c.passes(e)
	below := func(x ast.Expr) ast.Expr { return c.rewrite(x, at.under(e, x)) }
	var out ast.Expr
	switch e := e.(type) {
	case *ast.Binary:
		out = &ast.Binary{At: e.At, Op: e.Op, OpAt: e.OpAt, X: below(e.X), Y: below(e.Y)}
	case *ast.Unary:
		out = &ast.Unary{At: e.At, Op: e.Op, X: below(e.X)}
	case *ast.Transpose:
		out = &ast.Transpose{At: e.At, X: below(e.X)}
	case *ast.Index:
		if c.hasClient(c.subscriptOwners(e)) {
			c.errorf(diag.ClientData, e, "client data would be read by another party: the subscripts here").
				Note("make them `@ shared` if every party may hold them")
			return e
		}
		out = &ast.Index{At: e.At, X: below(e.X), Args: e.Args}
	case *ast.Call:
		args := make([]ast.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = below(a)
		}
		out = &ast.Call{At: e.At, Name: e.Name, Args: args}
	case *ast.Sum:
		if c.hasClient(c.CountedBy(e.Lo).Join(c.CountedBy(e.Hi))) {
			c.errorf(diag.ClientData, e, "client data would be read by another party: the range of this sum").
				Note("make them `@ shared` if every party may hold them")
			return e
		}
		leave := c.enter(e)
		out = &ast.Sum{At: e.At, Each: e.Each, Body: below(e.Body), Var: e.Var, Family: e.Family, Lo: e.Lo,
			Hi: e.Hi}
		leave()
	case *ast.Recur:
		return c.recursion(e, at)
	default:
		return e
	}
	c.facts[out] = info
	return out
}

func (c *cutter) subscriptOwners(e *ast.Index) types.Owners {
	var owners types.Owners
	for _, a := range e.Args {
		for _, x := range []ast.Expr{a.Lo, a.Hi} {
			if x != nil {
				owners = owners.Join(c.Facts(x).Owners).Join(c.CountedBy(x))
			}
		}
	}
	return owners
}

// term is one term of a chain of + and -.
type term struct {
	expr  ast.Expr
	minus bool
}

// terms appends the terms of a chain, in which products have their normal form.
func (c *cutter) terms(e ast.Expr, minus bool, out []term) []term {
	switch x := e.(type) {
	case *ast.Paren:
		return c.terms(x.X, minus, out)
	case *ast.Unary:
		if x.Op == "+" || x.Op == "-" {
			return c.terms(x.X, minus != (x.Op == "-"), out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			out = c.terms(x.X, minus, out)
			return c.terms(x.Y, minus != (x.Op == "-"), out)
		}
		if n := c.normal(e); n != e {
			return c.terms(n, minus, out)
		}
	case *ast.Sum:
		if terms, ok := c.apart(x, minus); ok {
			return append(out, terms...)
		}
	case *ast.Call:
		if n := c.byParty(x); n != e {
			return c.terms(n, minus, out)
		}
	}
	return append(out, term{e, minus})
}

// A part is what one client adds to a sum.
type part struct {
	client string
	terms  []term
}

// A chain is a sum of several parties while its cuts are found.
type chain struct {
	whole ast.Expr
	at    *path
	terms []term
	own   []int // by term, the index in parts of the client that owns it; -1 where none does alone
	parts []part
	rest  []term // that stay with the server
}

// chain cuts a sum: the terms of one client form one cut, and all its cuts one group; the rest stays where it
// is.
func (c *cutter) chain(e ast.Expr, at *path) ast.Expr {
	s := &chain{whole: e, at: at, terms: c.collected(c.terms(e, false, nil))}
	for i, t := range s.terms {
		c.sort(s, i, t)
	}
	var together []part
	for _, cl := range c.Clients {
		for k, p := range s.parts {
			if p.client == cl.Name && c.together(s, k) {
				together = append(together, p)
			}
		}
	}
	if len(together) > 0 {
		s.rest = append(s.rest, c.references(e, together...)...)
	}
	return c.join(s.rest, e)
}

// sort puts a term to the part of the client that owns it, or to the rest.
func (c *cutter) sort(s *chain, i int, t term) {
	owners := c.Facts(t.expr).Owners
	client, alone := owners.Sole()
	sum, ok := t.expr.(*ast.Sum)
	frame := func() *path { // adds up all other terms: not for every term
		return &path{up: s.at, rest: c.total(append(append([]term(nil), s.terms[:i]...), s.terms[i+1:]...)),
			minus: t.minus}
	}
	s.own = append(s.own, -1)
	switch {
	case !c.hasClient(owners):
		s.rest = append(s.rest, t)
	case alone:
		s.own[i] = s.add(client, t)
	case ok && sum.Family != nil && c.ofFamily(s, i, sum, frame()):
	case ok:
		s.rest = append(s.rest, term{c.descend(t.expr, frame()), t.minus})
	default:
		s.rest = append(s.rest, term{c.rewrite(t.expr, frame()), t.minus})
	}
}

// add appends a term to a client's part and returns the part's index.
func (s *chain) add(client string, t term) int {
	for k := range s.parts {
		if s.parts[k].client == client {
			s.parts[k].terms = append(s.parts[k].terms, t)
			return k
		}
	}
	s.parts = append(s.parts, part{client, []term{t}})
	return len(s.parts) - 1
}

// ofFamily splits the terms under a sum over a family into the members' own and the others. It returns false
// where a term mixes both, or where the members' own do not take noise as they are.
func (c *cutter) ofFamily(s *chain, i int, e *ast.Sum, frame *path) bool {
	var own, other []term
	for _, t := range c.terms(e.Body, s.terms[i].minus, nil) {
		owners := c.Facts(t.expr).Owners
		switch client, alone := owners.Sole(); {
		case alone && client == e.Family.Name:
			own = append(own, t)
		case !c.hasClient(owners):
			other = append(other, t)
		default:
			return false
		}
	}
	frame = &path{up: frame, rest: c.total(other).Total()}
	if c.Transform.Kind.Noise() && !c.fits(frame) {
		return false
	}
	for _, t := range own {
		s.own[i] = s.add(e.Family.Name, term{c.own(t.expr, e.Var.Name), t.minus})
	}
	if len(other) > 0 {
		body := c.join(other, e.Body)
		out := &ast.Sum{At: e.At, Body: body, Var: e.Var, Family: e.Family}
		c.facts[out] = c.Facts(body)
		s.rest = append(s.rest, term{out, false})
	}
	return true
}

// together reports whether the terms of a client are cut as one, in the group of the chain. Where they do not
// take noise so, a single term may take it further inside.
func (c *cutter) together(s *chain, k int) bool {
	p := s.parts[k]
	var others []term
	for i, t := range s.terms {
		if s.own[i] != k {
			others = append(others, t)
		}
	}
	frame := &path{up: s.at, rest: c.total(others)}
	failed := &failure{reason: data, at: p.terms[0].expr}
	if c.Transform.Kind.Noise() && slices.ContainsFunc(p.terms, func(t term) bool {
		return ast.HoldsDensity(t.expr)
	}) {
		for _, t := range p.terms {
			s.rest = append(s.rest, term{c.rewrite(t.expr, frame), t.minus})
		}
		return false
	}
	switch {
	case !c.random(p.terms):
	case c.fits(frame):
		return true
	case len(p.terms) == 1:
		var inner ast.Expr
		frame.minus = p.terms[0].minus
		if inner, failed = c.inside(p.client, p.terms[0].expr, frame); failed == nil {
			s.rest = append(s.rest, term{inner, frame.minus})
			return false
		}
	default:
		failed = c.besideOthers(p.client, s.whole, exprs(p.terms), s.at)
	}
	if failed.reason != data && !c.Transform.Kind.Noise() {
		return true
	}
	c.refuse(p.client, p.terms[0].expr, frame, failed)
	return false
}

// join writes terms as a chain again; where all were refused, it is as it was.
func (c *cutter) join(terms []term, from ast.Expr) ast.Expr {
	if len(terms) == 0 {
		return from
	}
	info := check.ExprInfo{}
	var out ast.Expr
	where := terms[0].expr.Span()
	for i, t := range terms {
		ti := c.Facts(t.expr)
		info.Owners, info.Random = info.Owners.Join(ti.Owners), info.Random || ti.Random
		dims, ok := types.Broadcast(info.Type.Dims, ti.Type.Dims)
		if !ok {
			dims = c.Facts(from).Type.Dims
		}
		info.Type.Dims = dims
		where = where.Join(t.expr.Span())
		at := ast.At(where)
		switch {
		case i == 0 && t.minus:
			out = &ast.Unary{At: at, Op: "-", X: t.expr}
		case i == 0:
			out = t.expr
		case t.minus:
			out = &ast.Binary{At: at, Op: "-", X: out, Y: t.expr}
		default:
			out = &ast.Binary{At: at, Op: "+", X: out, Y: t.expr}
		}
		if i > 0 || t.minus {
			c.facts[out] = info
		}
	}
	return out
}
