package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// notHere reports a type of parameters where something else is declared.
func (c *checker) notHere(t *ast.Type, s *def.Structured) {
	c.errorf(diag.UnknownType, t.Elem, "%s is a type of parameters", s.Name).
		Note("declare data and lets as %s; the distribution in which they stand checks their values",
			map[int]string{1: "real[K]", 2: "real[K, K]"}[s.Rank])
}

// paramType resolves the type of a parameter: of numbers, or of vectors or matrices of a set. A K×K matrix of
// a set is declared with one size, and leading sizes make arrays.
func (c *checker) paramType(t *ast.Type) (s *def.Structured, out types.Type, lower, upper ast.Expr, ok bool) {
	if t != nil {
		s, _ = c.Universe.Structured(t.Elem.Name)
	}
	if s == nil {
		out, lower, upper, ok = c.declaredType(t)
		return nil, out, lower, upper, ok
	}
	ok = true
	refuse := func(at ast.Node, format string, args ...any) *diag.Diagnostic {
		ok = false
		return c.errorf(diag.UnknownType, at, format, args...)
	}
	switch {
	case t.Levels != nil:
		refuse(t.Levels, "%s has no categories", s.Name).Note("its size goes in brackets, as %s[K]", s.Name)
	case len(t.Bounds) > 0:
		refuse(t.Bounds[0], "%s has no bounds",
			s.Name).Note("a vector of independent elements with bounds is real<lower=…>[K]")
	case len(t.Dims) == 0:
		refuse(t, "%s needs its size, as %s[K]", s.Name, s.Name)
	}
	for _, d := range t.Dims {
		k, good := c.size(d)
		out.Dims, ok = append(out.Dims, k), ok && good
	}
	if n := len(out.Dims); n > 0 && s.Rank == 2 {
		out.Dims = append(out.Dims, out.Dims[n-1])
	}
	if len(out.Dims) > 3 && ok {
		refuse(t, "a value has at most three dimensions").Note("%s[K] is %s, and leading "+
			"sizes make arrays of them", s.Name, map[int]string{1: "one vector", 2: "one K×K matrix"}[s.Rank])
	}
	if n := len(out.Dims); ok && n > 0 {
		if k, known := out.Dims[n-1].Int(); known && k < s.Least {
			refuse(t, "%s has at least %s, not %d", s.Name, count(s.Least, "element"), k)
		}
	}
	return s, out, nil, nil, ok
}

// structure finds the set of vectors or matrices that a parameter is one of, by its type or by its
// distribution, and reports a distribution that does not go with it.
func (c *checker) structure(s *ast.Param, sym *Symbol) bool {
	of := sym.Dist.Support
	if sym.Structure == nil {
		if sym.Structure = c.Universe.StructuredOf(of); sym.Structure == nil {
			return true
		}
	}
	t := sym.Structure
	lower, upper := of.Bounds(c.known(sym.Dist, sym.Args))
	least, most := t.Support.Bounds(nil)
	switch {
	case s.Noncentered:
		c.errorf(diag.NotLocationScale, s, "a parameter of type %s cannot be `noncentered`", t.Name).
			Note("its elements depend on each other, so they are not location + scale * u")
	case sym.Lower != nil || sym.Upper != nil:
		c.errorf(diag.BadBounds, s.Type, "%s is a distribution of type %s, which has no bounds",
			sym.Dist.Name, t.Name)
	case of.OfWholes() && of != t.Support:
		c.errorf(diag.WrongStructure, s.Dist, "%s is declared %s, but a value of %s is %s", sym.Name, t.Name,
			sym.Dist.Name, of.Words(nil))
	case of.OfWholes():
		return true
	case !(lower <= least && upper >= most):
		d := c.errorf(diag.WrongStructure, s.Dist,
			"%s is declared %s, whose elements are not all values of %s", sym.Name, t.Name, sym.Dist.Name)
		if t.Support == def.Ordered && lower == 0 && math.IsInf(upper, 1) {
			d.Note("positive numbers that increase are %s", c.Universe.StructuredOf(def.PositiveOrdered).Name)
		}
	case (t.Rank == 2 || t.Support == def.ZeroSum) && sym.Dist.Event == nil && sym.Dist.Proper():
		c.errorf(diag.WrongStructure, s.Dist,
			"the elements of a %s are not independent numbers, as %s would have them", t.Name, sym.Dist.Name).
			Note("its distributions are %s", list(append(c.withSupport(t.Support), stdlib.Flat)))
	default:
		return true
	}
	return false
}

// withSupport names the distributions with a support.
func (c *checker) withSupport(of def.Support) (names []string) {
	for _, name := range c.Universe.Dists() {
		if d, _ := c.Universe.Dist(name); d.Support == of {
			names = append(names, name)
		}
	}
	return names
}

// rankWords are the words for values with so many axes.
var rankWords = [...]string{"number", "vector", "square matrix"}

// outcomes is the type that has one element for each value of a distribution, where the left side has the
// type t.
func outcomes(d *def.Dist, t types.Type) types.Type {
	if d.Event != nil {
		t.Dims = t.Dims[:max(0, len(t.Dims)-d.Event.Rank)]
	}
	return t
}

// eventShapes checks the shapes of a distribution of vectors or matrices, or with such parameters: each
// argument is one value for all outcomes, or an array of values with the leading sizes of the left side.
func (c *checker) eventShapes(at ast.Node, d *def.Dist, args []ast.Expr, left types.Type, what string) bool {
	size, known, good := c.eventSize(at, d, args, left, what)
	if !good {
		return false
	}
	lead := outcomes(d, left)
	for k, a := range args {
		p := &d.Params[k]
		if a == nil {
			continue
		}
		t := c.Info[a].Type
		if p.OwnSize {
			if len(t.Dims) != 1 {
				c.errorf(diag.ArgShape, a, "%s of %s is one vector, but this is %s", p.Name, d.Name, t)
				return false
			}
			continue
		}
		var want []types.Size
		for range p.Rank {
			want = append(want, size)
		}
		n := len(t.Dims) - p.Rank
		if n < 0 && p.Rank == 1 && known { // a number for all elements
			n, want = 0, nil
		}
		if n < 0 || !(types.Type{Dims: t.Dims[n:]}).SameShape(types.Type{Dims: want}) {
			c.errorf(diag.ArgShape, a, "%s of %s is %s, but this is %s", p.Name, d.Name,
				types.Type{Dims: want}, t).
				Note("leading sizes, as those of %s, give each outcome its own", what)
			return false
		}
		fits, told := c.goes(a, len(want), lead, p.Name+" of "+d.Name, what)
		if told {
			return false
		}
		if !fits {
			c.errorf(diag.ArgShape, a, "%s of %s has the shape of %s, but %s is %s", p.Name, d.Name, t, what,
				left).
				Note("it is one %s for all outcomes, or has the leading sizes of %s", rankWords[p.Rank], what)
			return false
		}
	}
	return c.categories(at, d, left, size, what)
}

// eventSize is the size of the vectors and matrices of a distribution: the last one of the left side where
// that has vectors, else of the first argument that has. known reports whether the left side gives it.
func (c *checker) eventSize(at ast.Node, d *def.Dist, args []ast.Expr, left types.Type,
	what string) (size types.Size, known, ok bool) {
	n := len(left.Dims)
	if r := d.Event.Rank; r > 0 {
		if n < r || r == 2 && !left.Dims[n-1].Equal(left.Dims[n-2]) {
			c.errorf(diag.ArgShape, at, "a value of %s is a %s, but %s is %s", d.Name, rankWords[r], what,
				left).
				Note("%s", map[int]string{1: "declare it real[K], or real[N, K] for N vectors",
					2: "declare it real[K, K], or real[N, K, K] for N matrices"}[r])
			return size, false, false
		}
		return left.Dims[n-1], true, true
	}
	for k, a := range args {
		if p := &d.Params[k]; a != nil && p.Rank > 0 {
			dims := c.Info[a].Type.Dims
			if len(dims) == 0 {
				c.errorf(diag.ArgShape, a, "%s of %s is a vector, but this is one number", p.Name, d.Name).
					Note("it has one element for each category%s",
						map[bool]string{true: ", less one"}[d.Event.More == 1])
				return size, false, false
			}
			return dims[len(dims)-1], false, true
		}
	}
	return size, false, true
}

// categories checks that a level on the left side has as many categories as the distribution.
func (c *checker) categories(at ast.Node, d *def.Dist, left types.Type, size types.Size, what string) bool {
	if left.Elem != types.Level || d.Support != def.Codes {
		return true
	}
	have := size.Add(types.Const(d.Event.More), 1)
	if have.Equal(*left.Levels) {
		return true
	}
	c.errorf(diag.ArgShape, at, "%s is level(%s), but %s here has %s categories", what, left.Levels, d.Name,
		have).
		Note("%s", map[int]string{0: "its vector has one element for each category",
			1: "there is one cutpoint between each two categories, so that K categories have K - 1: " +
				"declare them ordered[K - 1]"}[d.Event.More])
	return false
}
