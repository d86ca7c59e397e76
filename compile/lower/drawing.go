package lower

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/fn"
)

// called applies a function.
func (l *lowerer) called(e *ast.Call, args []graph.ID) graph.ID {
	id := l.apply(e, e.Name.Name, graph.Attr{}, args...)
	if f, ok := l.Program.Universe.Structural(e.Name.Name); ok && f.Modes {
		l.mixed = true
	}
	if l.awaits && e.Name.Name == fn.Where().Name {
		return l.awaiting(e, id, args[0])
	}
	return id
}

// compared applies an operator, whose result is NaN where an operand is.
func (l *lowerer) compared(e *ast.Binary, x, y graph.ID) graph.ID {
	id := l.apply(e, binaryOps[e.Op], graph.Attr{}, x, y)
	if _, arithmetic := l.Program.Universe.Operator(e.Op); l.awaits && !arithmetic {
		return l.awaiting(e, id, x, y)
	}
	return id
}

// awaiting adds 0 times the sources of a value, so that it is NaN where they are. A comparison and a choice
// are not by themselves.
func (l *lowerer) awaiting(e ast.Node, id graph.ID, sources ...graph.ID) graph.ID {
	for _, from := range sources {
		id = l.apply(e, "add", graph.Attr{}, id, l.apply(e, "mul", graph.Attr{}, l.b.Scalar(0), from))
	}
	return id
}

// looked looks rows up by their levels. Where a level is still to be drawn the row is NaN.
func (l *lowerer) looked(e ast.Node, table graph.ID, levels []graph.ID) graph.ID {
	known, unknown := l.awaited(levels)
	id := l.apply(e, "gather", graph.Attr{}, append([]graph.ID{table}, known...)...)
	if len(unknown) == 0 || l.diags.HasErrors() {
		return id
	}
	rows := max(1, l.b.Shape(levels[0]).Len())
	gap := make([]float64, l.b.Shape(id).Len())
	for i := range gap {
		if unknown[i%rows] {
			gap[i] = math.NaN()
		}
	}
	return l.apply(e, "add", graph.Attr{}, id, l.b.Const("", l.b.Shape(id), gap))
}
