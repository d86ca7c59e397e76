package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
)

// NewLevels reports why a model has no parameters for categories that it was not fitted to, of a size of
// levels: each element of what is indexed by the size must have a prior of its own, and enter the model by
// its own category alone. Where there is no error, elements for new categories are draws from their priors,
// and nothing else changes.
func (m *Model) NewLevels(size string) diag.List {
	g := &grower{Program: m.Checked, source: m.Source, size: size}
	for _, s := range m.Checked.Order {
		switch decl := s.Decl.(type) {
		case *ast.Data:
			if g.counts(s.Type) {
				g.refuse(s.Ident, "%s is data of each category of level(%s), and a new one has none", s.Name,
					size)
			}
		case *ast.Param:
			g.prior(s)
		case *ast.Let:
			g.along(decl.Value)
		default:
			if s.Initial != nil && g.counts(s.Type) {
				g.refuse(s.Ident,
					"%s is a weight, which has no prior from which elements of new categories could be drawn",
					s.Name)
			}
		}
	}
	for _, l := range m.Checked.Likelihoods {
		for _, a := range l.Args {
			if l.Factor() {
				g.beside(a)
			}
			g.along(a)
		}
	}
	return g.diags
}

// beside refuses a factor that adds to the prior of what is drawn.
func (g *grower) beside(e ast.Expr) {
	for _, name := range namesOf(e) {
		if s := g.Symbols[name]; s != nil && s.Kind == check.Param && g.counts(s.Type) {
			g.refuse(e, "this factor is a part of the prior of %s, so that new elements cannot be drawn "+
				"from what stands at its declaration alone", name)
		}
	}
}

// A grower examines what has an element for each category.
type grower struct {
	*check.Program
	source *source.File
	size   string
	diags  diag.List
}

func (g *grower) refuse(at ast.Node, format string, args ...any) {
	if len(g.diags) == 0 { // one reason is enough
		g.diags.Errorf(diag.NewLevels, g.source, at.Span(), format, args...).
			Note("predict rows of the categories that the run has, or fit the model to all: a category " +
				"without rows is a category all the same where `levels` or a const says so")
	}
}

// counts reports whether a type has the size among its dimensions.
func (g *grower) counts(t types.Type) bool { return slices.ContainsFunc(t.Dims, g.mentions) }

func (g *grower) mentions(d types.Size) bool { return slices.Contains(d.Names(), g.size) }

func (g *grower) prior(s *check.Symbol) {
	for _, a := range s.Args {
		g.along(a)
	}
	if !g.counts(s.Type) {
		return
	}
	vector := 0
	if s.Dist.Event != nil {
		vector = s.Dist.Event.Rank
	}
	if s.Structure != nil {
		vector = s.Structure.Rank
	}
	for k, d := range s.Type.Dims {
		switch {
		case g.mentions(d) && !d.Equal(types.Named(g.size)):
			g.refuse(s.Ident, "%s has %s elements, which is not one for each category of level(%s)", s.Name,
				d, g.size)
		case g.mentions(d) && k >= len(s.Type.Dims)-vector:
			g.refuse(s.Ident,
				"the elements of %s for all categories have one joint prior, %s, so that a new "+
					"one has none of its own", s.Name, s.Dist.Name)
		}
	}
	for _, a := range s.Args {
		if a != nil && g.readsRows(a) {
			g.refuse(a, "the prior of %s depends on data of the rows, which are others now", s.Name)
		}
	}
}

// readsRows reports whether data with rows enter an expression, also through lets.
func (g *grower) readsRows(e ast.Expr) bool {
	return slices.ContainsFunc(namesOf(e), func(name string) bool {
		s := g.Symbols[name]
		switch {
		case s == nil:
			return false
		case s.Kind == check.Data:
			return !s.Type.Scalar()
		case s.Kind == check.Let:
			return g.readsRows(s.Decl.(*ast.Let).Value)
		}
		return false
	})
}

// along checks that an element of a category depends on no other category.
func (g *grower) along(e ast.Expr) {
	if e == nil {
		return
	}
	of := func(x ast.Expr) types.Type { return g.Info[x].Type }
	switch x := e.(type) {
	case *ast.Name:
		if x.Name == g.size {
			g.refuse(e, "%s, the number of categories, is used as a value, which new categories would change",
				g.size)
		}
	case *ast.Binary:
		if a, b := of(x.X), of(x.Y); x.Op == "*" && !a.Scalar() && !b.Scalar() &&
			(g.mentions(a.Dims[len(a.Dims)-1]) || g.counts(b)) {
			g.refuse(e, "this product adds over the categories of level(%s), so that "+
				"new ones would change it", g.size)
		}
	case *ast.Call:
		for _, a := range x.Args {
			if g.counts(of(a)) && !g.byCategory(x, of(a)) {
				g.refuse(e, "%s mixes the categories of level(%s), so that new ones would change its value",
					x.Name.Name, g.size)
			}
		}
	case *ast.Transpose:
		if g.counts(of(x.X)) {
			g.refuse(e, "the transpose has the categories of level(%s) along another axis", g.size)
		}
	case *ast.Recur:
		ast.Walk(x, func(n ast.Node) bool {
			if y, ok := n.(ast.Expr); ok && g.counts(of(y)) {
				g.refuse(e, "this recursion goes along the categories of level(%s)", g.size)
			}
			return true
		})
	}
	for _, n := range ast.Children(e) {
		switch n := n.(type) {
		case *ast.Subscript:
			g.along(n.Lo)
			g.along(n.Hi)
		case ast.Expr:
			g.along(n)
		}
	}
}

// byCategory reports whether a function computes each category by itself, given an argument that has them.
func (g *grower) byCategory(e *ast.Call, arg types.Type) bool {
	out := g.Info[e].Type
	if !g.counts(out) {
		return false
	}
	if _, ok := g.Density(e); ok {
		return true
	}
	s, ok := g.Universe.Structural(e.Name.Name)
	return !ok || s.RowWise && g.mentions(arg.Dims[0]) && g.mentions(out.Dims[0])
}
