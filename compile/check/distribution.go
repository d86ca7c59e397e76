package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// distribution resolves a distribution with its arguments against the type of its left side.
// args has one entry per parameter, nil where the default applies.
func (c *checker) distribution(d *ast.Dist, left types.Type, what string) (dist *def.Dist, args []ast.Expr,
	owners types.Owners, random, ok bool) {
	dist, args = c.dist(d)
	return c.against(d, dist, args, left, what)
}

// against checks the arguments of a distribution against the type of its left side.
func (c *checker) against(d *ast.Dist, of *def.Dist, with []ast.Expr, left types.Type,
	what string) (dist *def.Dist, args []ast.Expr, owners types.Owners, random, ok bool) {
	dist, args = of, with
	if dist == nil {
		return nil, nil, nil, false, false
	}
	ok = true
	for k, a := range args {
		if a == nil {
			continue
		}
		info, good := c.Info[a]
		if !good {
			ok = false
			continue
		}
		owners, random = owners.Join(info.Owners), random || info.Random
		p := dist.Params[k]
		ok = c.argument(dist, k, a) && ok
		if dist.Event != nil {
			continue
		}
		fits, told := c.goes(a, 0, left, p.Name+" of "+dist.Name, what)
		ok = ok && !told
		if !fits && !told {
			wrong := c.errorf(diag.ArgShape, a, "%s of %s has the shape of %s, but %s is %s", p.Name,
				dist.Name, info.Type, what, left).
				Note("an argument has the shape of the left side, or its last sizes, never more")
			if m := c.oneColumn(a, left); m != nil {
				wrong.Note("%s is a matrix of one column, %s: write %s[:, 1]", m.Name, c.Info[m].Type, m.Name)
			}
			if u, g := c.byLevel(a, left); u != nil {
				wrong.Note("%s[%s] is the element of %s for each row", u.Name, g.Name, u.Name)
			}
			ok = false
		}
	}
	if ok && dist.Event != nil {
		ok = c.eventShapes(d, dist, args, left, what)
	}
	if ok {
		ok = c.constants(dist, args)
	}
	return dist, args, owners, random, ok
}

// constants reports constants among the arguments that the distribution does not allow, by themselves or
// together.
func (c *checker) constants(d *def.Dist, args []ast.Expr) bool {
	theta := c.known(d, args)
	for k, p := range d.Params {
		if args[k] != nil && !math.IsNaN(theta[k]) && !p.Allows(theta[k]) {
			c.errorf(diag.BadConstant, args[k], "%s of %s is %s, but this is %v", p.Name, d.Name, p.Words(),
				theta[k])
			return false
		}
	}
	if lower, upper := d.Bounds(theta); lower > upper || lower == upper && !d.Discrete {
		c.errorf(diag.BadConstant, args[0],
			"%s from %v to %v has no values: its lower end is below its upper end", d.Name, lower, upper)
		return false
	}
	return true
}

// known gives the arguments that are constants, defaults among them, and NaN for the others.
func (p *Program) known(d *def.Dist, args []ast.Expr) []float64 {
	theta := make([]float64, len(d.Params))
	for k, q := range d.Params {
		theta[k] = math.NaN()
		if v, ok := p.ConstValue(args[k]); ok {
			theta[k] = v
		} else if args[k] == nil {
			theta[k] = q.Default
		}
	}
	return theta
}

// interval reports a parameter whose declared bounds leave nothing of the support of its distribution. Bounds
// that depend on data are known later.
func (c *checker) interval(s *ast.Param, sym *Symbol) {
	lower, upper := sym.Dist.Bounds(c.known(sym.Dist, sym.Args))
	if v, ok := c.ConstValue(sym.Lower); ok {
		lower = max(lower, v)
	}
	if v, ok := c.ConstValue(sym.Upper); ok {
		upper = min(upper, v)
	}
	if lower >= upper {
		c.errorf(diag.BadBounds, s.Type,
			"no value is left for %s: by %s and its bounds it is above %v and below %v", sym.Name,
			sym.Dist.Name, lower, upper)
	}
}

// dist resolves the name and matches the arguments to parameters; it types every argument even where the
// distribution is unknown.
func (c *checker) dist(d *ast.Dist) (*def.Dist, []ast.Expr) {
	if d == nil {
		return nil, nil
	}
	if d.Name.Name == stdlib.MixtureName {
		return c.mixture(d)
	}
	for _, a := range d.Args {
		c.expr(a.Value)
	}
	return c.matched(d)
}

// matched finds a distribution, and the argument for each of its parameters.
func (c *checker) matched(d *ast.Dist) (*def.Dist, []ast.Expr) {
	dist, ok := c.Universe.Dist(d.Name.Name)
	if !ok {
		c.unknownDist(d, d.Name, d.Args)
		return nil, nil
	}
	args := make([]ast.Expr, len(dist.Params))
	at := make([]bool, len(dist.Params))
	for i, a := range d.Args {
		k := i
		if a.Name != nil {
			if k = paramIndex(dist, a.Name.Name); k < 0 {
				c.errorf(diag.BadArguments, *a.Name, "%s has no parameter %q", dist.Name,
					a.Name.Name).Note("it is %s", signature(dist))
				return nil, nil
			}
		}
		if k >= len(dist.Params) {
			c.errorf(diag.BadArguments, a, "%s takes %s, but this is argument %d", dist.Name,
				count(len(dist.Params), "argument"), i+1).Note("it is %s", signature(dist))
			return nil, nil
		}
		if at[k] {
			c.errorf(diag.BadArguments, a, "%s of %s is given twice", dist.Params[k].Name, dist.Name)
			return nil, nil
		}
		args[k], at[k] = a.Value, true
	}
	for k, p := range dist.Params {
		if !at[k] && !p.Optional {
			c.errorf(diag.BadArguments, d, "%s needs %s", dist.Name, p.Name).Note("it is %s", signature(dist))
			return nil, nil
		}
	}
	return dist, args
}

// takes reports whether a distribution can have such arguments, by their number and names.
func (c *checker) takes(name string, args []*ast.Arg) bool {
	dist, ok := c.Universe.Dist(name)
	if !ok || len(args) > len(dist.Params) {
		return false
	}
	given := make([]bool, len(dist.Params))
	for k, a := range args {
		if a.Name != nil {
			k = paramIndex(dist, a.Name.Name)
		}
		if k < 0 || given[k] {
			return false
		}
		given[k] = true
	}
	for k, p := range dist.Params {
		if !given[k] && !p.Optional {
			return false
		}
	}
	return true
}

func paramIndex(d *def.Dist, name string) int {
	for k, p := range d.Params {
		if p.Name == name {
			return k
		}
	}
	return -1
}

func signature(d *def.Dist) string {
	names := make([]string, len(d.Params))
	for i, p := range d.Params {
		names[i] = p.Name
	}
	return d.Name + "(" + list(names) + ")"
}

// byLevel finds a vector with an element for each category of data that are a level in each row of the left
// side.
func (c *checker) byLevel(a ast.Expr, left types.Type) (u *ast.Name, g *Symbol) {
	ast.Walk(a, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		for _, s := range c.Order {
			if dims := c.Info[x].Type.Dims; ok && u == nil && s.Kind == Data && s.Type.Levels != nil &&
				len(dims) == 1 && dims[0].Equal(*s.Type.Levels) && s.Type.SameShape(left) {
				u, g = x, s
			}
		}
		_, indexed := n.(*ast.Index)
		return u == nil && !indexed
	})
	return u, g
}

// oneColumn finds a name of a matrix of one column where a vector of its rows is wanted.
func (c *checker) oneColumn(a ast.Expr, left types.Type) (found *ast.Name) {
	if len(left.Dims) != 1 {
		return nil
	}
	ast.Walk(a, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		if ok && found == nil {
			if dims := c.Info[x].Type.Dims; len(dims) == 2 && dims[1].IsOne() && dims[0].Equal(left.Dims[0]) {
				found = x
			}
		}
		_, indexed := n.(*ast.Index)
		return found == nil && !indexed
	})
	return found
}
