package suitable

import (
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// maximisedIn lists the parameters in an expression that are maximised over.
func (c *checker) maximisedIn(e ast.Expr) []*check.Symbol {
	var out []*check.Symbol
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			if s := c.Symbols[name.Name]; s != nil && c.maximised(s) {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// nonNegative reports whether an expression is known to be nowhere below 0.
func (c *checker) nonNegative(e ast.Expr) bool {
	if v, ok := c.ConstValue(e); ok {
		return v >= 0
	}
	if elem := c.Facts(e).Type.Elem; elem == types.Binary || elem == types.Count {
		return true
	}
	all := func(list ...ast.Expr) bool {
		return !slices.ContainsFunc(list, func(x ast.Expr) bool { return !c.nonNegative(x) })
	}
	switch e := e.(type) {
	case *ast.Name:
		return c.symbolNonNegative(c.Symbols[e.Name])
	case *ast.Paren:
		return all(e.X)
	case *ast.Transpose:
		return all(e.X)
	case *ast.Index:
		return all(e.X)
	case *ast.Sum:
		return all(e.Body)
	case *ast.Call:
		if s, ok := c.Universe.Structural(e.Name.Name); ok {
			return s.Positive && all(e.Args...)
		}
		f, ok := c.Universe.Func(e.Name.Name)
		return ok && f.NonNegative
	case *ast.Binary:
		return e.Op == "^" && all(e.X) || slices.Contains([]string{"+", "*", ".*", "/", "./"}, e.Op) &&
			all(e.X, e.Y)
	}
	return false
}

func (c *checker) symbolNonNegative(s *check.Symbol) bool {
	if s == nil {
		return false
	}
	if p, ok := c.priors[s]; ok {
		lower, _ := c.ends(p)
		return lower.at >= 0
	}
	v, ok := c.constant(s.Lower)
	return ok && v >= 0
}

// An end is one end of the values of a parameter: that of its distribution, or a declared bound.
type end struct {
	def.End
	at float64
}

// arguments returns those of a prior that are constants, NaN for the others.
func (c *checker) arguments(s *cut.Param) []float64 {
	theta := make([]float64, len(s.Dist.Params))
	for k, a := range s.Args {
		v, ok := c.constant(a)
		if theta[k] = v; !ok {
			theta[k] = math.NaN()
		}
	}
	return theta
}

// ends returns where the values of a parameter end, and how its prior behaves there. At a declared bound
// inside the support the prior is positive.
func (c *checker) ends(s *cut.Param) (lower, upper end) {
	l, u := s.Dist.Bounds(c.arguments(s))
	lower, upper = end{s.Dist.Lower, l}, end{s.Dist.Upper, u}
	if v, ok := c.constant(s.Lower); ok && !(v <= l) {
		lower = end{at: v}
	}
	if v, ok := c.constant(s.Upper); ok && !(v >= u) {
		upper = end{at: v}
	}
	return lower, upper
}
