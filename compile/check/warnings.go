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
	for _, s := range c.Order {
		switch d := s.Decl.(type) {
		case *ast.Data:
			c.columnTwice(d)
		case *ast.Param:
			c.linearArgument(s.Dist, s.Args)
		}
		if !s.used {
			c.unused(s)
		}
	}
	first := map[string]*Likelihood{}
	for _, l := range c.Likelihoods {
		c.linearArgument(l.Dist, l.Args)
		left := format.Expr(l.Stmt.Left)
		if before := first[left]; before != nil && c.For == "" {
			c.diags.Warnf(diag.CountedTwice, c.File.Source, l.Stmt.Span(), "%s has a likelihood already: its values count twice, as if each had been observed two times", left).
				NoteAt(c.File.Source, before.Stmt.Span(), "the first is here")
		} else if before == nil {
			first[left] = l
		}
	}
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
	case s.Dist != nil && s.Dist.Sample == nil:
		warn(diag.Improper, "parameter %s is used nowhere and its prior is improper: so is its posterior", s.Name)
	case slices.ContainsFunc(s.Args, func(a ast.Expr) bool { return a != nil && c.Info[a].Random }):
		warn(diag.Unused, "parameter %s is used nowhere: given the other parameters of its prior, it follows that prior", s.Name).
			Note("this is right for a prediction or for a value that was censored; otherwise use it or delete it")
	default:
		warn(diag.Unused, "parameter %s is used nowhere: its posterior is its prior", s.Name)
	}
}

// columnTwice warns where one `from` clause takes a column twice in the same form.
func (c *checker) columnTwice(d *ast.Data) {
	seen := map[string]bool{}
	for _, col := range d.From {
		text := format.Column(col)
		if seen[text] && !col.Star {
			c.diags.Warnf(diag.CountedTwice, c.File.Source, col.Span(), "%s stands twice in %s: two columns that are equal have coefficients of which only the sum is known", text, d.Name.Name)
		}
		seen[text] = true
	}
}

// linearArgument warns where a probability, a rate or a scale is an expression that takes every real value.
func (c *checker) linearArgument(d *def.Dist, args []ast.Expr) {
	for k, p := range d.Params {
		if p.Domain == def.RealLine || p.Integral || args[k] == nil || !c.Info[args[k]].Random {
			continue
		}
		lower, upper := c.bounds(args[k])
		if !math.IsInf(lower, -1) && (p.Domain != def.UnitInterval || !math.IsInf(upper, 1)) {
			continue
		}
		may := "any real number"
		if p.Domain != def.UnitInterval {
			may = "negative"
		}
		w := c.diags.Warnf(diag.LinearArgument, c.File.Source, args[k].Span(), "this may be %s, but %s of %s is %s: elsewhere the density is 0", may, p.Name, d.Name, p.Words())
		switch {
		case d.OfLinear != "" && k == 0:
			w.Note("for a linear predictor write %s, which takes it as it is", d.OfLinear)
		case p.Domain == def.UnitInterval:
			w.Note("inv_logit(…) maps a linear predictor to probabilities")
		default:
			w.Note("exp(…) maps a linear predictor to positive numbers; a parameter is positive by its prior, as half_normal, or by a bound, as real<lower=0>")
		}
	}
}

// bounds gives bounds of the values of an expression, between which it may well be narrower. It errs on the quiet side: data and the values of functions
// and powers are taken to be between 0 and 1, so that only parameters that are added or multiplied make an expression unbounded.
func (c *checker) bounds(e ast.Expr) (lower, upper float64) {
	if v, ok := c.ConstValue(e); ok {
		return v, v
	}
	if !c.Info[e].Random {
		return 0, 1
	}
	switch e := e.(type) {
	case *ast.Paren:
		return c.bounds(e.X)
	case *ast.Transpose:
		return c.bounds(e.X)
	case *ast.Index:
		return c.bounds(e.X)
	case *ast.Sum:
		return unbounded(c.bounds(e.Body))
	case *ast.Unary:
		lower, upper = c.bounds(e.X)
		if e.Op == "-" {
			return -upper, -lower
		}
		return lower, upper
	case *ast.Name:
		return c.boundsOf(c.Symbols[e.Name])
	case *ast.Binary:
		return c.combined(e)
	case *ast.Call:
		if _, elementwise := c.Universe.Func(e.Name.Name); !elementwise {
			return c.boundsOfCall(e)
		}
	}
	return 0, 1
}

// unbounded widens bounds to those of a sum of several such values.
func unbounded(lower, upper float64) (float64, float64) {
	if lower < 0 {
		lower = math.Inf(-1)
	}
	if upper > 0 {
		upper = math.Inf(1)
	}
	return lower, upper
}

// boundsOfCall joins the bounds of the arguments of a function that changes shapes.
func (c *checker) boundsOfCall(e *ast.Call) (lower, upper float64) {
	for i, a := range e.Args {
		low, high := c.bounds(a)
		if i == 0 {
			lower, upper = low, high
		}
		lower, upper = min(lower, low), max(upper, high)
	}
	return lower, upper
}

// boundsOf gives the bounds of a named value.
func (c *checker) boundsOf(s *Symbol) (lower, upper float64) {
	switch {
	case s == nil || s.Kind != Let && s.Kind != Param:
		return 0, 1 // received values and members of comprehensions
	case s.Kind == Let:
		return c.bounds(s.Decl.(*ast.Let).Value)
	}
	lower, upper = s.Dist.Support.Bounds(c.known(s.Dist, s.Args))
	if v, ok := c.ConstValue(s.Lower); ok || math.IsNaN(lower) {
		lower = v
	} else if s.Lower != nil {
		lower = 0
	}
	if v, ok := c.ConstValue(s.Upper); ok || math.IsNaN(upper) {
		upper = v
	} else if s.Upper != nil {
		upper = 1
	}
	return lower, upper
}

// combined gives the bounds of a sum, difference, product, quotient or power.
func (c *checker) combined(e *ast.Binary) (lower, upper float64) {
	a, b := c.bounds(e.X)
	x, y := c.bounds(e.Y)
	switch e.Op {
	case "+":
		return a + x, b + y
	case "-":
		return a - y, b - x
	case "*", ".*":
		corners := []float64{corner(a, x), corner(a, y), corner(b, x), corner(b, y)}
		lower, upper = slices.Min(corners), slices.Max(corners)
		if e.Op == "*" && !c.Info[e.X].Type.Scalar() && !c.Info[e.Y].Type.Scalar() {
			return unbounded(lower, upper) // sums of products
		}
		return lower, upper
	case "/", "./":
		if v, ok := c.ConstValue(e.Y); ok && v > 0 {
			return a / v, b / v
		}
		if a >= 0 && x >= 0 {
			return 0, 1
		}
		return math.Inf(-1), math.Inf(1)
	case "^":
		if v, ok := c.ConstValue(e.Y); a >= 0 || ok && math.Mod(v, 2) == 0 {
			return 0, 1
		}
	}
	return 0, 1
}

// corner is a product of two ends, with 0·∞ = 0.
func corner(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}
