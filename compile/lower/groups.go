package lower

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// byGroups applies a function by groups. Where a level is still to be drawn, all of its value is NaN.
func (l *lowerer) byGroups(e *ast.Call, f *def.Structural) graph.ID {
	in, attr := []graph.ID{l.expr(e.Args[0])}, graph.Attr{}
	for _, g := range e.Args[1:] {
		n, err := l.typeOf(g).Levels.Eval(l.size)
		if err != nil {
			l.errorf(diag.CannotEvaluate, g, "%v", err)
		}
		in, attr.Shape = append(in, l.levels(g)), append(attr.Shape, n)
	}
	if l.diags.HasErrors() {
		return graph.NoID
	}
	known, unknown := l.awaited(in[1:])
	if len(unknown) == 0 && !f.Empty && !l.withRows(e, known, attr.Shape) {
		return graph.NoID
	}
	id := l.apply(e, e.Name.Name, attr, append(in[:1], known...)...)
	if len(unknown) > 0 && !l.diags.HasErrors() {
		id = l.apply(e, "add", graph.Attr{}, id, l.b.Scalar(math.NaN()))
	}
	return id
}

// levels lowers data of levels, inside a recursion too to a constant.
func (l *lowerer) levels(e ast.Expr) graph.ID {
	if l.body == nil || l.body.depends(e) {
		return l.expr(e)
	}
	outer := l.body.outer
	id := outer.levels(e)
	if l.diags = outer.diags; l.diags.HasErrors() {
		return graph.NoID
	}
	v, _ := outer.b.Value(id)
	return l.b.Const(format.Expr(e), outer.b.Shape(id), v)
}

// awaited returns levels with 1 in place of those that are still to be drawn, and the rows of these.
func (l *lowerer) awaited(levels []graph.ID) (known []graph.ID, unknown map[int]bool) {
	known, unknown = slices.Clone(levels), map[int]bool{}
	for k, id := range levels {
		v, _ := l.b.Value(id)
		if !l.awaits || !slices.ContainsFunc(v, math.IsNaN) {
			continue
		}
		v = slices.Clone(v)
		for i := range v {
			if math.IsNaN(v[i]) {
				v[i], unknown[i] = 1, true
			}
		}
		known[k] = l.b.Const("", l.b.Shape(id), v)
	}
	return known, unknown
}

// withRows reports a group without rows, of which a function has no value.
func (l *lowerer) withRows(e *ast.Call, levels []graph.ID, sizes graph.Shape) bool {
	seen := make([]bool, sizes.Len())
	rows, _ := l.b.Value(levels[0])
	for i := range rows {
		place, stride := 0, 1
		for k, id := range levels {
			v, _ := l.b.Value(id)
			place, stride = place+stride*(int(v[i])-1), stride*sizes[k]
		}
		if place < 0 || place >= len(seen) {
			return true // which the operation refuses
		}
		seen[place] = true
	}
	at := slices.Index(seen, false)
	if at < 0 {
		return true
	}
	var group []string
	for k, n := range sizes {
		group = append(group, l.groupName(e.Args[k+1], at%n))
		at /= n
	}
	function, _ := ast.Grouped(e.Name.Name)
	l.errorf(diag.BeyondData, e, "%s has no row, so that the %s of its rows does not exist",
		strings.Join(group, ", "), function).
		Note("sum(v by g) of a group without rows is 0, and log_sum_exp -∞; or leave the category out of the " +
			"list, `levels`, if no row will have it")
	return false
}

// groupName describes category k, from 0, of data of levels.
func (l *lowerer) groupName(g ast.Expr, k int) string {
	size := l.typeOf(g).Levels.String()
	for _, party := range slices.Sorted(maps.Keys(l.Data)) {
		named := labeller{program: l.Program, values: l.Data[party], party: party, sizes: l.Sizes}
		if n, err := l.typeOf(g).Levels.Eval(l.size); err == nil {
			for _, names := range named.found(size, n) {
				if k < len(names) {
					return size + " = " + names[k]
				}
			}
		}
	}
	return size + " = " + numbers(k + 1)[k]
}

func (l *lowerer) typeOf(e ast.Expr) types.Type {
	if l.facts != nil {
		return l.facts(e).Type
	}
	return l.Program.Info[e].Type
}
