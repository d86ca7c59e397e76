package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// A GivenValues is values of parameters on their declared scale, by the names under which they are reported.
type GivenValues struct {
	Entries map[string]*data.Entry
	Names   []string        // of all parameters that have been asked for
	Taken   map[string]bool // the entries that are parameters
	Errors  []error         // each with the place of the value
}

// Given is the values of entries.
func Given(entries []*data.Entry) *GivenValues {
	g := &GivenValues{Entries: map[string]*data.Entry{}, Taken: map[string]bool{}}
	for _, e := range entries {
		g.Entries[e.Name] = e
	}
	return g
}

// Foreign returns the errors, those of the entries included that are no parameter of any party.
func (g *GivenValues) Foreign(entries []*data.Entry) []error {
	for _, e := range entries {
		if g.Taken[e.Name] {
			continue
		}
		text := fmt.Sprintf("%s: the model has no parameter %s", e.Place(len(e.Values)), e.Name)
		if near := check.Nearest(e.Name, g.Names); near != "" {
			text += "; did you mean " + near + "?"
		}
		g.Errors = append(g.Errors, errors.New(text))
	}
	return g.Errors
}

// Unconstrain returns the coordinates of a party at given values of its parameters: the inverse of what the
// party reports. Where a parameter has no value, neither have its coordinates. Other parties' parameters that
// the coordinates depend on, as the location of a noncentered parameter, are looked up too.
func (l *Lowered) Unconstrain(given *GivenValues) []density.Init {
	s := &inverse{
		lowerer: &lowerer{
			Lowered: &Lowered{Program: l.Program, PartyData: l.PartyData, Spec: &model.Spec{Party: l.Name}},
			b:       graph.New(l.Name),
			names:   map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
			sums: map[string]graph.ID{},
		},
		GivenValues: given, ports: l.Spec.Graph.Params(),
	}
	s.gaps = s.cells
	s.groups, s.single = sumsOf(l.Program)
	for _, sym := range l.Program.Order {
		s.eachMember(sym.Family && sym.Kind != check.Receive, sym.Owner, func() { s.visit(sym) })
	}
	for _, d := range s.diags {
		s.Errors = append(s.Errors, fmt.Errorf("%s", d.Message))
	}
	return s.starts
}

// An inverse declares everything that the coordinates of parameters follow from, with the given values as
// constants.
type inverse struct {
	*lowerer
	*GivenValues
	ports  []graph.Port
	starts []density.Init
}

func (s *inverse) visit(sym *check.Symbol) {
	switch {
	case s.diags.HasErrors():
	case sym.Kind == check.Param:
		s.param(sym)
	case sym.Kind == check.Receive && s.Entries[sym.Name] != nil:
		if shape, ok := s.shape(sym); ok && s.fits(sym, sym.Name, shape) {
			s.names[sym.Name] = s.b.Const(sym.Name, shape, s.Entries[sym.Name].Values)
		}
	default:
		s.declare(sym)
	}
}

// values returns the given values of a parameter; nil for none.
func (s *inverse) values(sym *check.Symbol, shape graph.Shape) *data.Entry {
	_, name := s.reported(sym)
	s.Names = append(s.Names, name)
	e := s.Entries[name]
	if e == nil {
		return nil
	}
	s.Taken[name] = true
	if !s.fits(sym, name, shape) {
		return nil
	}
	return e
}

// fits reports whether the given values of a parameter have its shape.
func (s *inverse) fits(sym *check.Symbol, name string, shape graph.Shape) bool {
	e := s.Entries[name]
	if slices.Equal(e.Dims, shape) || len(e.Values) == 0 && shape.Len() == 0 {
		return true
	}
	if sym.Kind == check.Param || sym.Kind == check.Data {
		s.errorAt(e, len(e.Values), "%s has %s here, but the model has %s", name, shapeText(e.Dims),
			shapeText(shape))
	}
	return false
}

func shapeText(dims []int) string {
	if len(dims) == 0 {
		return "one number"
	}
	return "the shape " + strings.ReplaceAll(fmt.Sprint(dims), " ", ", ")
}

func (s *inverse) errorAt(e *data.Entry, i int, format string, args ...any) {
	s.Errors = append(s.Errors, fmt.Errorf("%s: "+format, append([]any{e.Place(i)}, args...)...))
}

// param sets the coordinates of a parameter, and its value for those that follow.
func (s *inverse) param(sym *check.Symbol) {
	shape, ok := s.shape(sym)
	if !ok {
		return
	}
	key, e := s.key(sym.Name), s.values(sym, shape)
	if e == nil {
		s.names[key] = s.b.Param(key, shape)
		return
	}
	s.names[key] = s.b.Const(key, shape, e.Values)
	if sym.Structure != nil {
		s.structured(sym, key, shape, e)
		return
	}
	args := make([]graph.ID, len(sym.Dist.Params))
	for i, a := range sym.Args {
		if a == nil {
			args[i] = s.b.Scalar(sym.Dist.Params[i].Default)
		} else {
			args[i] = s.expr(a)
		}
	}
	if s.diags.HasErrors() {
		return
	}
	lower, upper, ok := s.support(sym, args)
	if !ok {
		return
	}
	x := e.Values
	if sym.Noncentered() {
		x = s.standard(sym, args, e, shape)
	}
	s.bounded(key, e, x, lower, upper)
}

// cells sets the coordinates of missing cells.
func (s *inverse) cells(sym *check.Symbol, b *data.BoundValue) {
	key, shape := s.key(sym.Name), graph.Shape{len(b.Gaps)}
	s.names[key] = s.b.Const(sym.Name, b.Dims, b.Values)
	if len(b.Gaps) == 0 {
		return
	}
	lower, upper, ok := s.cellBounds(sym)
	if !ok || s.diags.HasErrors() {
		return
	}
	named := *sym
	named.Name = missingName(sym.Name)
	free := s.key(named.Name)
	e := s.values(&named, shape)
	if e == nil {
		s.names[key] = s.fill(sym, b, s.b.Param(free, shape))
		return
	}
	s.names[key] = s.fill(sym, b, s.b.Const(free, shape, e.Values))
	s.bounded(free, e, e.Values, lower, upper)
}

// bounded sets the coordinates of numbers between bounds, x being e or, of a noncentered parameter, its
// standard form.
func (s *inverse) bounded(key string, e *data.Entry, x []float64, lower, upper float64) {
	for i, v := range x {
		if !(lower < v && v < upper) {
			s.errorAt(e, i, "%s is %s, but must be %s", element(e, i), number(e.Values[i]),
				between(lower, upper))
			return
		}
	}
	if finite(lower) == nil && finite(upper) == nil {
		s.add(key, x)
		return
	}
	u := make([]float64, len(x))
	s.Program.Universe.For(finite(lower), finite(upper)).Inverse(u, x, lower, upper)
	s.add(key, u)
}

func between(lower, upper float64) string {
	switch {
	case finite(upper) == nil:
		return "above " + number(lower)
	case finite(lower) == nil:
		return "below " + number(upper)
	}
	return fmt.Sprintf("between %s and %s, and neither", number(lower), number(upper))
}

// structured sets the coordinates of vectors or matrices of a set.
func (s *inverse) structured(sym *check.Symbol, key string, shape graph.Shape, e *data.Entry) {
	t, k := sym.Structure, shape[len(shape)-1]
	u, wrong := graph.InverseStructured(t, e.Values, k)
	if wrong < 0 {
		s.add(key, u)
		return
	}
	which := e.Name
	if lead := shape[:len(shape)-t.Rank]; len(lead) > 0 {
		which = element(&data.Entry{Name: e.Name, Dims: lead}, wrong)
	}
	s.errorAt(e, wrong, "%s is not a %s[%d]: vflc doc %s describes the values that it may have", which,
		t.Name, k, t.Name)
}

// standard is the inverse of what noncentered makes of a parameter: (value - location)/scale.
func (s *inverse) standard(sym *check.Symbol, args []graph.ID, e *data.Entry, shape graph.Shape) []float64 {
	scale := s.argument(sym, args, sym.Dist.ScaleAt, e, shape)
	location := make([]float64, len(e.Values))
	if at := sym.Dist.LocationAt; at >= 0 {
		location = s.argument(sym, args, at, e, shape)
	}
	if scale == nil || location == nil {
		return nil
	}
	x := make([]float64, len(e.Values))
	for i, v := range e.Values {
		if !(scale[i] > 0) || math.IsInf(scale[i], 0) {
			s.errorAt(e, i, "%s is declared noncentered, and the scale of its prior is %s at these values",
				element(e, i), number(scale[i]))
			return nil
		}
		x[i] = (v - location[i]) / scale[i]
	}
	return x
}

// argument returns the values of a location or scale, which other parameters' values give; nil where one of
// these is not given.
func (s *inverse) argument(sym *check.Symbol, args []graph.ID, at int, e *data.Entry,
	shape graph.Shape) []float64 {
	v, known := s.b.Value(s.spread(args[at], shape))
	if s.diags.HasErrors() {
		return nil
	}
	if !known {
		s.errorAt(e, len(e.Values),
			"%s is declared noncentered, so that its coordinates depend on %s: give values for "+
				"that too, or for neither", e.Name, strings.Join(s.absent(sym.Args[at]), " and "))
		return nil
	}
	return v
}

// absent lists the parameters in an expression that have no given values.
func (s *inverse) absent(e ast.Expr) (out []string) {
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		switch sym := s.Program.Symbols[name.Name]; {
		case sym == nil:
		case sym.Kind == check.Let:
			out = append(out, s.absent(sym.Decl.(*ast.Let).Value)...)
		case sym.Kind == check.Param || sym.Kind == check.Receive:
			shown := sym.Name
			if sym.Kind == check.Param {
				_, shown = s.reported(sym)
			}
			if s.Entries[shown] == nil && !slices.Contains(out, shown) {
				out = append(out, shown)
			}
		}
		return true
	})
	return out
}

// add sets the coordinates of a leaf of the party's graph. A set with one value has none.
func (s *inverse) add(key string, u []float64) {
	for _, p := range s.ports {
		if p.Name == key {
			s.starts = append(s.starts, density.Init{Offset: p.Offset, Values: u})
		}
	}
}

// element names element i of an array, as beta[2,1].
func element(e *data.Entry, i int) string {
	if len(e.Dims) == 0 {
		return e.Name
	}
	index := make([]string, len(e.Dims))
	for k, d := range e.Dims {
		index[k], i = fmt.Sprint(i%d+1), i/d
	}
	return fmt.Sprintf("%s[%s]", e.Name, strings.Join(index, ","))
}
