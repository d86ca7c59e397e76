package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
)

// A body is the expression of a recursion's step while it is lowered: to a graph of its own, whose inputs are
// what it reads from outside.
type body struct {
	*ast.Recur
	outer *lowerer
	state graph.Shape
	in    []graph.ID // of the outer graph
	reads []graph.Read
	ids   []graph.ID // of the body's inputs
	parts map[string]graph.ID
}

// recur lowers a recursion to one operation.
func (l *lowerer) recur(e *ast.Recur) graph.ID {
	if e.Ode != nil {
		return l.ode(e)
	}
	r := &graph.Recursion{Name: e.Step.Name.Name, Down: l.Program.Backward(e)}
	lo, hi, ok := l.span(e, e.Lo, e.Hi)
	if !ok {
		return graph.NoID
	}
	r.First, r.Last, r.Rows = lo-1, hi-1, hi
	if r.Down {
		r.Rows = lo + len(e.Init)
	}
	var start []graph.ID
	for _, i := range e.Init {
		at, ok := l.wholeNumber(i, i.Index)
		start = append(start, l.expr(i.Value))
		if !ok || l.diags.HasErrors() {
			return graph.NoID
		}
		if at < 1 || at > r.Rows {
			l.errorf(diag.BeyondData, i, "the entry %d does not exist: there are %d", at,
				r.Rows).Note("entries count from 1 to the size that the recursion is declared with")
			return graph.NoID
		}
		r.Start = append(r.Start, at-1)
	}
	r.State = l.b.Shape(start[0])
	in, ok := l.step(e, r)
	if !ok {
		return graph.NoID
	}
	id, err := l.b.Recur(r, start, in)
	if err != nil {
		l.errorf(diag.BeyondData, e, "%v",
			err).Note("every %[1]s of the range, plus or minus the distance that is read, is a row: end "+
			"the range earlier, as %[1]s in 2..T - 1 for y[%[1]s + 1], or begin it later", e.Var.Name)
	}
	return id
}

// span evaluates the ends of a range.
func (l *lowerer) span(at ast.Node, first, last ast.Expr) (lo, hi int, ok bool) {
	lo, ok = l.wholeNumber(at, first)
	if !ok {
		return 0, 0, false
	}
	hi, ok = l.wholeNumber(at, last)
	return lo, hi, ok
}

// wholeNumber evaluates a constant whole number.
func (l *lowerer) wholeNumber(at ast.Node, e ast.Expr) (int, bool) {
	id := l.expr(e)
	if l.diags.HasErrors() {
		return 0, false
	}
	v, ok := l.b.Value(id)
	if !ok || len(v) != 1 {
		l.errorf(diag.CannotEvaluate, at, "the ends of a range are constant whole numbers")
		return 0, false
	}
	return int(v[0]), true
}

// step lowers the body of a recursion, and returns what it reads from the graph outside.
func (l *lowerer) step(e *ast.Recur, r *graph.Recursion) ([]graph.ID, bool) {
	inside := *l
	inside.b, inside.memo = graph.New(e.Step.Name.Name), map[memoKey]graph.ID{}
	inside.b.Plain()
	inside.body = &body{Recur: e, outer: l, state: r.State, parts: map[string]graph.ID{}}
	inside.vars = maps.Clone(l.vars)
	for _, p := range e.Parts {
		inside.body.parts[p.Name.Name] = inside.expr(p.Value)
	}
	value := inside.expr(e.Step.Value)
	l.diags = inside.diags
	if l.diags.HasErrors() {
		return nil, false
	}
	inside.b.Output(e.Step.Name.Name, inside.spread(value, r.State))
	g, err := inside.b.Build()
	if l.diags = inside.diags; err != nil || l.diags.HasErrors() {
		l.errorf(diag.CannotEvaluate, e, "%v", err)
		return nil, false
	}
	r.Body, r.Reads = g, inside.body.reads
	return inside.body.in, true
}

// read lowers an expression of a body that the graph outside has: all that depends neither on the index nor
// on the recursion, an entry of the recursion, or an entry of an array of the graph outside. ok is false
// where the body computes the expression itself.
func (b *body) read(in *lowerer, e ast.Expr) (id graph.ID, ok bool) {
	if !b.depends(e) {
		return b.capture(in, e)
	}
	switch e := e.(type) {
	case *ast.Name: // the index itself
		if b.Ode != nil && e.Name == b.Var.Name {
			return b.input(in, graph.Read{Kind: graph.ReadTime}, graph.NoID, graph.Shape{}, b.Var.Name), true
		}
		v := make([]float64, b.last(in))
		for t := range v {
			v[t] = float64(t + 1)
		}
		table := b.outer.b.Const(b.Var.Name, graph.Shape{len(v)}, v)
		return b.input(in, graph.Read{Kind: graph.ReadRow}, table, graph.Shape{}, b.Var.Name), true
	case *ast.Index:
		return b.entry(in, e)
	}
	return graph.NoID, false
}

// last is the largest value of the index.
func (b *body) last(in *lowerer) int {
	if b.Ode != nil {
		return b.outer.members(b.Ode)
	}
	lo, hi, _ := b.outer.span(b.Recur, b.Lo, b.Hi)
	return max(lo, hi, 1)
}

// depends reports whether an expression mentions an index or the recursion.
func (b *body) depends(e ast.Node) bool {
	return ast.Mentions(e, b.Step.Name.Name) ||
		slices.ContainsFunc(b.Indices(), func(id ast.Ident) bool { return ast.Mentions(e, id.Name) })
}

// capture reads a value of the graph outside; a number is written into the body.
func (b *body) capture(in *lowerer, e ast.Expr) (graph.ID, bool) {
	vars := b.outer.vars
	b.outer.vars = in.vars // of the sums around the expression
	id := b.outer.expr(e)
	b.outer.vars = vars
	if in.diags = b.outer.diags; in.diags.HasErrors() {
		return graph.NoID, true
	}
	if v, ok := b.outer.b.Value(id); ok && len(v) == 1 && len(b.outer.b.Shape(id)) == 0 {
		return in.b.Scalar(v[0]), true
	}
	return b.input(in, graph.Read{Kind: graph.ReadWhole}, id, b.outer.b.Shape(id), format.Expr(e)), true
}

// entry reads X[t + c, …] or X[z[t + c], …], where z are levels.
func (b *body) entry(in *lowerer, e *ast.Index) (graph.ID, bool) {
	first := e.Args[0]
	if n, ok := e.X.(*ast.Name); ok && b.Part(n.Name) != nil {
		id := b.parts[n.Name]
		if len(e.Args) > 1 {
			id = in.indexed(e, id, e.Args[1:])
		}
		return id, true
	}
	if levels := b.levels(e); levels > 0 {
		return b.lookedUp(in, e, levels)
	}
	if first.Slice || b.depends(e.X) && !b.self(e.X) {
		return graph.NoID, false
	}
	offset, ok := 0, true
	if b.Ode == nil {
		offset, ok = b.offset(in, first)
	} else if !b.self(e.X) && !b.ofMember(first) {
		return graph.NoID, false
	}
	if !ok {
		return graph.NoID, true
	}
	var row graph.ID
	if b.self(e.X) {
		row = b.input(in, graph.Read{Kind: graph.ReadState, Offset: offset}, graph.NoID, b.state,
			b.Step.Name.Name)
	} else {
		vars := b.outer.vars
		b.outer.vars = in.vars
		id := b.outer.expr(e.X)
		b.outer.vars = vars
		if in.diags = b.outer.diags; in.diags.HasErrors() {
			return graph.NoID, true
		}
		row = b.input(in, graph.Read{Kind: graph.ReadRow, Offset: offset}, id, b.outer.b.Shape(id)[1:],
			format.Expr(e.X))
	}
	if len(e.Args) > 1 {
		row = in.indexed(e, row, e.Args[1:])
	}
	return row, true
}

// ofMember reports whether a subscript is the member of a differential equation by groups.
func (b *body) ofMember(a *ast.Subscript) bool {
	n, ok := a.Lo.(*ast.Name)
	return ok && !a.Slice && b.Ode.Member != nil && n.Name == b.Ode.Member.Name
}

// levels counts the leading subscripts that look up the level of a step, as z[t].
func (b *body) levels(e *ast.Index) int {
	for k, a := range e.Args {
		if z, ok := a.Lo.(*ast.Index); a.Slice || !ok || len(z.Args) != 1 || z.Args[0].Slice ||
			b.depends(z.X) || !b.outer.isLevel(z.X) {
			return k
		}
	}
	return len(e.Args)
}

// lookedUp reads X[z[t + c], …]: row t + c of what the graph outside looks up for all rows of z at once.
func (b *body) lookedUp(in *lowerer, e *ast.Index, levels int) (graph.ID, bool) {
	if b.depends(e.X) {
		in.errorf(diag.RecurIndex, e.Args[0],
			"inside a recursion levels look up what is computed outside of it").Note(
			"give `%s` a let of its own before the recursion", format.Expr(e.X),
		)
		b.outer.diags = in.diags
		return graph.NoID, true
	}
	vars := b.outer.vars
	b.outer.vars = in.vars
	table, offset := b.outer.expr(e.X), 0
	var rows []graph.ID
	for k, a := range e.Args[:levels] {
		z := a.Lo.(*ast.Index)
		rows = append(rows, b.outer.expr(z.X))
		c, ok := b.offset(in, z.Args[0])
		if !ok {
			break
		}
		if k > 0 && c != offset {
			b.outer.errorf(diag.RecurIndex, a,
				"the levels of one look-up are those of one step, and these are %d apart",
				max(c-offset, offset-c)).Note("give one of them a let of its own, shifted by so many steps")
			break
		}
		offset = c
	}
	table = b.outer.looked(e, table, rows)
	b.outer.vars = vars
	if in.diags = b.outer.diags; in.diags.HasErrors() {
		return graph.NoID, true
	}
	row := b.input(in, graph.Read{Kind: graph.ReadRow, Offset: offset}, table, b.outer.b.Shape(table)[1:],
		format.Expr(e))
	if rest := e.Args[levels:]; len(rest) > 0 {
		row = in.indexed(e, row, rest)
	}
	return row, true
}

func (b *body) self(e ast.Expr) bool {
	n, ok := e.(*ast.Name)
	return ok && n.Name == b.Step.Name.Name
}

// offset is how far an index is from t: its value at two values of t, which differ as these do.
func (b *body) offset(in *lowerer, a *ast.Subscript) (int, bool) {
	at := func(t int) (int, bool) {
		vars := b.outer.vars
		b.outer.vars = maps.Clone(in.vars)
		b.outer.vars[b.Var.Name] = t
		v, ok := b.outer.wholeNumber(a, a.Lo)
		b.outer.vars = vars
		in.diags = b.outer.diags
		return v, ok
	}
	x, ok := at(1 << 20)
	if !ok {
		return 0, false
	}
	if y, ok := at(1<<20 + 1); !ok || y != x+1 {
		in.errorf(diag.RecurIndex, a,
			"inside a recursion an array is indexed by %[1]s, or by %[1]s plus or minus a constant",
			b.Var.Name)
		b.outer.diags = in.diags
		return 0, false
	}
	return x - 1<<20, true
}

// input adds an input of the body, once for each thing that is read.
func (b *body) input(in *lowerer, r graph.Read, from graph.ID, shape graph.Shape, name string) graph.ID {
	if r.Kind == graph.ReadWhole || r.Kind == graph.ReadRow {
		for r.Input = 0; r.Input < len(b.in) && b.in[r.Input] != from; r.Input++ {
		}
		if r.Input == len(b.in) {
			b.in = append(b.in, from)
		}
	}
	for k, other := range b.reads {
		if other == r {
			return b.ids[k]
		}
	}
	id := in.b.Input(fmt.Sprintf("%s %+d", name, r.Offset), shape)
	b.reads, b.ids = append(b.reads, r), append(b.ids, id)
	return id
}
