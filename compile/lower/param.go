package lower

import (
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// param lowers a parameter: its coordinates, the map to its support with the log-Jacobian, its prior, and the
// value that is reported.
func (l *lowerer) param(s *check.Symbol) {
	shape, ok := l.shape(s)
	if !ok {
		return
	}
	if l.Declared {
		value := l.b.Param(l.key(s.Name), shape)
		l.names[l.key(s.Name)] = value
		l.report(s, value, shape)
		return
	}
	args := make([]graph.ID, len(s.Dist.Params))
	for i, a := range s.Args {
		if a == nil {
			args[i] = l.b.Scalar(s.Dist.Params[i].Default)
		} else {
			args[i] = l.expr(a)
		}
	}
	if slices.ContainsFunc(args, func(a graph.ID) bool { return !l.b.Constant(a) }) {
		l.Spec.Hierarchical = true
		l.dependent = append(l.dependent, l.key(s.Name))
	}
	if s.Structure != nil {
		l.structured(s, shape, args)
		return
	}
	lower, upper, ok := l.support(s, args)
	if !ok || l.diags.HasErrors() {
		return
	}
	key := l.key(s.Name)
	if s.Initial != nil {
		l.Spec.Weights = append(l.Spec.Weights, model.Weight{Offset: l.b.Dim(), Dims: shape,
			Initial: s.Initial})
	}
	x := l.b.Param(key, shape)
	coordinates, log := x, false
	if finite(lower) != nil || finite(upper) != nil {
		bijector := l.Program.Universe.For(finite(lower), finite(upper))
		log = bijector.Func != nil && bijector.Func(lower, upper) == "exp"
		x = l.b.Bijector(bijector, x, lower, upper)
		if finite(lower) != nil && shape.Len() > 0 {
			l.bounded = append(l.bounded, bounded{key, coordinates, x})
		}
	} else if s.Initial == nil && shape.Len() > 0 {
		l.plain = append(l.plain, x)
	}
	if log {
		l.noteEffects(s, coordinates, true, args)
	} else {
		l.noteEffects(s, x, false, args)
	}
	value := x
	if s.Noncentered() {
		value, args = l.noncentered(s, x, args)
	}
	if l.diags.HasErrors() {
		return
	}
	if err := l.b.Density(key+" ~ "+s.Dist.Name, s.Dist, x, args, graph.NoID, 1); err != nil {
		l.errorf(diag.CannotEvaluate, s.Ident, "%v", err)
		return
	}
	value = l.spread(value, shape)
	l.names[key] = value
	l.report(s, value, shape)
}

func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// support gives the bounds of a parameter, given the arguments of its distribution.
func (l *lowerer) support(s *check.Symbol, args []graph.ID) (lower, upper float64, ok bool) {
	theta := make([]float64, len(args))
	for k, id := range args {
		v, fixed := l.b.Value(id)
		if theta[k] = math.NaN(); fixed && len(v) == 1 {
			theta[k] = v[0]
		}
	}
	return l.bounds(s, theta)
}

// bounds are those of the distribution of a symbol, given its arguments (NaN: not known to be a constant),
// narrowed by those declared.
func (l *lowerer) bounds(s *check.Symbol, theta []float64) (lower, upper float64, ok bool) {
	lower, upper = s.Dist.Bounds(theta)
	if math.IsNaN(lower) || math.IsNaN(upper) {
		l.errorf(diag.BadSupport, s.Ident,
			"the bounds of %s must be constant scalars, since they are the support of %s", s.Dist.Name,
			s.Name)
		return 0, 0, false
	}
	for _, bound := range []struct {
		e     ast.Expr
		value *float64
		pick  func(a, b float64) float64
	}{{s.Lower, &lower, math.Max}, {s.Upper, &upper, math.Min}} {
		if bound.e == nil {
			continue
		}
		v, fixed := l.b.Value(l.expr(bound.e))
		if !fixed || len(v) != 1 {
			l.errorf(diag.CannotEvaluate, bound.e, "a bound is a constant")
			return 0, 0, false
		}
		*bound.value = bound.pick(*bound.value, v[0])
	}
	if !(lower < upper) {
		l.errorf(diag.BadSupport, s.Ident,
			"the support of %s is empty: its lower bound is %v and its upper bound %v", s.Name, lower, upper)
		return 0, 0, false
	}
	return lower, upper, true
}

// noncentered writes value = location + scale·x with x from the standard member of the family.
func (l *lowerer) noncentered(s *check.Symbol, x graph.ID, args []graph.ID) (graph.ID, []graph.ID) {
	standard := append([]graph.ID(nil), args...)
	value := l.apply(s.Ident, "mul", graph.Attr{}, x, args[s.Dist.ScaleAt])
	standard[s.Dist.ScaleAt] = l.b.Scalar(1)
	if at := s.Dist.LocationAt; at >= 0 {
		value = l.apply(s.Ident, "add", graph.Attr{}, args[at], value)
		standard[at] = l.b.Scalar(0)
	}
	return value, standard
}

// report adds a parameter to what is reported, under the name that users know it by.
func (l *lowerer) report(s *check.Symbol, value graph.ID, shape graph.Shape) {
	owner, name := l.reported(s)
	l.b.Report(name, value)
	l.Spec.Params = append(l.Spec.Params, density.Parameter{Name: name, Owner: owner, Dims: shape,
		Offset: l.offset, Len: shape.Len(), Weight: s.Initial != nil, Generated: s.Kind == check.Generated})
	l.offset += shape.Len()
}

// reported returns the owner of a parameter, and the name that users know it by.
func (l *lowerer) reported(s *check.Symbol) (owner, name string) {
	switch {
	case l.Program.For == "" && s.Family:
		owner = memberName(s.Owner, l.member)
	case l.Program.For != "" && l.Family != "":
		owner = l.Name
	default:
		return s.Owner, s.Name
	}
	return owner, owner + "." + s.Name
}
