package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// weight checks a weight: a parameter without a prior, whose density is that of a flat one, and of which a
// point is estimated.
func (c *checker) weight(s *ast.Weight) {
	owner, family, ok := c.owner(s.Owner)
	if family {
		c.family = owner
	}
	defer func() { c.family = "" }()
	t, good := c.weightType(s)
	kind, known := c.initialValues(s, len(t.Dims))
	if !ok || !good || !known {
		c.fail(s.Name.Name)
		return
	}
	flat, _ := c.Universe.Dist(stdlib.Flat)
	sym := &Symbol{Name: s.Name.Name, Kind: Param, Ident: s.Name, Decl: s, Type: t, Owner: owner,
		Family: family, Dist: flat, Args: make([]ast.Expr, len(flat.Params)), Initial: kind}
	c.length(sym)
	c.declare(sym)
}

// weightType resolves the type of a weight: real numbers without bounds.
func (c *checker) weightType(s *ast.Weight) (types.Type, bool) {
	if s.Type == nil {
		return types.Type{}, true
	}
	if set, is := c.Universe.Structured(s.Type.Elem.Name); is {
		c.errorf(diag.BadWeight, s.Type.Elem, "a weight is real, but %s is declared %s", s.Name.Name,
			set.Name).
			Note("map real weights into the set, as by softmax(w), or declare a parameter with a "+
				"prior: param %s : %s[K] ~ …", s.Name.Name, set.Name)
		return types.Type{}, false
	}
	t, lower, upper, ok := c.declaredType(s.Type)
	switch {
	case !ok:
		return t, false
	case t.Elem != types.Real:
		c.errorf(diag.BadWeight, s.Type, "a weight is real, but %s is declared %s", s.Name.Name, t.Elem)
		return t, false
	case lower != nil || upper != nil:
		c.errorf(diag.BadWeight, s.Type,
			"a weight has no bounds").Note("map it where it is used, as exp(%s) or inv_logit(%[1]s), or "+
			"declare a parameter with a prior", s.Name.Name)
		return t, false
	}
	return t, true
}

// initialValues finds the kind of initial values that a weight of so many dimensions begins with.
func (c *checker) initialValues(s *ast.Weight, rank int) (*def.Initial, bool) {
	if s.Init == nil {
		return c.Universe.DefaultInitial(rank), true
	}
	kind, ok := c.Universe.Initial(s.Init.Name)
	if ok {
		return kind, true
	}
	d := c.errorf(diag.BadInitial, s.Init, "%q is not a kind of initial values", s.Init.Name)
	if elsewhere(d, diag.Initials, *s.Init, always) {
		return nil, false
	}
	if near := Nearest(s.Init.Name, c.Universe.Initials()); near != "" {
		d.Note("did you mean %s? `vflc doc weight` says what it is", near)
	} else {
		d.Note("there are %s", list(c.Universe.Initials()))
	}
	return nil, false
}
