package check

import (
	"math"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// A declaration is a distribution that is being declared.
type declaration struct {
	*checker
	stmt  *ast.Distribution
	out   dist.Declaration
	names map[string]*bodyName
	parts map[string]*ast.Body
	drawn *ast.Generate // the statement that gives the value
	bad   bool
}

// The parts of a body that are expressions.
const (
	logPart       = "log"
	cdfPart       = "cdf"
	ccdfPart      = "ccdf"
	meanPart      = "mean"
	generatorPart = "generate"
)

// declares checks the declaration of a distribution, and adds it to those that the rest of the file may use.
// It returns the statement with numbers in the place of consts, as the programs of parties have it.
func (c *checker) declares(s *ast.Distribution) ast.Stmt {
	if c.Linked.Calls[s] == nil { // those of a module are written out
		s = c.withoutConsts(s)
	}
	d := &declaration{checker: c, stmt: s, names: map[string]*bodyName{}, parts: map[string]*ast.Body{}}
	text := strings.ReplaceAll(format.Stmt(s), "\n", "\n    ")
	d.out = dist.Declaration{Name: s.Name.Name, Doc: "A distribution that the model declares.\n\n    " + text,
		Value: s.Value.Name.Name,
		NoCDF: "add `cdf = …` to `dist " + s.Name.Name + "`, the probability of a value no greater"}
	if !d.name() {
		return s
	}
	d.header()
	if s.Plain != nil {
		d.expression(s.Plain, false)
		d.density(s.Plain, s.Plain)
	} else {
		d.body()
	}
	if d.bad {
		c.failed[distKey(s.Name.Name)] = true
		return s
	}
	made := dist.Declared(d.out)
	c.Universe = c.Universe.With(&made)
	c.Distributions = append(c.Distributions, s)
	if c.For == "" {
		d.inspect(&made)
	}
	return s
}

// distKey marks, among failed names, that of a distribution.
func distKey(name string) string { return "dist " + name }

// withoutConsts writes the values of consts into a declaration.
func (c *checker) withoutConsts(s *ast.Distribution) *ast.Distribution {
	own := map[string]bool{}
	for _, name := range s.Names() {
		own[name] = true
	}
	for _, part := range s.Body {
		switch part := part.(type) {
		case *ast.Let:
			own[part.Name.Name] = true
		case *ast.Generate:
			own[part.Name.Name] = true
		}
	}
	var fill func(e ast.Expr) ast.Expr
	fill = func(e ast.Expr) ast.Expr {
		n, ok := e.(*ast.Name)
		if !ok {
			return ast.Rebuild(e, fill)
		}
		sym := c.Symbols[n.Name]
		if own[n.Name] || sym == nil || sym.Kind != Const {
			return e
		}
		sym.used = true
		return literalAt(n.At, sym.Value)
	}
	return ast.RebuildStmt(s, fill).(*ast.Distribution)
}

// literalAt writes a number so that it reads back as the same.
func literalAt(at ast.At, v float64) ast.Expr {
	if v < 0 {
		return &ast.Paren{At: at, X: &ast.Unary{At: at, Op: "-", X: literalAt(at, -v)}}
	}
	return &ast.Number{At: at, Value: v, Int: v == math.Trunc(v) && v < 1<<53}
}

func (d *declaration) errorf(code diag.Code, at ast.Node, text string, args ...any) *diag.Diagnostic {
	d.bad = true
	return d.checker.errorf(code, at, text, args...)
}

// name checks that the name of a distribution is free.
func (d *declaration) name() bool {
	name := &d.stmt.Name
	known, taken := d.Universe.Dist(name.Name)
	_, suffix, _, density := ast.Density(name.Name)
	switch {
	case taken && known.Declared:
		d.errorf(diag.DeclaredTwice, name, "there is a distribution %s already", name.Name)
	case taken || name.Name == stdlib.MixtureName:
		d.errorf(diag.BadDistribution, name, "%s is built in: choose another name", name.Name)
	case density:
		d.errorf(diag.DensityName, name, "a name that ends in %s is that of a density function",
			suffix).Note("dist %s(…) declares %s too", strings.TrimSuffix(name.Name, suffix), name.Name)
	}
	return !d.bad
}

// header reads the value and the arguments.
func (d *declaration) header() {
	s := d.stmt
	d.names[s.Value.Name.Name] = &bodyName{kind: theValue, value: true}
	d.domain(s.Value)
	for k, a := range s.Args {
		if d.names[a.Name.Name] != nil {
			d.errorf(diag.DeclaredTwice, &a.Name, "%s has two arguments or a value of the name %s", s.Name.Name,
				a.Name.Name)
		}
		d.names[a.Name.Name] = &bodyName{kind: anArgument, at: k}
		d.out.Params = append(d.out.Params, d.argument(a))
	}
}

// numbers are the bounds of a type of one number, infinite where there is none; false where it is none.
func (d *declaration) numbers(a *ast.DistArg) (elem types.Elem, lower, upper float64, ok bool) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if a.Type == nil {
		return types.Real, lower, upper, true
	}
	elem, known := map[string]types.Elem{"real": types.Real, "int": types.Int, "count": types.Count,
		"binary": types.Binary}[a.Type.Elem.Name]
	switch {
	case !known:
		d.errorf(diag.BadDistribution, a.Type, "a distribution is declared for numbers: real, int, count or "+
			"binary, but %s is %s", a.Name.Name, format.Type(a.Type))
		return elem, 0, 0, false
	case len(a.Type.Dims) > 0:
		d.errorf(diag.BadDistribution, a.Type, "a distribution is declared for one number, and works element "+
			"by element; %s is an array", a.Name.Name).
			Fix(a.Type.Span(), format.Type(&ast.Type{Elem: a.Type.Elem, Bounds: a.Type.Bounds}),
				"leave its shape out")
		return elem, 0, 0, false
	}
	for _, b := range a.Type.Bounds {
		v, constant := d.ConstValue(b.Value)
		if !constant {
			d.errorf(diag.BadDistribution, b.Value, "the bounds of %s are constants", a.Name.Name)
			return elem, 0, 0, false
		}
		if b.Which.Name == "lower" {
			lower = v
		} else {
			upper = v
		}
	}
	if !(lower < upper) {
		d.errorf(diag.BadBounds, a.Type, "the lower bound is %v and the upper bound %v: no value lies between",
			lower, upper)
		return elem, 0, 0, false
	}
	return elem, lower, upper, true
}

// domain reads the values that the distribution gives.
func (d *declaration) domain(a *ast.DistArg) {
	elem, lower, upper, ok := d.numbers(a)
	if !ok {
		return
	}
	out := &d.out
	out.Lower, out.Upper, out.Discrete = lower, upper, elem != types.Real
	switch {
	case elem == types.Binary:
		out.Support, out.Lower, out.Upper = def.ZeroOne, max(lower, 0), min(upper, 1)
	case elem == types.Count || elem == types.Int && lower >= 0:
		out.Support, out.Lower = def.Naturals, max(lower, 0)
	case elem == types.Real && lower == 0 && upper == 1:
		out.Support = def.UnitInterval
	case elem == types.Real && lower >= 0:
		out.Support = def.Positive
	}
}

// argument reads an argument.
func (d *declaration) argument(a *ast.DistArg) def.Param {
	p := def.Param{Name: a.Name.Name, Doc: "an argument"}
	elem, lower, upper, ok := d.numbers(a)
	if !ok {
		return p
	}
	p.Integral = elem != types.Real
	free := math.IsInf(lower, -1) && math.IsInf(upper, 1)
	switch {
	case elem == types.Binary:
		p.Domain = def.ZeroOne
	case elem == types.Count && (free || lower == 0 && math.IsInf(upper, 1)), p.Integral && lower == 0 &&
		math.IsInf(upper, 1):
		p.Domain = def.Naturals
	case free:
	case elem == types.Real && lower == 0 && math.IsInf(upper, 1):
		p.Domain = def.Positive
	case elem == types.Real && lower == 0 && upper == 1:
		p.Domain = def.UnitInterval
	default:
		d.errorf(diag.BadDistribution, a.Type, "an argument is any number, above 0 or a probability").
			Note("real, real<lower=0> or real<lower=0, upper=1>; of another domain write the transformation " +
				"into the body, as 2 * p - 1")
	}
	return p
}

// body reads the parts of a body in order.
func (d *declaration) body() {
	for _, part := range d.stmt.Body {
		switch part := part.(type) {
		case *ast.Let:
			d.let(part)
		case *ast.Body:
			d.part(part)
		case *ast.Generate:
			d.generates(part)
		}
	}
	if d.parts[logPart] == nil && !d.bad {
		d.errorf(diag.BadDistribution, &d.stmt.Name, "%s has no density", d.stmt.Name.Name).
			Note("its body holds `log = …`, the logarithm of the density of %s", d.stmt.Value.Name.Name)
	}
	if n := len(d.out.Steps); n > 0 && d.drawn == nil && !d.bad {
		d.errorf(diag.BadGenerator, d.stmt.Body[len(d.stmt.Body)-1], "nothing generates %s",
			d.stmt.Value.Name.Name).
			Note("the last step gives the value: generate %s = …, or generate %s ~ …", d.stmt.Value.Name.Name,
				d.stmt.Value.Name.Name)
	}
}

// part reads the density, or another expression.
func (d *declaration) part(s *ast.Body) {
	name := s.Name.Name
	if d.parts[name] != nil {
		d.errorf(diag.BadDistribution, s, "%s is written twice", name).
			NoteAt(d.File.Source, d.parts[name].Span(), "it is here")
		return
	}
	d.parts[name] = s
	if !d.expression(s.Value, name == meanPart) {
		return
	}
	switch name {
	case logPart:
		d.density(s.Value, s)
	case cdfPart:
		d.out.CDF, d.out.TailPieces = d.formula(s.Value), d.out.TailPieces || d.chooses(s.Value)
	case ccdfPart:
		d.out.CCDF, d.out.TailPieces = d.formula(s.Value), d.out.TailPieces || d.chooses(s.Value)
	case meanPart:
		if d.size(s.Value) > mostWritten {
			d.errorf(diag.BadDistribution, s, "with its lets written out, the mean is too large")
			return
		}
		d.out.Mean = format.Expr(d.written(s.Value))
	default:
		m := d.errorf(diag.BadDistribution, &s.Name, "a distribution has no part %q", name)
		m.Note("its parts are log, cdf, ccdf and mean; an intermediate value is let %s = …, and a step of the "+
			"generator generate %s ~ …", name, name)
		if replaced := map[string]string{"lpdf": logPart, "lpmf": logPart, "log_density": logPart,
			"logpdf": logPart, "logp": logPart}[name]; replaced != "" {
			m.Fix(s.Name.Span(), replaced, "the logarithm of the density")
		}
	}
}

// density reads the log density, term by term.
func (d *declaration) density(e ast.Expr, at ast.Node) {
	if d.bad {
		return
	}
	if !d.moves(e) {
		d.errorf(diag.ValueUnused, at, "the density of %s does not depend on %s", d.stmt.Name.Name,
			d.stmt.Value.Name.Name).
			Note("a term of the model's density that no value enters is a `factor`")
		return
	}
	d.out.Pieces = d.chooses(e)
	d.terms(e, 1)
}

func (d *declaration) terms(e ast.Expr, sign float64) {
	switch x := e.(type) {
	case *ast.Paren:
		d.terms(x.X, sign)
		return
	case *ast.Unary:
		if x.Op == "-" {
			d.terms(x.X, -sign)
			return
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			d.terms(x.X, sign)
			if x.Op == "-" {
				sign = -sign
			}
			d.terms(x.Y, sign)
			return
		}
	}
	d.out.Log = append(d.out.Log, dist.Term{Of: d.formula(e), Sign: sign})
}

// inspect warns of what contradicts the density.
func (d *declaration) inspect(made *def.Dist) {
	var mean func([]float64) float64
	if p := d.parts[meanPart]; p != nil {
		mean = d.formula(p.Value).At(len(made.Params))
	}
	for _, f := range contradictions(made, mean) {
		at := ast.Node(&d.stmt.Name)
		if p := d.parts[f.Part]; p != nil {
			at = p
		} else if p := d.parts[ccdfPart]; p != nil && f.Part == cdfPart {
			at = p
		} else if f.Part == generatorPart {
			at = d.drawn
		}
		if f.Part == generatorPart && f.Outside {
			d.errorf(diag.BadGenerator, at, "%s", f.Text)
			continue
		}
		m := d.diags.Warnf(diag.NotADensity, d.File.Source, at.Span(), "%s", f.Text)
		if o := d.Linked.Calls[at]; o != nil {
			inFunction(m, o)
		}
		m.Note("%s", f.Way)
	}
}
