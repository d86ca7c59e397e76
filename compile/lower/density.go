package lower

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
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
	x = l.spread(x, l.broadcasted(d.Dist, x, args))
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
	if d.Kind == ast.LogCDF || d.Kind == ast.LogCCDF {
		return l.b.TailByVectors(d.Kind == ast.LogCCDF, d.Dist, x, args)
	}
	return l.b.LogDensityByVectors(d.Dist, x, args, graph.NoID)
}

// broadcasted is the shape of the value of a density, given as x, for which the arguments need no more
// dimensions: those of vectors and matrices come behind the dimensions that all of them broadcast to.
func (l *lowerer) broadcasted(d *def.Dist, x graph.ID, args []graph.ID) graph.Shape {
	if d.Event == nil {
		return l.widest(append([]graph.ID{x}, args...))
	}
	of := l.b.Shape(x)
	at := max(0, len(of)-d.Event.Rank)
	lead := widest(nil, of[:at])
	for k, id := range args {
		if s := l.b.Shape(id); !d.Params[k].OwnSize {
			lead = widest(lead, s[:max(0, len(s)-d.Params[k].Rank)])
		}
	}
	return append(lead, of[at:]...)
}

// widest is the shape that values broadcast to.
func (l *lowerer) widest(ids []graph.ID) graph.Shape {
	out := graph.Shape{}
	for _, id := range ids {
		out = widest(out, l.b.Shape(id))
	}
	return out
}

// widest is the shape that two shapes broadcast to, a new one.
func widest(out, s graph.Shape) graph.Shape {
	if len(s) > len(out) {
		out, s = s, out
	}
	out = append(graph.Shape{}, out...)
	for k := range s {
		at := len(out) - len(s) + k
		out[at] = max(out[at], s[k])
		if s[k] == 0 {
			out[at] = 0
		}
	}
	return out
}
