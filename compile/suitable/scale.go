package suitable

import (
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/stdlib/def"
)

// A likelihood of N residuals that are 0 grows as a power of 1/scale, so a scale is kept from 0 where its
// prior vanishes there faster than any power. The scale is an expression. The rules below follow its limit 0
// down to the parameters: exp(u) tends to 0 where u tends to -∞, and there the prior of u must vanish faster
// than any exponential.

// loose lists the parameters that are maximised over and can take a scale to 0.
func (c *checker) loose(scale ast.Expr) []*check.Symbol {
	var out []*check.Symbol
	for _, s := range c.driving(scale, 0, def.Power) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// driving lists the maximised parameters that can take an expression to a limit (a number, ∞ or -∞) although
// their priors do not vanish there as fast as needed. Where it is unknown how the expression reaches the
// limit, these are all the maximised parameters in it.
func (c *checker) driving(e ast.Expr, to float64, need def.Decay) []*check.Symbol {
	if len(c.maximisedIn(e)) == 0 || to < 0 && c.nonNegative(e) {
		return nil
	}
	switch e := e.(type) {
	case *ast.Name:
		return c.symbol(c.priors[c.Symbols[e.Name]], to, need)
	case *ast.Paren:
		return c.driving(e.X, to, need)
	case *ast.Unary:
		switch e.Op {
		case "-":
			return c.driving(e.X, -to, need)
		case "+":
			return c.driving(e.X, to, need)
		}
	case *ast.Transpose:
		return c.driving(e.X, to, need)
	case *ast.Index:
		return c.driving(e.X, to, need)
	case *ast.Sum:
		return c.combined([]ast.Expr{e.Body}, to, need)
	case *ast.Call:
		return c.call(e, to, need)
	case *ast.Binary:
		return c.binary(e, to, need)
	}
	return c.maximisedIn(e)
}

// symbol decides on a parameter by its prior. What the prior depends on, if it is maximised over too, may
// move with the parameter: for a location, the same check applies to the location; anything else makes the
// parameter loose.
func (c *checker) symbol(s *cut.Param, to float64, need def.Decay) []*check.Symbol {
	lower, upper := c.ends(s)
	if to < lower.at || to > upper.at {
		return nil
	}
	decay := def.Algebraic
	switch to {
	case lower.at:
		decay = lower.At(c.arguments(s))
	case upper.at:
		decay = upper.At(c.arguments(s))
	}
	if decay < need {
		return []*check.Symbol{s.Symbol}
	}
	return c.hyper(s, to, need)
}

// hyper checks what the prior of a parameter depends on, where the prior with fixed arguments vanishes fast
// enough.
func (c *checker) hyper(s *cut.Param, to float64, need def.Decay) []*check.Symbol {
	location, _ := s.Dist.Spread()
	if s.Dist.OfLog != nil {
		need = after(def.Exponentially, need)
		if to == 0 {
			to = math.Inf(-1)
		}
	}
	var out []*check.Symbol
	for k, a := range s.Args {
		switch {
		case a == nil:
		case k == location:
			out = append(out, c.driving(a, to, need)...)
		case len(c.maximisedIn(a)) > 0:
			out = append(out, s.Symbol)
		}
	}
	return out
}

// after returns the decay that is needed of an argument, so that a function with a limit of this rate has the
// decay that is needed of it.
func after(r def.Rate, need def.Decay) def.Decay {
	switch {
	case r == def.Exponentially, r == def.PowerLaw && need > def.Power:
		return need + 1
	case r == def.Logarithmically:
		return max(need-1, def.Power)
	}
	return need
}

// call follows the limits of a function.
func (c *checker) call(e *ast.Call, to float64, need def.Decay) []*check.Symbol {
	if s, ok := c.Universe.Structural(e.Name.Name); ok {
		if !s.Positive {
			return c.maximisedIn(e)
		}
		return c.combined(e.Args, to, need)
	}
	f, ok := c.Universe.Func(e.Name.Name)
	if !ok || f.Limits == nil || to != 0 && !math.IsInf(to, 0) {
		return c.maximisedIn(e)
	}
	var out []*check.Symbol
	for _, l := range f.Limits {
		if l.Y == to {
			out = append(out, c.driving(e.Args[0], l.X, after(l.Rate, need))...)
		}
	}
	return out
}

// combined is for sums and sums of products: they tend to ∞ where a part does, and, where no part is
// negative, to 0 where all parts do.
func (c *checker) combined(parts []ast.Expr, to float64, need def.Decay) []*check.Symbol {
	below := slices.ContainsFunc(parts, func(e ast.Expr) bool { return !c.nonNegative(e) })
	known := to == 0 && !below || math.IsInf(to, 0)
	if c.several(parts) {
		need = after(def.PowerLaw, need)
	}
	var out []*check.Symbol
	for _, e := range parts {
		if known {
			out = append(out, c.factor(e, to, need)...)
		} else {
			out = append(out, c.maximisedIn(e)...)
		}
	}
	return out
}

// several reports whether more than one part is maximised over, so that a power of the product can be spread
// over its factors.
func (c *checker) several(parts []ast.Expr) bool {
	n := 0
	for _, e := range parts {
		if len(c.maximisedIn(e)) > 0 {
			n++
		}
	}
	return n > 1
}

// factor is driving for a factor of what tends to 0 or, with unknown sign, to ∞.
func (c *checker) factor(e ast.Expr, to float64, need def.Decay) []*check.Symbol {
	if to == 0 {
		return c.driving(e, 0, need)
	}
	return append(c.driving(e, math.Inf(1), need), c.driving(e, math.Inf(-1), need)...)
}

// reciprocal is the limit of x where 1/x tends to 0 or to ∞.
func reciprocal(to float64) float64 {
	if to == 0 {
		return math.Inf(1)
	}
	return 0
}

// binary follows arithmetic.
func (c *checker) binary(e *ast.Binary, to float64, need def.Decay) []*check.Symbol {
	switch e.Op {
	case "+", "-":
		return c.sum(e, to, need)
	case "*", ".*", "/", "./":
		if e.Op == "*" && !c.Facts(e.X).Type.Scalar() && !c.Facts(e.Y).Type.Scalar() {
			return c.combined([]ast.Expr{e.X, e.Y}, to, need)
		}
		return c.product(e, to, need)
	case "^":
		return c.power(e, to, need)
	}
	return c.maximisedIn(e)
}

// sum: a constant moves the limit.
func (c *checker) sum(e *ast.Binary, to float64, need def.Decay) []*check.Symbol {
	sign := 1.0
	if e.Op == "-" {
		sign = -1
	}
	if v, ok := c.ConstValue(e.X); ok {
		return c.driving(e.Y, sign*(to-v), need)
	}
	if v, ok := c.ConstValue(e.Y); ok {
		return c.driving(e.X, to-float64(sign*v), need)
	}
	if math.IsInf(to, 0) || to == 0 && sign > 0 && c.nonNegative(e.X) && c.nonNegative(e.Y) {
		return append(c.driving(e.X, to, need), c.driving(e.Y, sign*to, need)...)
	}
	return c.maximisedIn(e)
}

// product is of two factors, or a quotient: a constant one scales the limit.
func (c *checker) product(e *ast.Binary, to float64, need def.Decay) []*check.Symbol {
	quotient := e.Op == "/" || e.Op == "./"
	x, constantX := c.ConstValue(e.X)
	y, constantY := c.ConstValue(e.Y)
	switch {
	case constantY && y != 0 && quotient:
		return c.driving(e.X, to*y, need)
	case constantY && y != 0:
		return c.driving(e.X, to/y, need)
	case constantX && x != 0 && !quotient:
		return c.driving(e.Y, to/x, need)
	case to != 0 && !math.IsInf(to, 0):
		return c.maximisedIn(e)
	}
	if c.several([]ast.Expr{e.X, e.Y}) {
		need = after(def.PowerLaw, need)
	}
	second := to
	if quotient {
		second = reciprocal(to)
	}
	return append(c.factor(e.X, to, need), c.factor(e.Y, second, need)...)
}

// power is of a constant exponent.
func (c *checker) power(e *ast.Binary, to float64, need def.Decay) []*check.Symbol {
	v, ok := c.ConstValue(e.Y)
	if !ok || v == 0 || to != 0 && !math.IsInf(to, 0) {
		return c.maximisedIn(e)
	}
	if v < 0 {
		to = reciprocal(to)
	}
	return c.factor(e.X, to, after(def.PowerLaw, need))
}
