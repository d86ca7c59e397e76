package lower

import (
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/fn"
)

// mostTerms bounds the elements of a comprehension that are computed one by one.
const mostTerms = 10_000

// ranged lowers LO..HI.
func (l *lowerer) ranged(e *ast.Binary) graph.ID {
	lo, hi, ok := l.span(e, e.X, e.Y)
	if !ok || !l.counts(e, lo, hi) {
		return graph.NoID
	}
	return l.numbers(lo, hi)
}

// counts checks that a range runs up, or is empty.
func (l *lowerer) counts(at ast.Node, lo, hi int) bool {
	if hi >= lo-1 {
		return true
	}
	l.errorf(diag.BadRange, at, "a range counts up, but this one runs from %d to %d", lo, hi).
		Note("with these data a size in it is smaller than the model takes for granted")
	return false
}

// numbers is the array of the whole numbers from lo to hi.
func (l *lowerer) numbers(lo, hi int) graph.ID {
	v := make([]float64, hi-lo+1)
	for i := range v {
		v[i] = float64(lo + i)
	}
	return l.b.Const("", graph.Shape{len(v)}, v)
}

// category is the number of a category of a level.
func (l *lowerer) category(level ast.Expr, text *ast.Text) graph.ID {
	s := l.Program.Coded(level)
	_, _, list := l.Program.LevelSize(s.Type)
	if list == nil {
		if b := l.Data[l.holder(s)][s.Name]; b != nil {
			list = b.Labels
		}
	}
	k := check.Code(list, text.Text)
	switch {
	case list == nil:
		l.errorf(diag.UnknownCategory, text, "the categories of %s are the whole numbers of its column", s.Name).
			Note("compare with a number, as in %s == 2", s.Name)
	case k == 0:
		check.NoCategory(l.errorf(diag.UnknownCategory, text, "%s has no category %s", s.Name,
			format.Expr(text)), list, text.Text)
	}
	return l.b.Scalar(float64(k))
}

// sum lowers a comprehension: the terms one by one, added in order or joined.
func (l *lowerer) sum(e *ast.Sum) graph.ID {
	if id, ok := l.receivedSum(e); ok {
		return id
	}
	lo, hi := 1, 0
	if e.Family != nil {
		hi = l.Sizes.Members[e.Family.Name]
	} else {
		var ok bool
		if lo, hi, ok = l.span(e, e.Lo, e.Hi); !ok {
			return graph.NoID
		}
	}
	if e.Each {
		return l.elementsOf(e, lo, hi)
	}
	terms := l.terms(e, lo, hi)
	switch len(terms) {
	case 0:
		return l.b.Scalar(0)
	case 1:
		return terms[0]
	}
	return l.apply(e, "addn", graph.Attr{}, terms...)
}

// terms lowers the terms of a comprehension.
func (l *lowerer) terms(e *ast.Sum, lo, hi int) (out []graph.ID) {
	before, inside := l.vars[e.Var.Name]
	for k := lo; k <= hi; k++ {
		l.vars[e.Var.Name] = k
		out = append(out, l.expr(e.Body))
	}
	if delete(l.vars, e.Var.Name); inside {
		l.vars[e.Var.Name] = before
	}
	return out
}

// elementsOf lowers a comprehension to an array: all elements at once where its body goes element by element,
// else one by one.
func (l *lowerer) elementsOf(e *ast.Sum, lo, hi int) graph.ID {
	if !l.counts(e, lo, hi) {
		return graph.NoID
	}
	if hi < lo {
		return l.b.Const("", graph.Shape{0}, nil)
	}
	if l.body == nil {
		ln := lane{l, e.Var.Name, l.numbers(lo, hi)}
		if id, ok := ln.expr(e.Body); ok {
			return l.spread(id, graph.Shape{hi - lo + 1})
		}
	}
	if hi-lo >= mostTerms {
		l.errorf(diag.BadElements, e, "this array has %d elements, and at most %d are computed one by one",
			hi-lo+1, mostTerms).
			Note("an element of +, -, *, /, comparisons, functions of one number and x[k] has no such bound; " +
				"or write the whole as an expression of vectors")
		return graph.NoID
	}
	return l.stacked(e, l.terms(e, lo, hi))
}

// stacked is the array whose rows are given. Vectors are joined as columns, whose elements stand together,
// and then transposed.
func (l *lowerer) stacked(e *ast.Sum, rows []graph.ID) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	first := l.b.Shape(rows[0])
	if len(first) == 1 && !slices.ContainsFunc(rows, func(id graph.ID) bool {
		s := l.b.Shape(id)
		return len(s) != 1 || s[0] != first[0]
	}) {
		columns := graph.Attr{Shape: graph.Shape{first[0], len(rows)}}
		joined := l.apply(e, "append", graph.Attr{}, rows...)
		return l.apply(e, "transpose", graph.Attr{}, l.apply(e, "reshape", columns, joined))
	}
	for k, id := range rows {
		if len(l.b.Shape(id)) == 1 {
			rows[k] = l.apply(e, "transpose", graph.Attr{}, l.apply(e, "col", graph.Attr{}, id))
		}
	}
	return l.apply(e, "append", graph.Attr{}, rows...)
}

// A lane lowers the body of a comprehension for all values of its index at once.
type lane struct {
	*lowerer
	name string
	at   graph.ID // the values
}

// expr lowers a part of the body to a vector of the values, or to a number where the index is not in it. ok
// is false where an operation does not go element by element.
func (l lane) expr(e ast.Expr) (id graph.ID, ok bool) {
	if l.diags.HasErrors() {
		return graph.NoID, false
	}
	if !ast.Mentions(e, l.name) {
		id = l.lowerer.expr(e)
		return id, !l.diags.HasErrors() && len(l.b.Shape(id)) == 0
	}
	if _, _, received := zTerms(l.Program, e); received {
		return graph.NoID, false
	}
	switch e := e.(type) {
	case *ast.Name:
		return l.at, true
	case *ast.Paren:
		return l.expr(e.X)
	case *ast.Unary:
		if id, ok = l.expr(e.X); ok {
			id = l.signed(e, id)
		}
	case *ast.Binary:
		id, ok = l.binary(e)
	case *ast.Index:
		id, ok = l.element(e)
	case *ast.Call:
		id, ok = l.call(e)
	}
	return id, ok && !l.diags.HasErrors()
}

func (l lane) binary(e *ast.Binary) (id graph.ID, ok bool) {
	if _, _, category := check.Category(e); category || e.Op == ".." {
		return graph.NoID, false
	}
	x, ok := l.expr(e.X)
	y, ok2 := l.expr(e.Y)
	switch {
	case !ok || !ok2:
		return graph.NoID, false
	case e.Op == "*":
		return l.apply(e, "mul", graph.Attr{}, x, y), true
	}
	return l.compared(e, x, y), true
}

func (l lane) call(e *ast.Call) (id graph.ID, ok bool) {
	_, elementwise := l.Program.Universe.Func(e.Name.Name)
	if !elementwise && e.Name.Name != fn.Where().Name {
		return graph.NoID, false
	}
	args := make([]graph.ID, len(e.Args))
	for i, a := range e.Args {
		if args[i], ok = l.expr(a); !ok {
			return graph.NoID, false
		}
	}
	return l.called(e, args), true
}

// element lowers x[k + 1] and X[k, 2]: one element for each value of the index.
func (l lane) element(e *ast.Index) (id graph.ID, ok bool) {
	if n, named := e.X.(*ast.Name); ast.Mentions(e.X, l.name) || named && l.ofFamily(n) {
		return graph.NoID, false
	}
	x := l.lowerer.expr(e.X)
	if l.diags.HasErrors() || len(l.b.Shape(x)) != len(e.Args) {
		return graph.NoID, false
	}
	in := []graph.ID{x}
	n := l.b.Shape(l.at).Len()
	for i, a := range e.Args {
		if a.Slice {
			return graph.NoID, false
		}
		at, ok := l.expr(a.Lo)
		if !ok {
			return graph.NoID, false
		}
		v, constant := l.b.Value(at)
		if !constant || slices.ContainsFunc(v, math.IsNaN) {
			return graph.NoID, false
		}
		if !l.within(a, v, l.b.Shape(x)[i]) {
			return graph.NoID, false
		}
		in = append(in, l.b.Const("", graph.Shape{n}, slices.Repeat(v, n/len(v))))
	}
	return l.apply(e, "gather", graph.Attr{}, in...), true
}

// ofFamily reports whether a name has a value for each member of a family.
func (l *lowerer) ofFamily(n *ast.Name) bool {
	s := l.Program.Symbols[n.Name]
	return s != nil && s.Family && s.Kind != check.Party
}

// within checks positions along a dimension.
func (l *lowerer) within(at ast.Node, v []float64, n int) bool {
	for i, k := range v {
		if k >= 1 && k <= float64(n) && k == math.Trunc(k) {
			continue
		}
		l.errorf(diag.BeyondIndex, at,
			"element %d of this index is %g, but the dimension has the positions 1 to %d", i+1, k, n).
			Note("indices count from 1; a size in the index is not that of the dimension")
		return false
	}
	return true
}

// isList reports whether a subscript is an array of positions.
func (l *lowerer) isList(e ast.Expr) bool {
	info, ok := l.Program.Info[e]
	if l.facts != nil {
		info, ok = l.facts(e), true
	}
	return ok && info.Type.Elem == types.Int && len(info.Type.Dims) == 1
}

// positions evaluates an array of positions; ascending ones are a slice.
func (l *lowerer) positions(a *ast.Subscript, n int) (s graph.Slice, list []float64, ok bool) {
	s, in := graph.Slice{Hi: n}, l
	if l.body != nil {
		in = l.body.outer // a step holds no arrays
		in.vars = l.vars
	}
	id := in.expr(a.Lo)
	if l.diags = in.diags; l.diags.HasErrors() {
		return s, nil, false
	}
	v, ok := in.b.Value(id)
	if !ok {
		l.errorf(diag.CannotEvaluate, a, "the positions of an index are constant whole numbers")
		return s, nil, false
	}
	if !l.within(a, v, n) {
		return s, nil, false
	}
	for i, k := range v {
		if k != v[0]+float64(i) {
			return s, v, true
		}
	}
	if len(v) > 0 {
		s = graph.Slice{Lo: int(v[0]) - 1, Hi: int(v[0]) - 1 + len(v)}
		return s, nil, true
	}
	return graph.Slice{}, nil, true
}

// An axis says what is taken along an axis of a value: rows by levels, positions, or all.
type axis struct {
	levels    []graph.ID // one
	positions []float64
}

// chosen takes what is chosen along the axes of a value. The levels take one entry for each row together, and
// the rows stand where the first of them does.
func (l *lowerer) chosen(e ast.Node, x graph.ID, along []axis) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	var levels, lists []int
	var ids []graph.ID
	for i, a := range along {
		if a.levels != nil {
			levels, ids = append(levels, i), append(ids, a.levels...)
		}
		if a.positions != nil {
			lists = append(lists, i)
		}
	}
	shape := l.b.Shape(x)
	switch {
	case len(levels)+len(lists) == 0:
		return x
	case len(lists) == 0 && levels[len(levels)-1] == len(levels)-1:
		return l.looked(e, x, ids)
	case len(levels) == 0 && len(lists) == 1 && lists[0] == 0:
		v := along[0].positions
		return l.looked(e, x, []graph.ID{l.b.Const("", graph.Shape{len(v)}, v)})
	case len(levels) == 1 && len(lists) == 0 && len(shape) == 2: // the levels may be still to be drawn
		rows := l.looked(e, l.apply(e, "transpose", graph.Attr{}, x), ids)
		return l.apply(e, "transpose", graph.Attr{}, rows)
	}
	return l.picked(e, x, along)
}

// picked takes elements of any axes at once.
func (l *lowerer) picked(e ast.Node, x graph.ID, along []axis) graph.ID {
	from, out := l.b.Shape(x), graph.Shape{}
	to, rows := make([]int, len(from)), -1 // the axis of the result that an axis follows; that of the levels
	at := make([][]float64, len(from))     // the positions along each axis
	for i, n := range from {
		var a axis
		if i < len(along) {
			a = along[i]
		}
		switch {
		case a.levels != nil:
			at[i], _ = l.b.Value(a.levels[0])
		case a.positions != nil:
			at[i] = a.positions
		default:
			at[i], _ = l.b.Value(l.numbers(1, n))
		}
		if to[i] = len(out); a.levels == nil {
			out = append(out, len(at[i]))
			continue
		}
		if rows < 0 {
			rows, out = len(out), append(out, len(at[i]))
		}
		to[i] = rows
	}
	index := make([]float64, out.Len())
	for o := range index {
		index[o] = 1
		for i, stride := 0, 1.0; i < len(from); i++ {
			k := o
			for _, d := range out[:to[i]] {
				k /= d
			}
			index[o] += float64((at[i][k%out[to[i]]] - 1) * stride)
			stride *= float64(from[i])
		}
	}
	flat := l.apply(e, "reshape", graph.Attr{}, x)
	flat = l.looked(e, flat, []graph.ID{l.b.Const("", graph.Shape{len(index)}, index)})
	return l.apply(e, "reshape", graph.Attr{Shape: out}, flat)
}
