package lower

import (
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// A drawing is a generated quantity that is drawn, with its arguments.
type drawing struct {
	symbol *check.Symbol
	draw   model.DrawnQuantity
	args   []graph.ID
}

// generate lowers a quantity that is computed or drawn for each draw of the parameters.
func (l *lowerer) generate(s *check.Symbol) {
	if l.diags.HasErrors() {
		return
	}
	shape, ok := l.shape(s)
	if !ok {
		return
	}
	var value graph.ID
	if s.Dist != nil {
		value = l.drawn(s, shape)
	} else {
		value = l.expr(s.Decl.(*ast.Generate).Value)
	}
	if l.diags.HasErrors() {
		return
	}
	l.names[l.key(s.Name)] = value
	l.report(s, value, shape)
}

// drawn is the input that holds a quantity once it is drawn.
func (l *lowerer) drawn(s *check.Symbol, shape graph.Shape) graph.ID {
	args := make([]graph.ID, len(s.Dist.Params))
	for i, a := range s.Args {
		if a == nil {
			args[i] = l.b.Scalar(s.Dist.Params[i].Default)
			continue
		}
		args[i] = l.expr(a)
	}
	if l.diags.HasErrors() {
		return graph.NoID
	}
	// the arguments have made their inputs: this one is the next
	id := l.b.Input(l.key(s.Name), shape)
	l.draws = append(l.draws,
		drawing{s, model.DrawnQuantity{Law: model.Law{Dist: s.Dist}, Name: l.key(s.Name),
			Input: len(l.inputs), Shape: shape}, args})
	l.inputs = append(l.inputs, inputPort{name: l.key(s.Name), drawn: true})
	return id
}

// laws reports the arguments of what is drawn, after all parameters.
func (l *lowerer) laws() {
	next := len(l.Spec.Params)
	for _, d := range l.draws {
		for k, id := range d.args {
			if l.diags.HasErrors() {
				return
			}
			arg := l.spread(id, l.argument(d.draw.Dist, k, d.args, d.draw.Shape))
			l.b.Report(fmt.Sprintf("%s of %s", d.draw.Dist.Params[k].Name, d.draw.Name), arg)
			d.draw.Args = append(d.draw.Args, next)
			next++
		}
		l.Spec.Draws = append(l.Spec.Draws, d.draw)
	}
	for i, in := range l.inputs {
		l.inputs[i].read = in.sum != nil && mentions(l.generatedExprs(), in.sum)
	}
}

// generatedExprs lists what generated quantities are computed from.
func (l *lowerer) generatedExprs() (out []ast.Expr) {
	for _, s := range l.generated {
		out = append(append(out, s.Args...), s.Decl.(*ast.Generate).Value)
	}
	return out
}
