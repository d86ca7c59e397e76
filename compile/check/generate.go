package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// generate checks a quantity that is computed, or drawn, for each draw: by the party that owns its names,
// else by the server; `@ FAMILY` by each member.
func (c *checker) generate(s *ast.Generate) {
	var owner string
	var family, ok = false, true
	if s.Owner != nil {
		owner, family, ok = c.owner(s.Owner)
	}
	if family {
		c.family = owner
	}
	defer func() { c.family, c.perDraw = "", false }()
	sym := &Symbol{Name: s.Name.Name, Kind: Generated, Ident: s.Name, Decl: s, Family: family, Random: true,
		used: true}
	c.perDraw = true
	var owners types.Owners
	good := false
	if s.Dist != nil {
		owners, good = c.drawn(s, sym)
	} else {
		owners, good = c.computed(s, sym)
	}
	if !ok || !good {
		c.fail(s.Name.Name)
		return
	}
	sym.Owner = c.generator(owners)
	if s.Owner != nil && !c.mayGenerate(s, owner, owners) {
		c.fail(s.Name.Name)
		return
	}
	if s.Owner != nil && owner != Shared {
		sym.Owner = owner
	}
	if sym.Owners = (types.Owners{sym.Owner}); c.options.Transform.Pooled() {
		sym.Owners = owners // one process has all of them
	}
	c.declare(sym)
}

// generator is the party that computes a quantity of these owners.
func (c *checker) generator(owners types.Owners) string {
	if c.For != "" {
		return c.For
	}
	if name, alone := owners.Sole(); alone && name != Shared {
		return name
	}
	return c.Server
}

// mayGenerate reports a quantity that names a party which does not see what it is made of. The server may
// hold what is computed from cuts.
func (c *checker) mayGenerate(s *ast.Generate, owner string, owners types.Owners) bool {
	if owner == c.Server || owners.Within(owner) || owner == Shared && owners.Shared() {
		return true
	}
	c.errorf(diag.LetOwner, *s.Owner, "%s is declared @ %s, but it depends on names of: %s", s.Name.Name,
		owner, owners)
	return false
}

// computed checks `generate NAME = EXPR`.
func (c *checker) computed(s *ast.Generate, sym *Symbol) (types.Owners, bool) {
	info, ok := c.expr(s.Value)
	t, _, _, ok2 := c.declaredType(s.Type)
	if !ok || !ok2 {
		return nil, false
	}
	if s.Type != nil && (!t.SameShape(info.Type) || t.Elem != info.Type.Elem && t.Elem != types.Real) {
		c.errorf(diag.LetType, s.Value, "%s is declared %s, but this is %s", s.Name.Name, t, info.Type)
	}
	sym.Type, sym.Random = info.Type, info.Random
	return info.Owners, true
}

// drawn checks `generate NAME ~ DIST`. Without a type it has the shape of the arguments.
func (c *checker) drawn(s *ast.Generate, sym *Symbol) (owners types.Owners, ok bool) {
	t, _, _, ok := c.declaredType(s.Type)
	if !ok {
		c.dist(s.Dist)
		return nil, false
	}
	if s.Type == nil {
		if t, ok = c.drawnType(s); !ok {
			return nil, false
		}
	}
	sym.Dist, sym.Args, owners, _, ok = c.clauses(s.Dist, s.Truncate, nil, t, s.Name.Name)
	if !ok || sym.Dist == nil {
		return nil, false
	}
	sym.Type = t
	return owners, c.drawable(s, sym)
}

// drawnType is the type of a draw of which the arguments give the shape.
func (c *checker) drawnType(s *ast.Generate) (out types.Type, ok bool) {
	kept := len(c.diags)
	dist, args := c.dist(s.Dist)
	if dist == nil {
		return out, false
	}
	c.diags = c.diags[:kept] // clauses reports the same again
	if dist.Event != nil {
		c.errorf(diag.DrawnGenerated, s.Dist,
			"%s is a distribution of vectors or matrices, or has such parameters, so that its arguments do "+
				"not give the shape of a draw", dist.Name).
			Note("give it: generate %s : real[K] ~ …, or level(K)[N] for categories", s.Name.Name)
		return out, false
	}
	out.Elem = elementOf(dist)
	for _, a := range args {
		if a == nil {
			continue
		}
		info, good := c.Info[a]
		if !good {
			return out, false
		}
		dims, fits := types.Broadcast(out.Dims, info.Type.Dims)
		if !fits {
			c.errorf(diag.Broadcast, a,
				"the arguments of %s do not go together: %s has another shape than the others", dist.Name, info.Type)
			return out, false
		}
		out.Dims = dims
	}
	return out, true
}

// elementOf is the type of the values of a distribution of numbers.
func elementOf(d *def.Dist) types.Elem {
	switch {
	case d.Support == def.ZeroOne:
		return types.Binary
	case d.Discrete && (d.Support == def.RealLine || d.Support == def.WholeInterval): // maybe below 0
		return types.Int
	case d.Discrete:
		return types.Count
	}
	return types.Real
}

// drawable reports what cannot be drawn as it is declared.
func (c *checker) drawable(s *ast.Generate, sym *Symbol) bool {
	switch d := sym.Dist; {
	case !d.Drawable():
		c.errorf(diag.DrawnGenerated, s.Dist, "nothing can be drawn from %s: %s", d.Name, d.WithoutDraws())
	case d.Event != nil && d.Event.OfTotal:
		c.errorf(diag.DrawnGenerated, s.Dist,
			"a draw from %s needs the total of the counts, which its arguments do not give", d.Name).
			Note("vflc ppc takes it from the data")
	case sym.Type.Elem == types.Level && d.Support != def.Codes, d.Discrete && !sym.Type.Elem.Integral() &&
		sym.Type.Elem != types.Level && s.Type != nil && d.Event == nil:
		c.errorf(diag.DrawnGenerated, s.Type, "a draw from %s is no %s", d.Name, sym.Type)
	default:
		return true
	}
	return false
}
