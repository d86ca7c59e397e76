package check

import (
	"math"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// movingEnds warns of a likelihood between ends that parameters move and nothing ties to the data: a value
// beyond one has no density, so that a chain may find nowhere to begin, and rejects every step over a value.
func (c *checker) movingEnds(ranges *Ranges, l *Likelihood) {
	if l.Factor() || c.For != "" {
		return
	}
	declared := c.declaredRange(l.Stmt.Left)
	for k, e := range l.Args {
		if e == nil || !c.Info[e].Random || c.tied(e) {
			continue
		}
		below, above := ends(l.Dist, k)
		r := ranges.Of(e)
		if !r.Defined() {
			r = def.Reals()
		}
		switch {
		case below && r.Upper > declared.Lower && (math.IsInf(r.Upper, 1) || r.Upper == 0):
			c.movingEnd(l, e, "lower", "below", "minus")
		case above && r.Lower < declared.Upper && (math.IsInf(r.Lower, -1) || r.Lower == 0):
			c.movingEnd(l, e, "upper", "above", "plus")
		}
	}
}

func (c *checker) movingEnd(l *Likelihood, e ast.Expr, end, side, sign string) {
	left := format.Expr(l.Stmt.Left)
	c.diags.Warnf(diag.MovingEnd, c.File.Source, e.Span(),
		"this %s end of %s moves with parameters, and nothing keeps it %s the values of %s: elsewhere the "+
			"density is 0, and a chain may find nowhere to begin", end, l.Dist.Name, side, left).
		Note("write the end as a number %s all data, %s a positive parameter; or as "+
			"the %s value of %s, %s one", side, sign,
			map[string]string{"below": "smallest", "above": "largest"}[side], left, sign)
}

// ends reports whether an argument of a distribution is its lower or its upper end.
func ends(d *def.Dist, k int) (lower, upper bool) {
	theta := make([]float64, len(d.Params))
	for i := range theta {
		theta[i] = 1000 + float64(i)
	}
	lo, hi := d.Bounds(theta)
	return lo == theta[k], hi == theta[k]
}

// declaredRange is that of the type of a left side, everything where it is none of a declaration.
func (c *checker) declaredRange(left ast.Expr) def.Range {
	out := def.Reals()
	n, ok := left.(*ast.Name)
	if !ok || c.Symbols[n.Name] == nil {
		return out
	}
	s := c.Symbols[n.Name]
	if !s.Type.Elem.Integral() {
		out.Lower, out.Upper = c.constantOr(s.Lower, out.Lower), c.constantOr(s.Upper, out.Upper)
	}
	return out
}

// constantOr is the value of a bound, or another where there is none that is known.
func (c *checker) constantOr(bound ast.Expr, other float64) float64 {
	if bound == nil {
		return other
	}
	if v, known := c.ConstValue(bound); known {
		return v
	}
	return other
}

// tied reports whether data stand in an expression, in the lets that it names, or in the bounds and priors of
// its parameters.
func (c *checker) tied(e ast.Expr) bool { return c.readsData(e, map[*Symbol]bool{}) }

func (c *checker) readsData(e ast.Expr, seen map[*Symbol]bool) (found bool) {
	if e == nil {
		return false
	}
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || found {
			return !found
		}
		s := c.Symbols[name.Name]
		if s == nil || seen[s] {
			return true
		}
		seen[s] = true
		switch s.Kind {
		case Data:
			found = true
		case Let:
			found = c.readsData(s.Decl.(*ast.Let).Value, seen)
		case Param:
			found = slices.ContainsFunc(append([]ast.Expr{s.Lower, s.Upper}, s.Args...),
				func(e ast.Expr) bool {
					return c.readsData(e, seen)
				})
		}
		return !found
	})
	return found
}
