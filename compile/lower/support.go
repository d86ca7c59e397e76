package lower

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A Locator returns the place, FILE:LINE, of a row of a party's value, and its key for a message; "" where
// there is none.
type Locator func(party string, b *data.BoundValue, row int) (where, key string)

// Support reports observations that are no value of their distribution, and data among the arguments of a
// distribution that it does not allow: no parameter could give such a model a density, and a sampler would
// only find that it has no starting point. Of each likelihood the first is reported. A row of weight 0 does
// not count. An error in an expression is left to Lower. The suspects are what explains why a model has no
// starting point, if it has none.
func Support(p *check.Program, values map[string]data.Bindings, sizes *Sizes, locate Locator) (diag.List,
	[]Suspect) {
	s := &supported{
		lowerer: &lowerer{
			Lowered: &Lowered{Program: p, PartyData: PartyData{Program: p, Name: p.Server, Data: values,
				Sizes: sizes}},
			b:     graph.New(p.Server),
			names: map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
			sums: map[string]graph.ID{},
		},
		locate: locate,
	}
	for _, sym := range p.Order {
		if sym.Kind == check.Data || sym.Kind == check.Const || sym.Kind == check.Let && !sym.Random {
			s.eachMember(sym.Family, sym.Owner, func() { s.declare(sym) })
		}
	}
	for _, sym := range p.Order {
		if sym.Kind == check.Param {
			s.eachMember(sym.Family, sym.Owner, func() { s.prior(sym) })
		}
	}
	for _, k := range p.Likelihoods {
		s.eachMember(k.Family != "", k.Family, func() { s.likelihood(k) })
	}
	return s.found, s.suspects
}

type supported struct {
	*lowerer
	locate   Locator
	found    diag.List
	suspects []Suspect
}

// A column holds what is known of an expression: one value for each element of the left side, one for all, or
// none.
type column []float64

// at is the value for an element, NaN where it depends on parameters.
func (c column) at(i int) float64 {
	switch len(c) {
	case 0:
		return math.NaN()
	case 1:
		return c[0]
	}
	return c[i]
}

// data evaluates an expression that no parameter enters, in the shape of the left side.
func (s *supported) data(e ast.Expr, shape graph.Shape) column {
	if e == nil || s.Program.Info[e].Random || s.diags.HasErrors() {
		return nil
	}
	id := s.expr(e)
	if !s.diags.HasErrors() && s.b.Shape(id).Len() != 1 {
		id = s.spread(id, shape)
	}
	if s.diags.HasErrors() {
		return nil
	}
	v, _ := s.b.Value(id)
	return v
}

// prior checks the data among the arguments of a prior.
func (s *supported) prior(sym *check.Symbol) {
	shape, ok := s.shape(sym)
	if !ok || s.diags.HasErrors() {
		return
	}
	if sym.Dist.Event != nil {
		s.eventPrior(sym, shape)
		return
	}
	for j, a := range sym.Args {
		p := &sym.Dist.Params[j]
		for i, v := range s.data(a, shape) {
			if !allowed(p, v) {
				s.report(a, v, domain(sym.Dist, p), i, shape)
				return
			}
		}
	}
}

func domain(d *def.Dist, p *def.Param) string {
	return fmt.Sprintf("%s of %s is %s", p.Name, d.Name, p.Words())
}

func (s *supported) likelihood(k *check.Likelihood) {
	seen := map[string]bool{}
	for _, a := range k.Args {
		if a != nil && !s.diags.HasErrors() {
			s.suspect(k, a, seen)
		}
	}
	if k.Factor() {
		return
	}
	id := s.expr(k.Stmt.Left)
	if s.diags.HasErrors() {
		return
	}
	shape := s.b.Shape(id)
	left, _ := s.b.Value(id)
	s.order(k)
	if k.Dist.Event != nil {
		s.events(k, left, shape)
		return
	}
	weights := s.data(k.Stmt.Weights, shape)
	args := make([]column, len(k.Args))
	for j, a := range k.Args {
		args[j] = s.data(a, shape)
	}
	theta := make([]float64, len(args))
	for i, x := range left {
		for j, a := range args {
			theta[j] = a.at(i)
		}
		if weights != nil && weights.at(i) == 0 {
			continue
		}
		if at, v, why := wrong(k, args, x, theta); why != "" {
			s.report(at, v, why, i, shape)
			return
		}
	}
}

// order warns of words whose codes are their order for a distribution, and come from their bytes: "bad",
// "good", "poor".
func (s *supported) order(k *check.Likelihood) {
	if !k.Dist.Ordered() {
		return
	}
	ast.Walk(k.Stmt.Left, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		sym := s.Program.Symbols[name.Name]
		if sym == nil || sym.Kind != check.Data {
			return true
		}
		size, _, listed := s.Program.LevelSize(sym.Type)
		b := s.Data[s.holder(sym)][sym.Name]
		if listed != nil || b == nil || len(b.Labels) < 2 {
			return true
		}
		shown := b.Labels
		if len(shown) > maxShown {
			shown = append(slices.Clone(shown[:maxShown]), "…")
		}
		d := s.found.Warnf(diag.WordsInOrder, s.Program.File.Source, name.Span(),
			"%s takes the order of categories from their codes, and the words of %s have codes in the "+
				"order of the alphabet: %s",
			k.Dist.Name, sym.Name, strings.Join(shown, ", "))
		if _, fixed := sym.Type.Levels.Int(); fixed {
			d.Note("give the size a name, level(K), and write `levels K = \"…\", \"…\"`, in the order that " +
				"is meant, also where it is this one")
		} else {
			d.Note("write `levels %s = \"…\", \"…\"`, in the order that is meant, also where it is this one",
				size)
		}
		return true
	})
}

// maxShown is how many categories a message lists.
const maxShown = 12

// wrong gives the expression of an element that its distribution does not allow, with its value there and the
// reason; "" for none.
func wrong(k *check.Likelihood, args []column, x float64, theta []float64) (at ast.Expr, v float64,
	why string) {
	d := k.Dist
	names := make([]string, len(d.Params))
	for j, p := range d.Params {
		if args[j] != nil && !allowed(&p, theta[j]) {
			return k.Args[j], theta[j], domain(d, &p)
		}
		if names[j] = p.Name; args[j] != nil {
			names[j] = number(theta[j])
		}
	}
	if possible(d, x, theta) {
		return nil, 0, ""
	}
	why = fmt.Sprintf("a value of %s is %s", d.Name, d.Words(names))
	lower, upper := d.Bounds(theta)
	if e := d.Lower.Exponent; e != nil && x == lower {
		why += fmt.Sprintf(", and %s only where %s is 1", number(x), d.Params[e.Param].Name)
	}
	if e := d.Upper.Exponent; e != nil && x == upper {
		why += fmt.Sprintf(", and %s only where %s is 1", number(x), d.Params[e.Param].Name)
	}
	return k.Stmt.Left, x, why
}

// allowed reports whether data may be a parameter. An infinite location or log rate has a density, or the
// limit of one.
func allowed(p *def.Param, v float64) bool {
	return p.Domain == def.RealLine && !p.Integral && !math.IsNaN(v) || p.Allows(v)
}

// possible reports whether a distribution may give x. Ends of its support that depend on parameters of the
// model are not known here.
func possible(d *def.Dist, x float64, theta []float64) bool {
	lower, upper := d.Bounds(theta)
	if math.IsNaN(lower) || math.IsNaN(upper) {
		return !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return d.Inside(x, theta)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// report adds the error of element i of a likelihood.
func (s *supported) report(at ast.Expr, v float64, why string, i int, shape graph.Shape) {
	where, row := s.row(at, i, shape)
	d := s.found.Errorf(diag.OutsideSupport, s.Program.File.Source, at.Span(), "%s is %s%s, but %s",
		format.Expr(at), number(v), row, why)
	if d.Data = where; where != "" {
		d.Note("the value is at %s", where)
	}
	d.Note("correct it, leave the row out at every party, or take a distribution that has such values")
}

// row describes the place of element i of an expression: the row of a table where the expression goes over
// its rows, else the element.
func (s *supported) row(at ast.Expr, i int, shape graph.Shape) (where, text string) {
	if len(shape) == 0 {
		return "", ""
	}
	row := i % shape[0]
	text = fmt.Sprintf(" (element %d)", i+1)
	ast.Walk(at, func(n ast.Node) bool {
		if _, sliced := n.(*ast.Index); sliced {
			return false
		}
		name, ok := n.(*ast.Name)
		if !ok || where != "" {
			return where == ""
		}
		sym := s.Program.Symbols[name.Name]
		if sym == nil || sym.Kind != check.Data {
			return true
		}
		party := s.holder(sym)
		b := s.Data[party][sym.Name]
		if b == nil || len(b.Dims) == 0 || b.Dims[0] != shape[0] {
			return true
		}
		if place, key := s.locate(party, b, row); place != "" {
			where, text = place, fmt.Sprintf(" in row %d%s", row+1, key)
		}
		return true
	})
	return where, text
}
