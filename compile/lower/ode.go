package lower

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/tape"
)

// ode lowers a differential equation to its solution: the derivative, the initial state and its time are a
// graph of their own.
func (l *lowerer) ode(e *ast.Recur) graph.ID {
	s := &graph.System{Name: e.Step.Name.Name}
	relative, absolute, steps := l.Program.OdeSettings(e.Ode)
	s.Control = tape.Control{Relative: relative, Absolute: absolute, Steps: steps}
	times := l.expr(e.Ode.Times)
	inside := *l
	inside.b, inside.memo = graph.New(s.Name), map[memoKey]graph.ID{}
	inside.b.Plain()
	inside.body = &body{Recur: e, outer: l, parts: map[string]graph.ID{}}
	t0, start := inside.expr(e.Init[0].Index), inside.expr(e.Init[0].Value)
	if l.diags = inside.diags; l.diags.HasErrors() {
		return graph.NoID
	}
	s.State = inside.b.Shape(start)
	inside.body.state = s.State
	for _, p := range e.Parts {
		inside.body.parts[p.Name.Name] = inside.expr(p.Value)
	}
	slope := inside.expr(e.Step.Value)
	if l.diags = inside.diags; l.diags.HasErrors() {
		return graph.NoID
	}
	for _, id := range []graph.ID{inside.spread(slope, s.State), start, t0} {
		inside.b.Output(s.Name, id)
	}
	l.diags = inside.diags
	body, err := inside.b.Build()
	if s.Groups = l.groupsOf(e.Ode); err == nil && !l.diags.HasErrors() {
		s.Body, s.Reads = body, inside.body.reads
		var id graph.ID
		if id, err = l.b.Ode(s, times, inside.body.in); err == nil {
			l.timesOf(e, s, times, t0, &inside)
			return id
		}
	}
	if err != nil {
		l.errorf(diag.OdeReads, e.Step, "%v", err).
			Note("a derivative is made of + - * / ^, functions of one number, where, sums, products of matrices, " +
				"and parts of arrays")
	}
	return graph.NoID
}

// groupsOf lists the rows of each group; nil for one with all.
func (l *lowerer) groupsOf(o *ast.Ode) [][]int32 {
	if o.Member == nil {
		return nil
	}
	levels, n := l.levels(o.By), l.members(o)
	if l.diags.HasErrors() {
		return nil
	}
	known, _ := l.awaited([]graph.ID{levels})
	v, _ := l.b.Value(known[0])
	out := make([][]int32, n)
	for i, g := range v {
		out[int(g)-1] = append(out[int(g)-1], int32(i))
	}
	return out
}

// members is the number of groups.
func (l *lowerer) members(o *ast.Ode) int {
	n, err := l.typeOf(o.By).Levels.Eval(l.size)
	if err != nil {
		l.errorf(diag.CannotEvaluate, o.By, "%v", err)
	}
	return n
}

// timesOf reports times that decrease within a group, or lie before the first.
func (l *lowerer) timesOf(e *ast.Recur, s *graph.System, times, t0 graph.ID, inside *lowerer) {
	v, known := l.b.Value(times)
	if !known {
		l.errorf(diag.CannotEvaluate, e.Ode.Times, "the times of a differential equation are data")
		return
	}
	first, fixed := inside.b.Value(t0)
	for _, rows := range s.Groups {
		before := math.Inf(-1)
		if fixed {
			before = first[0]
		}
		for k, row := range rows {
			switch t := v[row]; {
			case l.awaits && math.IsNaN(t):
				continue
			case math.IsNaN(t) || math.IsInf(t, 0):
				l.errorf(diag.OdeTimes, e.Ode.Times, "%s is %v in row %d", format.Expr(e.Ode.Times), t, row+1)
				return
			case t < before:
				l.badTime(e, int(row), t, before, k == 0)
				return
			default:
				before = t
			}
		}
	}
}

// badTime reports a time before the one that it follows.
func (l *lowerer) badTime(e *ast.Recur, row int, t, before float64, first bool) {
	name := format.Expr(e.Ode.Times)
	if first {
		l.errorf(diag.OdeTimes, e.Ode.Times, "%s is %g in row %d, before %g, where the equation begins", name, t, row+1,
			before).Note("t0 = … says where it begins; without it, that is 0")
		return
	}
	d := l.errorf(diag.OdeTimes, e.Ode.Times, "%s is %g in row %d, behind %g in the row before", name, t, row+1, before)
	if d.Note("sort the rows by time"); e.Ode.Member == nil {
		d.Note("where rows are of several subjects, `by = subject` solves the equation for each")
	}
}
