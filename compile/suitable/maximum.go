// Package suitable finds, without data, what in a model an algorithm cannot do, each with its reason:
// maximise a density that has no maximum, evaluate some rows without the others, draw weights, which have no
// prior.
package suitable

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// ToMaximise returns an error for each place where the density, the clients' parameters integrated out, has
// no maximum over auxiliary variables and server parameters: where a scale goes to 0 while its residuals can
// be made 0, where a prior is infinite at the edge of its support, or where there are no auxiliary
// variables. It examines scales of location-scale distributions and constants in priors; a model that passes
// may still have no maximum, because of a flat prior for example.
func ToMaximise(p *cut.Program) diag.List {
	c := &checker{Program: p, priors: map[*check.Symbol]*cut.Param{}}
	for _, s := range p.Params {
		c.priors[s.Symbol] = s
	}
	if p.Transform.Kind.CutsCross() {
		c.noAuxiliaries()
		return c.diags
	}
	for _, k := range p.Likelihoods {
		c.likelihood(k)
	}
	for _, s := range p.Params {
		if c.maximised(s.Symbol) {
			c.prior(s)
		}
	}
	return c.diags
}

type checker struct {
	*cut.Program
	priors map[*check.Symbol]*cut.Param
	diags  diag.List
}

// noAuxiliaries reports that there is nothing to maximise over, at the transform where it is the model that
// names it.
func (c *checker) noAuxiliaries() {
	where := source.Span{}
	for _, s := range c.File.Stmts {
		if t, ok := s.(*ast.Transform); ok && t.Kind.Name == c.Transform.Kind.Name {
			where = t.Span()
		}
	}
	c.diags.Errorf(diag.NoAuxiliaries, c.File.Source, where,
		"transform %s has no auxiliary variables, and this backend finds the most probable ones",
		c.Transform.Kind).
		Note("use another backend, or `transform %s`", stdlib.DefaultTransform)
}

// maximised reports whether a symbol is a parameter that the server keeps, shared or not.
func (c *checker) maximised(s *check.Symbol) bool {
	return s.Kind == check.Param && (s.Owner == c.Server || s.Owner == check.Shared)
}

// withoutAuxiliaries reports whether there are no auxiliary variables: power with one client is the true
// model, whose contribution is integrated out.
func (c *checker) withoutAuxiliaries() bool {
	return c.Transform.Kind.Powers() && len(c.Clients) == 1 && !c.Clients[0].Family
}

// likelihood: with auxiliary variables in the location, residuals can be made 0.
func (c *checker) likelihood(k *cut.Likelihood) {
	location, scale := spread(k.Dist, k.Args)
	if c.withoutAuxiliaries() || len(k.Groups) == 0 || location == nil || scale == nil {
		return
	}
	for _, s := range c.loose(scale) {
		c.unbounded(scale, s).
			Note("the auxiliary variables in the location of %s are maximised over too: they can fit every "+
				"response, and the density grows without bound as %s goes to 0", k.Dist.Name, s.Name)
	}
}

// prior of a server parameter: both it and what its prior depends on are maximised over. Declared noncentered
// it has a prior without them.
func (c *checker) prior(s *cut.Param) {
	if c.edge(s) {
		return
	}
	_, scale := spread(s.Dist, s.Args)
	if scale == nil || s.Noncentered() {
		return
	}
	way := ""
	if s.Dist.ScaleAt >= 0 {
		way = "; declared `noncentered` it does not"
	}
	for _, by := range c.loose(scale) {
		c.unbounded(scale, by).
			Note("%s is maximised over too: at the centre of its prior the density grows without "+
				"bound as %s goes to 0%s", s.Name, by.Name, way)
	}
}

// spread returns the location and the scale among the arguments, nil where there is none.
func spread(d *def.Dist, args []ast.Expr) (location, scale ast.Expr) {
	l, s := d.Spread()
	if l >= 0 {
		location = args[l]
	}
	if s >= 0 {
		scale = args[s]
	}
	return location, scale
}

func (c *checker) unbounded(at ast.Expr, s *check.Symbol) *diag.Diagnostic {
	return c.diags.Errorf(diag.NoMaximum, c.File.Source, at.Span(),
		"the density has no maximum: nothing keeps the scale %s from 0", s.Name).
		Note("give %s a fixed value, a prior that vanishes fast at 0 (inv_gamma, lognormal), or a lower "+
			"bound; or use another backend", s.Name)
}

// edge reports a prior that is infinite at an end of its support.
func (c *checker) edge(s *cut.Param) bool {
	lower, upper := c.ends(s)
	for _, e := range []end{lower, upper} {
		if e.Exponent == nil {
			continue
		}
		theta := c.arguments(s)
		if !(e.Exponent.Of(theta) < 0) {
			continue
		}
		k := e.Exponent.Param
		c.diags.Errorf(diag.InfinitePrior, c.File.Source, s.Args[k].Span(),
			"the density has no maximum: with %s = %v the prior of %s is infinite at an edge of its support",
			s.Dist.Params[k].Name, theta[k], s.Name).
			Note("take a shape of at least 1, or use another backend")
		return true
	}
	return false
}

func (c *checker) constant(e ast.Expr) (float64, bool) {
	if e == nil {
		return 0, false
	}
	return c.ConstValue(e)
}
