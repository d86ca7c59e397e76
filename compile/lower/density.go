package lower

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/graph"
)

// density lowers a density function, elementwise over its arguments.
func (l *lowerer) density(e *ast.Call, d check.Density) graph.ID {
	x := l.expr(d.X)
	args := make([]graph.ID, len(d.Args))
	for k, a := range d.Args {
		if a == nil {
			args[k] = l.b.Scalar(d.Dist.Params[k].Default)
		} else {
			args[k] = l.expr(a)
		}
	}
	if l.diags.HasErrors() {
		return graph.NoID
	}
	x = l.spread(x, l.widest(append([]graph.ID{x}, args...)))
	if l.diags.HasErrors() {
		return graph.NoID
	}
	id, err := l.elements(d, x, args)
	if err != nil {
		l.errorf(diag.CannotEvaluate, e, "%v", err)
	}
	return id
}

func (l *lowerer) elements(d check.Density, x graph.ID, args []graph.ID) (graph.ID, error) {
	switch d.Kind {
	case ast.LogCDF:
		return l.b.LogCDF(d.Dist, x, args)
	case ast.LogCCDF:
		return l.b.LogCCDF(d.Dist, x, args)
	}
	return l.b.LogDensityByVectors(d.Dist, x, args, graph.NoID)
}

// widest is the shape that values broadcast to.
func (l *lowerer) widest(ids []graph.ID) graph.Shape {
	out := graph.Shape{}
	for _, id := range ids {
		s := l.b.Shape(id)
		if len(s) > len(out) {
			out, s = append(graph.Shape{}, s...), out
		}
		for k := range s {
			at := len(out) - len(s) + k
			out[at] = max(out[at], s[k])
			if s[k] == 0 {
				out[at] = 0
			}
		}
	}
	return out
}
