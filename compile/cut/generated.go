package cut

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// generated expands a generated quantity. Where several parties own its names, the server computes it from
// what it holds of a draw: the sums of cuts that likelihoods have.
func (c *cutter) generated(s *check.Symbol) {
	d := s.Decl.(*ast.Generate)
	out := &Generated{Value: c.expand(d.Value), Args: c.expandAll(s.Args)}
	c.Generated[s] = out
	if c.nodes > maxNodes {
		c.errorf(diag.LetsTooLarge, d, "with its lets expanded, this statement is too large to split").
			Note("lets that use one another twice or more double at each step; name " +
				"fewer intermediate values")
		return
	}
	if c.Transform.Kind.Pooled() || c.For != "" || s.Owner != c.Server {
		return
	}
	c.current, c.reading = &Likelihood{}, true
	real, _ := c.Universe.Dist(stdlib.Noise) // its location is any number
	if out.Value != nil {
		c.law, c.param = real, &real.Params[real.LocationAt]
		out.Value = c.held(s, out.Value)
	}
	for i, a := range out.Args {
		if a != nil {
			c.law, c.param = s.Dist, &s.Dist.Params[i]
			out.Args[i] = c.held(s, a)
		}
	}
	c.law, c.param = nil, nil
	out.Groups, c.reading = c.current.Groups, false
}

// held replaces the clients' parts of an expression by references to sums of cuts that the server holds.
func (c *cutter) held(s *check.Symbol, e ast.Expr) ast.Expr {
	if !c.hasClient(c.Facts(e).Owners) {
		return e
	}
	out, missing := c.lookUp(e)
	if missing == nil {
		return out
	}
	client, _ := c.Facts(missing).Owners.Sole()
	c.errorf(diag.GenerateOwner, missing, "%s needs a value of %s that no likelihood sends to %s", s.Name,
		client, c.Server).
		Note("a generated quantity of several parties is made of the cuts of the likelihoods, each sum of "+
			"them as a whole; to send one more cut in every round: --accept new-cut").
		Note("what %s can compute alone: generate %s = … @ %s", client, s.Name, client)
	before := c.snapshot()
	c.whole = e
	if out := c.rewrite(e, nil); len(c.diags) == before.diags {
		return out
	}
	c.restore(before)
	return c.anew(e)
}

// lookUp replaces whatever a group of the likelihoods stands for. missing is the largest expression of one
// client that none holds.
func (c *cutter) lookUp(e ast.Expr) (out, missing ast.Expr) {
	if !c.hasClient(c.Facts(e).Owners) {
		return e, nil
	}
	if p, ok := e.(*ast.Paren); ok {
		return c.lookUp(p.X)
	}
	e = c.normal(e)
	terms := []term{{e, false}}
	if c.chains(e) {
		terms = c.collected(c.terms(e, false, nil))
	}
	if out, ok := c.known(e, terms); ok {
		return out, nil
	}
	out, missing = c.below(e, terms)
	if _, alone := c.Facts(e).Owners.Sole(); alone && missing != nil {
		missing = e
	}
	return out, missing
}

// known replaces the terms of a sum that clients own by the reference to one group, if a likelihood has it.
func (c *cutter) known(e ast.Expr, terms []term) (ast.Expr, bool) {
	s := &chain{whole: e, terms: terms}
	for i, t := range terms {
		owners := c.Facts(t.expr).Owners
		client, alone := owners.Sole()
		sum, ok := t.expr.(*ast.Sum)
		s.own = append(s.own, -1)
		switch {
		case !c.hasClient(owners):
			s.rest = append(s.rest, t)
		case alone:
			s.own[i] = s.add(client, t)
		case ok && sum.Family != nil && c.ofFamily(s, i, sum, nil):
		default:
			return nil, false
		}
	}
	var parts []part
	for _, cl := range c.Clients {
		for _, p := range s.parts {
			if p.client == cl.Name && c.random(p.terms) {
				parts = append(parts, p)
			}
		}
	}
	if len(parts) < len(s.parts) || len(parts) == 0 {
		return nil, false
	}
	before := c.snapshot()
	refs := c.references(e, parts...)
	if len(c.Cuts) > before.cuts || len(c.Groups) > before.groups || len(c.diags) > before.diags {
		c.restore(before)
		return nil, false
	}
	return c.join(append(s.rest, refs...), e), true
}

// below looks up the operands of an expression, or the terms of a sum one by one.
func (c *cutter) below(e ast.Expr, terms []term) (out, missing ast.Expr) {
	each := func(x ast.Expr) ast.Expr {
		inner, none := c.lookUp(x)
		if none != nil && missing == nil {
			missing = none
		}
		return inner
	}
	if len(terms) > 1 {
		var list []term
		for _, t := range terms {
			list = append(list, term{each(t.expr), t.minus})
		}
		return c.join(list, e), missing
	}
	switch x := e.(type) {
	case *ast.Name:
		return e, e
	case *ast.Index:
		if c.hasClient(c.subscriptOwners(x)) || c.ofMember(e) {
			return e, e
		}
	case *ast.Sum:
		defer c.enter(x)()
	case *ast.Recur:
		return e, e
	}
	out = ast.Rebuild(e, each)
	if out != e {
		c.setAtServer(out, e)
	}
	return out, missing
}

// anew cuts all of each client's part of an expression, where noise fits nowhere else.
func (c *cutter) anew(e ast.Expr) ast.Expr {
	if !c.hasClient(c.Facts(e).Owners) {
		return e
	}
	if out, missing := c.lookUp(e); missing == nil {
		return out
	}
	if client, alone := c.Facts(e).Owners.Sole(); alone {
		return c.maximal(client, e)
	}
	if s, ok := e.(*ast.Sum); ok {
		defer c.enter(s)()
	}
	out := ast.Rebuild(e, c.anew)
	if out != e {
		c.setAtServer(out, e)
	}
	return out
}

// A snapshot is what looking up a sum may add to.
type snapshot struct {
	cuts, groups, diags, ofCurrent, argument int
	known, least                             map[string]scaled
	byKey                                    map[string]*Group
}

func (c *cutter) snapshot() snapshot {
	return snapshot{len(c.Cuts), len(c.Groups), len(c.diags), len(c.current.Groups), len(c.argument),
		maps.Clone(c.cuts), maps.Clone(c.least), maps.Clone(c.groups)}
}

func (c *cutter) restore(s snapshot) {
	c.Cuts, c.Groups, c.diags = c.Cuts[:s.cuts], c.Groups[:s.groups], c.diags[:s.diags]
	c.current.Groups, c.argument = slices.Clip(c.current.Groups[:s.ofCurrent]),
		c.argument[:min(s.argument, len(c.argument))]
	c.cuts, c.least, c.groups = s.known, s.least, s.byKey
}
