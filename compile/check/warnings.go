package check

import (
	"math"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// warnings are given only where there are no errors.
func (c *checker) warnings() {
	ranges := c.Ranges(func(e ast.Expr) ExprInfo { return c.Info[e] })
	for _, s := range c.Order {
		switch d := s.Decl.(type) {
		case *ast.Data:
			c.columnTwice(d)
		case *ast.Param:
			c.linearArgument(ranges, s.Dist, s.Args)
		}
		if !s.used {
			c.unused(s)
		}
	}
	c.densities(func(_ *ast.Call, d Density) { c.linearArgument(ranges, d.Dist, d.Args) })
	c.functionDomains(ranges)
	c.mixtures()
	first := map[string]*Likelihood{}
	for _, l := range c.Likelihoods {
		c.linearArgument(ranges, l.Dist, l.Args)
		c.intercepts(l)
		c.movingEnds(ranges, l)
		if l.Factor() {
			continue
		}
		left := format.Expr(l.Stmt.Left)
		if before := first[left]; before != nil && c.For == "" {
			c.diags.Warnf(diag.CountedTwice, c.File.Source, l.Stmt.Span(),
				"%s has a likelihood already: its values count twice, as if each had been observed two times",
				left).
				NoteAt(c.File.Source, before.Stmt.Span(), "the first is here")
		} else if before == nil {
			first[left] = l
		}
	}
}

// intercepts warns where a number is added in every row to an argument of which data know differences only.
func (c *checker) intercepts(l *Likelihood) {
	if l.Factor() {
		return
	}
	for k, p := range l.Dist.Params {
		if p.Differences == "" || !c.estimated(l, k) {
			continue
		}
		for _, e := range c.terms(l.Args[k], nil) {
			if info := c.Info[e]; info.Random && len(info.Type.Dims) == 0 {
				c.diags.Warnf(diag.Intercept, c.File.Source, e.Span(),
					"data say nothing of this number, which is added to %s of %s in every row: %s", p.Name,
					l.Dist.Name, p.Differences).
					Note("leave it out")
			}
		}
	}
}

// estimated reports whether parameters stand in all arguments of a distribution but the k-th and those that
// are data.
func (c *checker) estimated(l *Likelihood, k int) bool {
	for i, p := range l.Dist.Params {
		if i != k && !p.Data && !(l.Args[i] != nil && c.Info[l.Args[i]].Random) {
			return false
		}
	}
	return true
}

// terms takes a sum apart, also where a let stands for it.
func (c *checker) terms(e ast.Expr, out []ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.Paren:
		return c.terms(x.X, out)
	case *ast.Unary:
		if x.Op == "+" || x.Op == "-" {
			return c.terms(x.X, out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			return c.terms(x.Y, c.terms(x.X, out))
		}
	case *ast.Name:
		if s := c.Symbols[x.Name]; s != nil && s.Kind == Let {
			return c.terms(s.Decl.(*ast.Let).Value, out)
		}
	}
	return append(out, e)
}

// unused reports what becomes of a name that nothing refers to.
func (c *checker) unused(s *Symbol) {
	warn := func(code diag.Code, format string, args ...any) *diag.Diagnostic {
		return c.diags.Warnf(code, c.File.Source, s.Ident.Span(), format, args...)
	}
	switch {
	case s.Kind == Let:
		warn(diag.Unused, "%s is used nowhere", s.Name)
	case s.Kind != Param:
	case s.Initial != nil:
		warn(diag.Unused, "weight %s is used nowhere: it keeps its initial values", s.Name)
	case c.pure() && s.Dist != nil && (s.Dist.Proper() || bounded(s)):
	case s.Dist != nil && !s.Dist.Proper() && !bounded(s):
		warn(diag.Improper, "parameter %s is used nowhere and its prior is improper: so is its posterior",
			s.Name)
	case slices.ContainsFunc(s.Args, func(a ast.Expr) bool { return a != nil && c.Info[a].Random }):
		warn(diag.Unused,
			"parameter %s is used nowhere: given the other parameters of its prior, it follows that prior",
			s.Name).
			Note("this is right for a prediction or for a value that was censored; " +
				"otherwise use it or delete it")
	default:
		warn(diag.Unused, "parameter %s is used nowhere: its posterior is its prior", s.Name)
	}
}

// pure reports a model that has nothing but parameters: it is the distribution that their priors say.
func (c *checker) pure() bool {
	return len(c.Likelihoods) == 0 && !slices.ContainsFunc(c.Order, func(s *Symbol) bool {
		return s.Kind == Data
	})
}

// Flat reports a parameter whose prior is improper. A flat density between two declared bounds is that of a
// distribution.
func (s *Symbol) Flat() bool {
	return s.Dist != nil && !s.Dist.Proper() && s.Initial == nil && !s.Opaque && !bounded(s) &&
		(s.Lower == nil || s.Upper == nil)
}

// Improper lists the parameters whose priors are improper.
func (p *Program) Improper() []string {
	out := []string{}
	for _, s := range p.Order {
		if s.Kind == Param && s.Flat() {
			out = append(out, s.Name)
		}
	}
	return out
}

// bounded reports a parameter in a bounded set of vectors or matrices, in which a constant density is that of
// a distribution, or in one where a density that a constant does not change is proper.
func bounded(s *Symbol) bool {
	if s.Structure == nil {
		return false
	}
	if s.Structure.Support == def.ZeroSum && s.Dist.Event != nil { // of connected regions
		return true
	}
	lower, upper := s.Structure.Support.Bounds(nil)
	return !math.IsInf(lower, 0) && !math.IsInf(upper, 0)
}

// columnTwice warns where one `from` clause takes a column twice in the same form.
func (c *checker) columnTwice(d *ast.Data) {
	seen := map[string]bool{}
	for _, col := range d.From {
		text := format.Column(col)
		if seen[text] && !col.Star {
			c.diags.Warnf(diag.CountedTwice, c.File.Source, col.Span(),
				"%s stands twice in %s: two columns that are equal have coefficients of "+
					"which only the sum is known", text, d.Name.Name)
		}
		seen[text] = true
	}
}

// recursive reports that a recursion is a part of an expression: which values it takes is not known.
func (c *checker) recursive(e ast.Expr) (found bool) {
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Recur:
			found = true
		case *ast.Name:
			if s := c.Symbols[n.Name]; s != nil && s.Kind == Let && !found {
				found = c.recursive(s.Decl.(*ast.Let).Value)
			}
		}
		return !found
	})
	return found
}

// plainParam reports whether an argument is a parameter as it is.
func (c *checker) plainParam(e ast.Expr) bool {
	n, ok := e.(*ast.Name)
	return ok && c.Symbols[n.Name] != nil && c.Symbols[n.Name].Kind == Param
}

// wholeArgument warns where a parameter that may be any array stands for a vector or matrix of a set:
// cutpoints that need not increase, for one.
func (c *checker) wholeArgument(ranges *Ranges, d *def.Dist, p *def.Param, arg ast.Expr) {
	name, ok := arg.(*ast.Name)
	if !ok || c.Symbols[name.Name] == nil || c.Symbols[name.Name].Kind != Param ||
		c.Symbols[name.Name].Initial != nil {
		return
	}
	if p.Domain.Holds(ranges.setOf(name)) {
		return
	}
	w := c.diags.Warnf(diag.LinearArgument, c.File.Source, arg.Span(),
		"%s may be any array, but %s of %s is %s: elsewhere the density is 0", name.Name, p.Name, d.Name,
		p.Words())
	for _, t := range c.Universe.StructuredTypes() {
		if s, _ := c.Universe.Structured(t); s.Support == p.Domain {
			w.Note("declare it so: param %s : %s[…] ~ …", name.Name, t)
			return
		}
	}
}

// linearArgument warns where a probability, a rate or a scale is an expression that takes every real value.
func (c *checker) linearArgument(ranges *Ranges, d *def.Dist, args []ast.Expr) {
	for k, p := range d.Params {
		if p.Domain.OfWholes() && args[k] != nil {
			c.wholeArgument(ranges, d, &p, args[k])
			continue
		}
		if p.Domain == def.RealLine || p.Integral || args[k] == nil || !c.Info[args[k]].Random {
			continue
		}
		values := ranges.Of(args[k])
		if !math.IsInf(values.Lower, -1) && (p.Domain != def.UnitInterval || !math.IsInf(values.Upper, 1)) ||
			c.recursive(args[k]) {
			continue
		}
		may := "any real number"
		if p.Domain != def.UnitInterval {
			may = "negative"
		}
		w := c.diags.Warnf(diag.LinearArgument, c.File.Source, args[k].Span(),
			"this may be %s, but %s of %s is %s: elsewhere the density is 0", may, p.Name, d.Name, p.Words())
		form, predicted := d.PredictedAt(k)
		switch {
		case predicted:
			w.Note("for a linear predictor write %s, which takes it as it is", form.Form().Name)
		case p.Domain == def.UnitInterval:
			w.Note("inv_logit(…) maps a linear predictor to probabilities")
		case c.plainParam(args[k]):
			w.Note("a parameter is positive by its prior, as half_normal, or by a bound: param "+
				"%s : real<lower=0> ~ …", format.Expr(args[k]))
		default:
			w.Note("exp(…) maps a linear predictor to positive numbers; a parameter is positive by its " +
				"prior, as half_normal, or by a bound, as real<lower=0>")
		}
	}
}

// functionDomains warns where a function that is not defined everywhere takes a parameter that may be outside
// its domain: there it is not a number. An expression of parameters is left alone, since its parts may be
// tied to one another in ways that their ranges do not tell, and so is what stands in a choice by where.
func (c *checker) functionDomains(ranges *Ranges) {
	ast.Walk(c.File, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		f, ok := c.Universe.Func(call.Name.Name)
		if !ok || f.Domain == "" || len(call.Args) != 1 {
			return call.Name.Name != "where"
		}
		arg := call.Args[0]
		param := c.paramOf(arg)
		if param == nil || param.Initial != nil || !ranges.Of(arg).Defined() ||
			f.Image(ranges.Of(arg)).Defined() {
			return true
		}
		w := c.diags.Warnf(diag.FunctionDomain, c.File.Source, arg.Span(),
			"%s may be outside the domain of %s, %s: there the value is not a number", format.Expr(arg),
			f.Name, f.Domain)
		decl, bound, dims := param.Decl.(*ast.Param), domainBounds(f), ""
		if decl.Type != nil {
			dims = format.Type(&ast.Type{Dims: decl.Type.Dims})
		}
		if bound == "" {
			w.Note("give %s a prior that is 0 elsewhere", decl.Name.Name)
			return true
		}
		w.Note("bound the parameter: param %s : real<%s>%s ~ …", decl.Name.Name, bound, dims)
		return true
	})
}

// paramOf returns the parameter that an expression is, or of which it is an element; nil for another
// expression.
func (c *checker) paramOf(e ast.Expr) *Symbol {
	switch e := e.(type) {
	case *ast.Paren:
		return c.paramOf(e.X)
	case *ast.Index:
		return c.paramOf(e.X)
	case *ast.Name:
		s := c.Symbols[e.Name]
		switch {
		case s == nil:
			return nil
		case s.Kind == Let:
			return c.paramOf(s.Decl.(*ast.Let).Value)
		case s.Kind == Param:
			return s
		}
	}
	return nil
}

// domainBounds writes the domain of a function as bounds of a parameter: the first of the usual intervals
// that lies in it.
func domainBounds(f *def.Func) string {
	for _, b := range []struct {
		text string
		in   def.Range
	}{
		{"lower=-1", def.Open(-1, math.Inf(1))},
		{"lower=0", def.Open(0, math.Inf(1))},
		{"upper=1", def.Open(math.Inf(-1), 1)},
		{"upper=0", def.Open(math.Inf(-1), 0)},
		{"lower=-1, upper=1", def.Open(-1, 1)},
		{"lower=0, upper=1", def.Open(0, 1)},
	} {
		if f.Image(b.in).Defined() {
			return b.text
		}
	}
	return ""
}
