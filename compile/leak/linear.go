package leak

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// A linearity finds what is linear in parameters, with coefficients of data, of the rows of a cut or of a
// likelihood. A parameter for each row, whose coefficient is 1 in this row alone, is none: in a cut it hides
// the rest, and its moments are the rows.
type linearity struct {
	*reader
	sizes []types.Size // those of an axis along rows
	// Of a likelihood an array is taken for a parameter for each row where it may be one, of a cut where it
	// has a row's size.
	moments bool
	summed  []string // variables of sums
}

// cut is the linearity of a cut.
func (r *reader) cut(e ast.Expr) *linearity {
	return &linearity{reader: r, sizes: first(r.facts(e).Type)}
}

// location is the linearity of the location of values.
func (r *reader) location(values ast.Expr) *linearity {
	sizes := first(r.facts(values).Type)
	for _, s := range r.namesOf(values).data {
		sizes = append(sizes, first(s.Type)...)
	}
	return &linearity{reader: r, sizes: sizes, moments: true}
}

// first is the size of the first axis, if there is one.
func first(t types.Type) []types.Size { return slices.Clone(t.Dims[:min(1, len(t.Dims))]) }

// each reports a type with an axis along rows.
func (l *linearity) each(t types.Type) bool {
	return slices.ContainsFunc(t.Dims, func(d types.Size) bool {
		return slices.ContainsFunc(l.sizes, d.Equal)
	})
}

// byRow reports an array of parameters that may have one for each row. Within a product with columns, or as
// elements that a level picks, that of a cut has none.
func (l *linearity) byRow(t types.Type, within bool) bool {
	if l.moments {
		return !within && !t.Scalar() || l.each(t)
	}
	return !within && l.each(t)
}

func free(f form) bool { return f.deps()&(onPrivate|onShared) == 0 }

func (l *linearity) known(e ast.Expr) bool { return free(l.read(e)) }

// linear reports an expression that is linear in parameters; within says that it stands within columns.
func (l *linearity) linear(e ast.Expr, within bool) bool {
	if e == nil {
		return true
	}
	// Of a sum, which may be long, each term is read once, and those that are not linear may cancel.
	terms := flatten(e, false, nil)
	if len(terms) > 1 {
		var rest []term
		for _, t := range terms {
			switch {
			case l.linear(t.Expr, within):
			case t.minus:
				rest = l.chain(t.Expr, -1, rest)
			default:
				rest = l.chain(t.Expr, 1, rest)
			}
		}
		return free(sum(rest))
	}
	if e = terms[0].Expr; l.known(e) || l.number(e) {
		return true
	}
	switch x := e.(type) {
	case *ast.Index:
		return !l.part(x, within) && l.linear(x.X, within || !l.several(x))
	case *ast.Sum:
		return x.Family == nil && l.comprehension(x, within)
	case *ast.Transpose:
		return l.linear(x.X, within)
	case *ast.Name:
		s := l.Symbols[x.Name]
		if s.Kind == check.Let {
			return l.linear(s.Decl.(*ast.Let).Value, within)
		}
		return !l.byRow(s.Type, within)
	case *ast.Binary:
		return l.binary(x, within)
	case *ast.Call:
		return l.call(x, within)
	}
	return false
}

// number reports one number of parameters alone, the same for all rows: it is like a parameter.
func (r *reader) number(e ast.Expr) bool {
	return r.facts(e).Type.Scalar() && r.deps(e)&onData == 0 && !r.counted(e)
}

// part reports a part of an array of parameters that may have one for each row of a likelihood.
func (l *linearity) part(x *ast.Index, within bool) bool {
	return l.moments && l.deps(x.X)&onData == 0 && l.several(x) && (l.counted(x, l.summed...) ||
		l.byRow(l.facts(x).Type, within))
}

// comprehension reads a sum with columns as a product with them.
func (l *linearity) comprehension(x *ast.Sum, within bool) bool {
	if !x.Each && l.moments && l.deps(x.Body)&onData != 0 {
		inner := *l
		inner.summed = append(slices.Clone(l.summed), x.Var.Name)
		return inner.linear(x.Body, true)
	}
	return l.linear(x.Body, within)
}

func (l *linearity) binary(x *ast.Binary, within bool) bool {
	columns := func(e ast.Expr) bool { return l.deps(e)&onData != 0 && !l.facts(e).Type.Scalar() }
	switch x.Op {
	case "*":
		return l.known(x.X) && l.linear(x.Y, within || columns(x.X)) ||
			l.known(x.Y) && l.linear(x.X, within || l.moments && columns(x.Y))
	case ".*":
		return l.known(x.X) && l.linear(x.Y, within) || l.known(x.Y) && l.linear(x.X, within)
	case "/", "./":
		return l.known(x.Y) && l.linear(x.X, within)
	}
	return false
}

// call reports a function that is linear in some arguments, of which the others are known.
func (l *linearity) call(x *ast.Call, within bool) bool {
	f, ok := l.Universe.Structural(x.Name.Name)
	t := l.facts(x).Type
	switch axes := l.axes(x); {
	case !ok:
	case f.ByGroups:
		grouped := *l // its rows are others
		grouped.sizes = append(first(l.facts(x.Args[0]).Type), l.sizes...)
		l, within = &grouped, within && l.moments
	case f.Mixes && len(t.Dims) < axes && l.deps(x)&onData != 0:
		within = within || l.moments
	case l.moments && f.Joins() && l.deps(x)&onData == 0 && l.each(t):
		return false
	}
	return slices.ContainsFunc(l.Universe.LinearIn(x.Name.Name, len(x.Args)), func(group []int) bool {
		for i, a := range x.Args {
			if in := slices.Contains(group, i); in && !l.linear(a, within) || !in && !l.known(a) {
				return false
			}
		}
		return true
	})
}

// axes is the largest number of axes of an argument.
func (l *linearity) axes(x *ast.Call) (axes int) {
	for _, a := range x.Args {
		axes = max(axes, len(l.facts(a).Type.Dims))
	}
	return axes
}

// counted reports whether the variable of a comprehension is in an expression, other than some.
func (r *reader) counted(e ast.Node, but ...string) (is bool) {
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		is = is || ok && r.Symbols[name.Name] == nil && r.Sizes[name.Name] == nil &&
			!slices.Contains(but, name.Name)
		return true
	})
	return is
}

// several reports whether an index takes a part of an array, or all of it: a slice, an array of positions, or
// elements one after another in a comprehension.
func (r *reader) several(e *ast.Index) bool {
	return slices.ContainsFunc(e.Args, func(a *ast.Subscript) bool {
		t := r.facts(a.Lo).Type
		return a.Slice || r.counted(a) || !t.Scalar() && t.Elem != types.Level
	})
}

// tellsAll reports a cut that is linear, or that is so in one parameter for each row and has no other.
func (r *reader) tellsAll(cut ast.Expr) bool {
	l := r.cut(cut)
	if l.linear(cut, false) {
		return true
	}
	l.sizes = nil
	own := slices.Collect(maps.Values(r.namesOf(cut).own))
	return len(own) == 1 && len(own[0].Type.Dims) <= len(r.facts(cut).Type.Dims) && l.linear(cut, false)
}

// inCuts are the parameters of a client in the cuts that are linear in them. As many rounds as there are
// coefficients show the span of such a cut, and its coordinates where the client evaluates in each, in a
// basis that is not the client's. A likelihood of the client with the same parameters then gives its rows in
// that basis: its log density is one equation in them each round.
func (r *reader) inCuts(sent []ast.Expr) told {
	out := told{}
	for _, x := range sent {
		if r.tellsAll(x) {
			r.coordinates(x, out)
		}
	}
	return out
}

// coordinates adds the parameters that a linear cut tells. A number that is one coordinate tells one element,
// or a parameter that is a number, and nothing of the arrays that it is made of.
func (r *reader) coordinates(e ast.Expr, to told) {
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if name, ok := x.(*ast.Name); ok {
			s := r.Symbols[name.Name]
			switch {
			case s == nil:
			case s.Leaves() != nil:
				r.coordinates(s.Leaves(), to)
			case s.Kind == check.Let:
				r.coordinates(s.Decl.(*ast.Let).Value, to)
			case s.Kind == check.Param && s.Owner == r.client:
				to[s.Name] = s.Name
			}
			return false
		}
		if !r.number(x) {
			return true
		}
		if element, ok := x.(*ast.Index); ok {
			name := format.Expr(element)
			to[name] = name
			return false
		}
		for name, s := range r.namesOf(x).own {
			if s.Type.Scalar() {
				to[name] = name
			}
		}
		_, binary := x.(*ast.Binary)
		_, unary := x.(*ast.Unary)
		_, paren := x.(*ast.Paren)
		return binary || unary || paren
	})
}
