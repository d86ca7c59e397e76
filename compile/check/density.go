package check

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// A Density is the call of a density function: which distribution at which value, with one argument per
// parameter, nil where its default applies.
type Density struct {
	Dist *def.Dist
	Kind ast.DensityKind
	X    ast.Expr
	Args []ast.Expr
}

// Density reads the call of a density function; false for any other expression.
func (p *Program) Density(e ast.Expr) (Density, bool) {
	call, ok := e.(*ast.Call)
	if !ok {
		return Density{}, false
	}
	name, _, kind, ok := ast.Density(call.Name.Name)
	if !ok || len(call.Args) == 0 {
		return Density{}, false
	}
	d, ok := p.Universe.Dist(name)
	if !ok || len(call.Args) > len(d.Params)+1 {
		return Density{}, false
	}
	args := make([]ast.Expr, len(d.Params))
	copy(args, call.Args[1:])
	return Density{d, kind, call.Args[0], args}, true
}

// Value describes what a density is of, as a parameter: for messages, and for the domain that noise must stay
// in where no parameter moves that (fixed).
func (d Density) Value() (p def.Param, fixed bool) {
	p = def.Param{Name: "the value", Domain: d.Dist.Support, Integral: d.Dist.Discrete}
	if d.Kind != ast.LogDensity {
		p.Domain = def.RealLine
	}
	if fixed = slices.Contains([]def.Support{def.RealLine, def.Positive, def.NonNegative, def.UnitInterval},
		p.Domain); !fixed {
		p.Domain = def.RealLine
	}
	return p, fixed
}

// density types the call of a density function: elementwise over its arguments, which broadcast.
func (c *checker) density(e *ast.Call) (ExprInfo, bool) {
	good := true
	out := ExprInfo{}
	for _, a := range e.Args {
		x, ok := c.expr(a)
		good = good && ok
		out.Owners, out.Random = out.Owners.Join(x.Owners), out.Random || x.Random
	}
	if !c.densityName(e) || !good {
		return out, false
	}
	d, ok := c.Density(e)
	if !ok || !c.densityArguments(e, d) {
		if !ok {
			c.densityCount(e)
		}
		return out, false
	}
	if d.Dist.Atoms != nil && d.Kind == ast.LogDensity && c.Info[d.X].Random && !c.perDraw {
		c.errorf(diag.MustBeData, d.X, "the values of %s are data: some have a probability of their own, and "+
			"what depends on a parameter is never exactly one of them", d.Dist.Name).
			Note("name a distribution without such values, or the probability of a value no greater, %s_lcdf",
				d.Dist.Name)
		return out, false
	}
	if d.Dist.Event != nil {
		out.Type.Dims, ok = c.eventDensity(e, d)
		return out, ok
	}
	out.Type.Dims, ok = c.joined(e.Args)
	return out, ok
}

// eventDensity is the shape of the density of vectors or matrices, or of numbers with such parameters: the
// leading sizes of the value and of the parameters, which broadcast. The vectors and matrices themselves do
// not.
func (c *checker) eventDensity(e *ast.Call, d Density) ([]types.Size, bool) {
	value := c.Info[d.X].Type
	at := max(0, len(value.Dims)-d.Dist.Event.Rank)
	lead := value.Dims[:at]
	for k, a := range d.Args {
		p := &d.Dist.Params[k]
		if a == nil || p.OwnSize {
			continue
		}
		dims := c.Info[a].Type.Dims
		shape, fits := types.Broadcast(lead, dims[:max(0, len(dims)-p.Rank)])
		if !fits {
			c.errorf(diag.Broadcast, a, "this argument is %s, which does not go with the others",
				c.Info[a].Type)
			return nil, false
		}
		lead = shape
	}
	value.Dims = append(slices.Clone(lead), value.Dims[at:]...)
	return lead, c.eventShapes(e, d.Dist, d.Args, value, "the value")
}

// densityName checks that the distribution of a density function exists and has what the suffix asks for.
func (c *checker) densityName(e *ast.Call) bool {
	name, suffix, kind, _ := ast.Density(e.Name.Name)
	d, ok := c.Universe.Dist(name)
	if !ok {
		at := e.Name
		at.End = at.Start + len(name)
		at.Name = name
		c.unknownDist(e, at, slices.Repeat([]*ast.Arg{{}}, max(0, len(e.Args)-1)))
		return false
	}
	if why := d.Joint(); why != "" {
		c.errorf(diag.BadDensity, e.Name,
			"%s is a likelihood of all rows together, and no density of a value: %s", name,
			why).Note("write y ~ %s(…)", name)
		return false
	}
	right := lpdf(d)
	switch {
	case kind == ast.LogDensity && suffix != right:
		what := "continuous: it has a density"
		if d.Discrete {
			what = "a distribution of whole numbers: it has a mass function"
		}
		c.errorf(diag.BadDensity, e.Name, "%s is %s, %s%s", name, what, name, right).Fix(e.Name.Span(),
			name+right, "write %s%s", name, right)
		return false
	case kind != ast.LogDensity && d.LogCDF == nil:
		c.errorf(diag.BadDensity, e.Name, "%s has no %s: %s", name, strings.TrimPrefix(suffix, "_"),
			d.WithoutCDF())
		return false
	}
	return true
}

// densityCount reports a call with too many arguments or without a value.
func (c *checker) densityCount(e *ast.Call) {
	name, _, _, _ := ast.Density(e.Name.Name)
	d, _ := c.Universe.Dist(name)
	if len(e.Args) == 0 {
		c.errorf(diag.BadArguments, e, "%s needs a value and the parameters of %s", e.Name.Name,
			name).Note("it is %s", densitySignature(e.Name.Name, d))
		return
	}
	c.errorf(diag.BadArguments, e, "%s takes a value and %s, but here are %d", e.Name.Name,
		count(len(d.Params), "parameter"), len(e.Args)-1).Note("it is %s", densitySignature(e.Name.Name, d))
}

func densitySignature(name string, d *def.Dist) string {
	names := make([]string, len(d.Params))
	for i, p := range d.Params {
		names[i] = p.Name
	}
	return name + "(y | " + list(names) + ")"
}

// densityArguments checks the value and the parameters of a density, apart from their shapes.
func (c *checker) densityArguments(e *ast.Call, d Density) bool {
	for k, p := range d.Dist.Params {
		if d.Args[k] == nil && !p.Optional {
			c.errorf(diag.BadArguments, e, "%s needs %s", e.Name.Name, p.Name).Note("it is %s",
				densitySignature(e.Name.Name, d.Dist))
			return false
		}
	}
	category := d.Dist.Support == def.Codes && c.Info[d.X].Type.Elem == types.Level
	if !category && !c.numeric(d.X, c.Info[d.X].Type, e.Name.Name) {
		return false
	}
	if d.Dist.Discrete && !category && !(c.Info[d.X].Type.Elem.Integral() && !c.Info[d.X].Random) {
		c.errorf(diag.WrongElement, d.X, "%s is a distribution of whole numbers, but this is %s", d.Dist.Name,
			c.Info[d.X].Type).Note("its value is data of type binary, count or int")
		return false
	}
	for k, a := range d.Args {
		if a != nil && !c.argument(d.Dist, k, a) {
			return false
		}
	}
	return c.constants(d.Dist, d.Args)
}

// argument checks the element type of an argument of a distribution.
func (c *checker) argument(d *def.Dist, k int, a ast.Expr) bool {
	info, p := c.Info[a], d.Params[k]
	switch {
	case info.Type.Elem == types.Level && p.Domain != def.Codes:
		c.errorf(diag.WrongElement, a, "%s of %s is a number, but this is a level", p.Name, d.Name)
		return false
	case p.Data && info.Random:
		m := c.errorf(diag.MustBeData, a, "%s of %s is data", p.Name, d.Name)
		if c.isDist(d.Name) { // and not the ends of a clause
			m.Note("it is %s", signature(d))
		}
		return false
	case p.Integral && (info.Random || !info.Type.Elem.Integral()):
		c.errorf(diag.MustBeData, a, "%s of %s is a whole number from the data", p.Name, d.Name).
			Note("declare it as data of type count or int")
		return false
	}
	return true
}

// densities calls f with every call of a density function in the file.
func (c *checker) densities(f func(e *ast.Call, d Density)) {
	ast.Walk(c.File, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if d, ok := c.Density(call); ok {
				f(call, d)
			}
		}
		return true
	})
}

// mixtures notes mixtures of densities that are written row by row with weights for all rows: Stan's text of
// the same words mixes sums.
func (c *checker) mixtures() {
	ast.Walk(c.File, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok || !c.perRow(call) {
			return true
		}
		c.diags.Warnf(diag.MixturePerRow, c.File.Source, call.Span(),
			"each row chooses its component: this mixes the densities of each row").
			Note("densities here have an element for each row; for one choice that holds for all rows mix " +
				"their sums, as log_mix(w, sum(a), sum(b)), which is what the same words mean in Stan, " +
				"where a density of a vector is its sum")
		return false
	})
}

// perRow reports whether a call mixes densities of rows, with weights that are one number each.
func (c *checker) perRow(e *ast.Call) bool {
	rows := 0
	for i, a := range e.Args {
		var random, dense bool
		for _, t := range addends(a, nil) {
			dense = dense || ast.HoldsDensity(t)
			random = random || !ast.HoldsDensity(t) && !c.Info[t].Type.Scalar()
		}
		switch {
		case random:
			return false // weights of the rows' own
		case !dense && !(i == 0 && c.Info[a].Type.Scalar()):
			return false
		case dense && !c.Info[a].Type.Scalar():
			rows++
		}
	}
	return rows > 1 && c.Universe.Mixes(e.Name.Name)
}

// addends lists the terms of a sum.
func addends(e ast.Expr, out []ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.Paren:
		return addends(x.X, out)
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			return addends(x.Y, addends(x.X, out))
		}
	}
	return append(out, e)
}
