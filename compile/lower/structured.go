package lower

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/graph"
)

// structured lowers a parameter whose values are vectors or matrices of a set: its coordinates, fewer or more
// than its elements, the map to the set, and its prior.
func (l *lowerer) structured(s *check.Symbol, shape graph.Shape, args []graph.ID) {
	value, ok := l.whole(s, l.key(s.Name), shape)
	if !ok {
		return
	}
	if err := l.b.Density(l.key(s.Name)+" ~ "+s.Dist.Name, s.Dist, value, args, graph.NoID, 1); err != nil {
		l.errorf(diag.CannotEvaluate, s.Ident, "%v", err)
		return
	}
	l.names[l.key(s.Name)] = value
	l.report(s, value, shape)
}

// whole adds a value of a structured parameter under a name. Where a set has one element, there are no
// coordinates.
func (l *lowerer) whole(s *check.Symbol, name string, shape graph.Shape) (graph.ID, bool) {
	t, size := s.Structure, shape[len(shape)-1]
	if size < t.Least {
		l.errorf(diag.BadSupport, s.Ident, "%s is declared %s of size %d, which has at least size %d", s.Name,
			t.Name, size, t.Least)
		return graph.NoID, false
	}
	free := append(slices.Clone(shape[:len(shape)-t.Rank]), t.Free(size))
	x := graph.NoID
	if free.Len() == 0 {
		x = l.b.Const(name, free, nil)
	} else {
		x = l.b.Param(name, free)
	}
	return l.b.Structured(t, x, size), true
}
