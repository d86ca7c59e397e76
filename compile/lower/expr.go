package lower

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/graph"
)

// binaryOps maps operators to graph operations.
var binaryOps = map[string]string{
	"+": "add", "-": "sub", ".*": "mul", "/": "div", "./": "div", "^": "pow",
	"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or",
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// expr lowers an expression; equal nodes in the same context are lowered once, unless they have an error.
func (l *lowerer) expr(e ast.Expr) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	key := memoKey{e, l.context()}
	if id, ok := l.memo[key]; ok {
		return id
	}
	if l.body != nil {
		if id, ok := l.body.read(l, e); ok {
			l.memo[key] = id
			return id
		}
	}
	id := l.build(e)
	if !l.diags.HasErrors() {
		l.memo[key] = id
	}
	return id
}

func (l *lowerer) build(e ast.Expr) graph.ID {
	switch e := e.(type) {
	case *ast.Number:
		return l.b.Scalar(e.Value)
	case *ast.Paren:
		return l.expr(e.X)
	case *ast.Name:
		return l.name(e)
	case *ast.Unary:
		return l.unary(e)
	case *ast.Binary:
		return l.binary(e)
	case *ast.Transpose:
		return l.apply(e, "transpose", graph.Attr{}, l.expr(e.X))
	case *ast.Index:
		return l.index(e)
	case *ast.Call:
		if d, ok := l.Program.Density(e); ok {
			return l.density(e, d)
		}
		if f, ok := l.Program.Universe.Structural(e.Name.Name); ok && f.ByGroups {
			return l.byGroups(e, f)
		}
		args := make([]graph.ID, len(e.Args))
		for i, a := range e.Args {
			args[i] = l.expr(a)
		}
		return l.called(e, args)
	case *ast.Array:
		return l.array(e)
	case *ast.Sum:
		return l.sum(e)
	case *ast.Recur:
		return l.recur(e)
	}
	l.errorf(diag.CannotEvaluate, e, "this expression cannot be evaluated")
	return graph.NoID
}

// array lowers an array of constants; a matrix is stored by columns.
func (l *lowerer) array(e *ast.Array) graph.ID {
	shape := graph.Shape{len(e.Elems)}
	if row, ok := e.Elems[0].(*ast.Array); ok {
		shape = append(shape, len(row.Elems))
	}
	v := make([]float64, shape.Len())
	for i, x := range e.Elems {
		row := []ast.Expr{x}
		if r, ok := x.(*ast.Array); ok {
			row = r.Elems
		}
		for j, x := range row {
			v[j*len(e.Elems)+i], _ = l.Program.ConstValue(x)
		}
	}
	return l.b.Const(format.Expr(e), shape, v)
}

func (l *lowerer) name(e *ast.Name) graph.ID {
	if v, ok := l.vars[e.Name]; ok {
		return l.b.Scalar(float64(v))
	}
	if l.reference != nil {
		if id, ok := l.reference(e); ok {
			return id
		}
	}
	if id, ok := l.receivedSum(e); ok {
		return id
	}
	for _, key := range []string{l.key(e.Name), e.Name} {
		if id, ok := l.names[key]; ok {
			return id
		}
	}
	if s := l.Program.Symbols[e.Name]; s != nil && s.Kind == check.Const { // that is declared below
		return l.b.Scalar(s.Value)
	}
	if v, ok := l.size(e.Name); ok {
		return l.b.Scalar(float64(v))
	}
	l.errorf(diag.CannotEvaluate, e, "%s has no value here", e.Name)
	return graph.NoID
}

func (l *lowerer) unary(e *ast.Unary) graph.ID {
	if id, ok := l.receivedSum(e); ok {
		return id
	}
	return l.signed(e, l.expr(e.X))
}

func (l *lowerer) signed(e *ast.Unary, x graph.ID) graph.ID {
	switch e.Op {
	case "-":
		return l.apply(e, "neg", graph.Attr{}, x)
	case "!":
		id := l.apply(e, "not", graph.Attr{}, x)
		if l.awaits {
			return l.awaiting(e, id, x)
		}
		return id
	}
	return x
}

func (l *lowerer) binary(e *ast.Binary) graph.ID {
	if id, ok := l.receivedSum(e); ok {
		return id
	}
	if e.Op == ".." {
		return l.ranged(e)
	}
	if level, text, ok := check.Category(e); ok {
		return l.compared(e, l.expr(level), l.category(level, text))
	}
	x, y := l.expr(e.X), l.expr(e.Y)
	if e.Op != "*" {
		return l.compared(e, x, y)
	}
	if l.diags.HasErrors() {
		return graph.NoID
	}
	if len(l.b.Shape(x)) == 0 || len(l.b.Shape(y)) == 0 {
		return l.apply(e, "mul", graph.Attr{}, x, y)
	}
	return l.apply(e, "matmul", graph.Attr{}, x, y)
}

// index lowers X[…]: a member's value, elements and slices, gathers by level.
func (l *lowerer) index(e *ast.Index) graph.ID {
	if n, ok := e.X.(*ast.Name); ok {
		if s := l.Program.Symbols[n.Name]; s != nil && s.Family && s.Kind != check.Party && len(e.Args) == 1 {
			if j, ok := e.Args[0].Lo.(*ast.Name); ok && l.member == 0 {
				return l.memberValue(e, n, l.vars[j.Name])
			}
		}
		if l.reference != nil {
			// a family's cut in a comprehension over its members
			if id, ok := l.reference(n); ok && len(e.Args) == 1 && !l.isLevel(e.Args[0].Lo) {
				return id
			}
		}
	}
	if rows, ok := l.receivedRows(e); ok {
		return rows
	}
	return l.indexed(e, l.expr(e.X), e.Args)
}

// indexed takes elements, slices, positions and rows by level of a value.
func (l *lowerer) indexed(e *ast.Index, x graph.ID, args []*ast.Subscript) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	var slices []graph.Slice
	var along []axis // that are kept
	shape := l.b.Shape(x)
	for i, a := range args {
		s, kept := graph.Slice{Hi: shape[i]}, axis{}
		ok := true
		switch {
		case a.Slice:
			s, ok = l.slice(a, shape[i])
		case l.isLevel(a.Lo):
			kept.levels = append(kept.levels, l.levels(a.Lo))
		case l.isList(a.Lo):
			s, kept.positions, ok = l.positions(a, shape[i])
		default:
			k, within := l.position(a.Lo, a, shape[i])
			s, ok = graph.Slice{Lo: k - 1, Hi: k, Drop: true}, within
		}
		if !ok || l.diags.HasErrors() {
			return graph.NoID
		}
		if slices = append(slices, s); !s.Drop {
			along = append(along, kept)
		}
	}
	if !whole(slices, shape) {
		x = l.apply(e, "slice", graph.Attr{Slices: slices}, x)
	}
	return l.chosen(e, x, along)
}

func whole(s []graph.Slice, shape graph.Shape) bool {
	for i, a := range s {
		if a.Drop || a.Lo != 0 || a.Hi != shape[i] {
			return false
		}
	}
	return true
}

func (l *lowerer) isLevel(e ast.Expr) bool { return l.typeOf(e).Elem == types.Level }

// position evaluates an index and checks that it is within the dimension.
func (l *lowerer) position(e ast.Expr, at ast.Node, n int) (int, bool) {
	v, ok := l.b.Value(l.expr(e))
	if !ok || len(v) != 1 {
		l.errorf(diag.CannotEvaluate, at, "an index is a constant whole number")
		return 0, false
	}
	k := int(v[0])
	if k < 1 || k > n {
		l.errorf(diag.BeyondData, at, "index %d is beyond the dimension, which has %d", k,
			n).Note("indices count from 1 to %d here: the data have fewer than the model takes for granted",
			n)
		return 0, false
	}
	return k, true
}

func (l *lowerer) slice(a *ast.Subscript, n int) (graph.Slice, bool) {
	lo, hi := 1, n
	for _, end := range []struct {
		e ast.Expr
		v *int
	}{{a.Lo, &lo}, {a.Hi, &hi}} {
		if end.e == nil {
			continue
		}
		v, ok := l.b.Value(l.expr(end.e))
		if !ok || len(v) != 1 {
			l.errorf(diag.CannotEvaluate, a, "the ends of a slice are constant whole numbers")
			return graph.Slice{}, false
		}
		*end.v = int(v[0])
	}
	if lo < 1 || hi > n || hi < lo-1 {
		l.errorf(diag.BeyondData, a, "the slice %d:%d is not within the dimension, which has %d", lo, hi,
			n).Note("a slice begins at 1 or later and ends at %d or before; both ends belong to it", n)
		return graph.Slice{}, false
	}
	return graph.Slice{Lo: lo - 1, Hi: hi}, true
}

// memberValue is the value of one member of a family.
func (l *lowerer) memberValue(e *ast.Index, n *ast.Name, k int) graph.ID {
	id, ok := l.names[memberName(n.Name, k)]
	if !ok {
		l.errorf(diag.CannotEvaluate, e, "%s has no member %d", n.Name, k)
	}
	return id
}
