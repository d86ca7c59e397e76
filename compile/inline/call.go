package inline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A scope is one call of a function while it is written out.
type scope struct {
	*function
	called string               // as the caller names it
	values map[string]ast.Expr  // of the arguments, and of what the function defines
	at     ast.At               // of the call in the model, where all that it stands for lies
	outer  *check.FunctionPlace // of a call from inside a function
	// prefix is the let that calls: what the function declares is declared under its name. "": the lets are
	// written out where they are used.
	prefix string
	owner  *ast.Ident // of what is declared
}

// let writes out the calls in the value of a let. What a function declares becomes declarations before the
// let, under its name.
func (x *expander) let(s *ast.Let) ast.Stmt {
	calls := x.blocks(x.home, s.Value, false, nil)
	named := x.named(x.home, calls, s.Name.Name)
	x.self = s.Name.Name
	defer func() { x.self = "" }()
	return ast.RebuildStmt(s, func(e ast.Expr) ast.Expr {
		return x.expr(e, &scope{function: &function{home: x.home}, prefix: named, owner: s.Owner, at: s.At})
	})
}

// block is a call of a function that declares something.
type block struct {
	call  *ast.Call
	f     *function
	bound bool // inside a comprehension or a recursion
}

// blocks appends the calls in an expression of functions that declare something.
func (x *expander) blocks(home *module, e ast.Node, bound bool, out []block) []block {
	if call, ok := e.(*ast.Call); ok {
		for _, f := range x.candidates(home, call) {
			if len(f.Body) > 0 || f.component {
				out = append(out, block{call, f, bound})
				break
			}
		}
	}
	switch e.(type) {
	case *ast.Sum, *ast.Recur:
		bound = true
	}
	for _, child := range ast.Children(e) {
		out = x.blocks(home, child, bound, out)
	}
	return out
}

// named returns the name under which the only call among several declares; "" where there are several calls,
// which are then written out. Those of components must have a name.
func (x *expander) named(home *module, calls []block, name string) string {
	if len(calls) == 1 && !calls[0].bound {
		return name
	}
	for _, b := range calls {
		if !b.f.component {
			continue
		}
		d := x.errorf(home.file, diag.ComponentPlace, b.call,
			"%s declares parameters, so its call stands in a let of its own", b.call.Name.Name)
		if b.bound {
			d.Note("inside a sum it would declare them once for each term")
		} else {
			d.Note("write let h = %s(…) first, and use h here; its parameters are then h.NAME",
				b.call.Name.Name)
		}
		break
	}
	return ""
}

// expr writes out the calls in an expression of the model, or of a function.
func (x *expander) expr(e ast.Expr, sc *scope) ast.Expr {
	switch e := e.(type) {
	case *ast.Name:
		if sc.inside() {
			return x.name(e, sc)
		}
	case *ast.Call:
		if f, found := x.resolve(e, sc); f != nil {
			return x.call(e, f, sc)
		} else if found {
			return e // reported
		} else if r, ok := x.ode(e, sc); ok {
			return x.recur(r, sc)
		}
	case *ast.Sum:
		if x.step != nil {
			defer func(inside []string) { x.step.inside = inside }(x.step.inside)
			x.step.inside = append(slices.Clone(x.step.inside), e.Var.Name)
		}
		if sc.inside() {
			return x.sum(e, sc)
		}
	case *ast.Recur:
		return x.recur(e, sc)
	}
	below := func(y ast.Expr) ast.Expr { return x.expr(y, sc) }
	if !sc.inside() {
		return ast.Rebuild(e, below)
	}
	x.nodes++
	return ast.Copy(e, sc.at, x.made(sc), below)
}

// inside reports whether an expression stands in a function.
func (sc *scope) inside() bool { return sc != nil && sc.function.Fn != nil }

// made notes the origin of copies of nodes of a function.
func (x *expander) made(sc *scope) func(from, to ast.Node) {
	return func(from, to ast.Node) { x.calls[to] = sc.origin(from) }
}

func (sc *scope) origin(n ast.Node) *check.FunctionPlace {
	return &check.FunctionPlace{File: sc.home.file, At: n.Span(), Function: sc.called, Outer: sc.outer}
}

// name gives what a name in a function stands for.
func (x *expander) name(e *ast.Name, sc *scope) ast.Expr {
	if v, ok := sc.values[e.Name]; ok {
		x.nodes += size(v)
		return v
	}
	if v, ok := sc.home.consts[e.Name]; ok && sc.home != x.home {
		return x.expr(v, sc)
	}
	return ast.Copy(e, sc.at, x.made(sc), nil)
}

// sum gives the variable of a comprehension a name that nothing else has.
func (x *expander) sum(e *ast.Sum, sc *scope) ast.Expr {
	v := x.fresh(e.Var.Name, sc)
	restore := sc.rename(map[string]string{e.Var.Name: v})
	defer func(taken bool) { x.taken[v] = taken }(x.taken[v])
	x.taken[v] = true // for those inside
	if x.step != nil {
		x.step.inside = append(x.step.inside, v)
	}
	out := ast.Copy(e, sc.at, x.made(sc), func(y ast.Expr) ast.Expr { return x.expr(y, sc) }).(*ast.Sum)
	restore()
	out.Var.Name = v
	if n, ok := sc.values[nameOf(e.Family)].(*ast.Name); ok {
		out.Family = &ast.Ident{At: sc.at, Name: n.Name}
	}
	return out
}

func nameOf(id *ast.Ident) string {
	if id == nil {
		return ""
	}
	return id.Name
}

// fresh returns a variable's name, with underscores behind it where something else has it.
func (x *expander) fresh(name string, sc *scope) string {
	for x.taken[name] || sc.mentions(name) {
		name += "_"
	}
	return name
}

func (sc *scope) mentions(name string) bool {
	found := false
	for _, v := range sc.values {
		ast.Walk(v, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			found = found || ok && x.Name == name
			return !found
		})
	}
	return found
}

// call gives what a call stands for.
func (x *expander) call(c *ast.Call, f *function, from *scope) ast.Expr {
	in := &scope{function: f, called: c.Name.Name, values: map[string]ast.Expr{}, at: c.At}
	if from != nil && (len(f.Body) > 0 || f.component) {
		in.prefix, in.owner = from.prefix, from.owner
	}
	if from.inside() {
		in.at, in.outer = from.at, from.origin(c)
	}
	var args []ast.Expr
	for _, a := range c.Args {
		args = append(args, x.expr(a, from))
	}
	switch {
	case x.nodes > maxNodes:
		x.tooLarge(in.at)
		return c
	case f.component && in.prefix == "":
		x.misplaced(c, from)
		return c
	}
	if f.component && in.owner == nil && !from.inside() {
		in.owner = x.ownerOf(c, args)
	}
	x.bind(in, args)
	for _, s := range f.Body {
		x.inner(in, s)
	}
	return x.inNamed(in, f.Result(), in.prefix)
}

// tooLarge reports once that the calls of a model make it too large.
func (x *expander) tooLarge(at ast.At) {
	if x.nodes < 2*maxNodes {
		x.errorf(x.root, diag.CallsTooLarge, at, "with its calls written out, this model is too large").
			Note("a function whose value uses an argument several times doubles it at each call inside " +
				"another: call the inner one in a let")
	}
	x.nodes = 2 * maxNodes
}

// misplaced reports a component that no let calls.
func (x *expander) misplaced(c *ast.Call, from *scope) {
	if x.diags.HasErrors() {
		return // as one of several calls in a let
	}
	file := x.root
	if from.inside() {
		file = from.home.file
	}
	x.errorf(file, diag.ComponentPlace, c, "%s declares parameters, so its call stands in a let of its own",
		c.Name.Name).
		Note("write let h = %s(…) first, and use h here; its parameters are then h.NAME", c.Name.Name)
}

// inNamed writes out an expression of a function in which a single call may declare under a name.
func (x *expander) inNamed(sc *scope, e ast.Expr, name string) ast.Expr {
	here := *sc
	here.prefix = ""
	if calls := x.blocks(sc.home, e, false, nil); sc.prefix != "" {
		here.prefix = x.named(sc.home, calls, name)
	}
	return x.expr(e, &here)
}

// bind gives the arguments of a call their values. An expression that is used more than once is a let of its
// own where the call declares.
func (x *expander) bind(sc *scope, args []ast.Expr) {
	for i, a := range sc.Args {
		if a.Name == nil {
			for k, id := range a.Elems {
				sc.values[id.Name] = args[i].(*ast.Array).Elems[k]
			}
			continue
		}
		v := args[i]
		if uses, constant := uses(sc.Fn, a.Name.Name); uses > 1 && !constant && !simple(v) {
			if sc.prefix != "" {
				v = x.declare(sc, a.Name, &ast.Let{At: sc.at, Value: v})
			} else {
				v = x.part(sc, a.Name, v)
			}
		}
		sc.values[a.Name.Name] = v
	}
}

// simple reports whether an expression is no longer than a name.
func simple(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Name, *ast.Number, *ast.Array:
		return true
	case *ast.Unary:
		return simple(e.X)
	}
	return false
}

// uses counts how often a function uses an argument, and reports whether one use is a size or a subscript,
// which need a constant.
func uses(f *ast.Fn, name string) (count int, constant bool) {
	var walk func(n ast.Node, fixed bool)
	walk = func(n ast.Node, fixed bool) {
		switch n := n.(type) {
		case *ast.Name:
			if n.Name == name {
				count, constant = count+1, constant || fixed
			}
			return
		case *ast.Call:
			if n.Name.Name == check.SizeCall {
				return // of any expression
			}
		case *ast.Type, *ast.Subscript:
			fixed = true
		case *ast.Binary:
			fixed = fixed || n.Op == ".."
		case *ast.Recur:
			for _, e := range []ast.Expr{n.Lo, n.Hi} {
				if e != nil {
					walk(e, true)
				}
			}
			if n.Ode != nil {
				walk(n.Ode.Times, fixed)
			}
			for _, i := range n.Init {
				walk(i.Value, fixed)
			}
			for _, s := range n.Steps() {
				walk(s.Value, fixed)
			}
			return
		case *ast.Sum:
			walk(n.Body, fixed)
			for _, e := range []ast.Expr{n.Lo, n.Hi} {
				if e != nil {
					walk(e, true)
				}
			}
			return
		}
		for _, child := range ast.Children(n) {
			walk(child, fixed)
		}
	}
	for _, s := range f.Body {
		walk(s, false)
	}
	walk(f.Result(), false)
	return count, constant
}

// inner writes out a statement of a function.
func (x *expander) inner(sc *scope, s ast.Inner) {
	below := func(e ast.Expr) ast.Expr {
		return x.inNamed(&scope{function: sc.function, called: sc.called, values: sc.values, at: sc.at,
			outer: sc.outer}, e, "")
	}
	switch s := s.(type) {
	case *ast.Param:
		out := &ast.Param{
			At: sc.at, Type: ast.CopyType(s.Type, sc.at, x.made(sc), below),
			Dist:     ast.CopyDist(s.Dist, sc.at, x.made(sc), below),
			Truncate: ast.CopyArgs(s.Truncate, sc.at, x.made(sc), below), Noncentered: s.Noncentered,
		}
		x.calls[out] = sc.origin(s)
		sc.values[s.Name.Name] = x.declare(sc, &s.Name, out)
	case *ast.Weight:
		out := &ast.Weight{At: sc.at, Type: ast.CopyType(s.Type, sc.at, x.made(sc), below)}
		if s.Init != nil {
			out.Init = &ast.Ident{At: sc.at, Name: s.Init.Name}
			x.calls[out.Init] = sc.origin(s.Init)
		}
		x.calls[out] = sc.origin(s)
		sc.values[s.Name.Name] = x.declare(sc, &s.Name, out)
	case *ast.Let:
		if sc.prefix == "" {
			v := x.inNamed(sc, s.Value, "")
			if uses, constant := uses(sc.Fn, s.Name.Name); uses > 1 && !constant {
				v = x.part(sc, &s.Name, v)
			}
			sc.values[s.Name.Name] = v
			return
		}
		value := x.inNamed(sc, s.Value, sc.prefix+"."+s.Name.Name)
		out := &ast.Let{At: sc.at, Type: ast.CopyType(s.Type, sc.at, x.made(sc), below), Value: value}
		x.calls[out] = sc.origin(s)
		sc.values[s.Name.Name] = x.declare(sc, &s.Name, out)
	}
}

// declare puts a declaration before the let that calls, and returns its name.
func (x *expander) declare(sc *scope, id *ast.Ident, s ast.Stmt) ast.Expr {
	name := ast.Ident{At: sc.at, Name: sc.prefix + "." + id.Name}
	if x.taken[name.Name] {
		x.errorf(sc.home.file, diag.BadFunction, id,
			"%s is declared twice: two functions of one call have this name", name.Name).
			NoteAt(x.root, sc.at.Span(),
				"in this call").Note("call the inner function in a let of its own, whose name " +
			"its parameters then have")
	}
	x.taken[name.Name] = true
	x.declared[name.Name] = s
	switch s := s.(type) {
	case *ast.Param:
		s.Name, s.Owner = name, sc.owner
	case *ast.Weight:
		s.Name, s.Owner = name, sc.owner
	case *ast.Let:
		s.Name, s.Owner = name, sc.owner
	}
	x.out = append(x.out, s)
	out := &ast.Name{At: sc.at, Name: name.Name}
	x.calls[out] = sc.origin(id)
	return out
}

// candidates returns the functions that a call may mean, before its arguments are known: all of its name that
// fit their number.
func (x *expander) candidates(home *module, c *ast.Call) []*function {
	var out []*function
	for _, f := range x.functions(home, c.Name.Name) {
		if fits(f.Fn, c) != mismatch {
			out = append(out, f)
		}
	}
	return out
}

// functions returns the functions of a name, as a file calls them.
func (x *expander) functions(home *module, name string) []*function {
	first, rest, pointed := strings.Cut(name, ".")
	if !pointed {
		return home.fns[name]
	}
	if m := home.imports[first]; m != nil {
		return m.fns[rest]
	}
	return nil
}

// How a call fits the arguments of a function.
const (
	mismatch = iota
	unknown  // an argument may turn out to be an array
	match
)

func fits(f *ast.Fn, c *ast.Call) int {
	if len(f.Args) != len(c.Args) {
		return mismatch
	}
	out := match
	for i, a := range f.Args {
		array, ok := ast.Unparen(c.Args[i]).(*ast.Array)
		switch {
		case a.Name != nil:
		case !ok:
			out = min(out, unknown)
		case len(array.Elems) != len(a.Elems):
			return mismatch
		}
	}
	return out
}

// resolve finds the function that a call means. found reports that its name is declared, or that the module
// it names is imported.
func (x *expander) resolve(c *ast.Call, sc *scope) (f *function, found bool) {
	home, file := x.home, x.root
	if sc.inside() {
		home, file = sc.home, sc.home.file
	}
	list := x.functions(home, c.Name.Name)
	if len(list) == 0 {
		return nil, x.missing(home, file, c)
	}
	known := &ast.Call{Args: make([]ast.Expr, len(c.Args))}
	for i, a := range c.Args {
		known.Args[i] = a
		if n, ok := a.(*ast.Name); ok && sc.inside() && sc.values[n.Name] != nil {
			known.Args[i] = sc.values[n.Name]
		}
	}
	for _, f := range list {
		if fits(f.Fn, known) == match {
			return f, true
		}
	}
	var forms []string
	for _, f := range list {
		forms = append(forms, usage(c.Name.Name, f.Fn))
	}
	x.errorf(file, diag.BadCall, c, "no function %s takes what this call has: %s", c.Name.Name,
		counted(len(c.Args))).
		NoteAt(list[0].home.file, list[0].Name.Span(),
			"it is declared here").Note("write %s; an array is written out, as [8, 2]",
		strings.Join(forms, ", or "))
	return nil, true
}

// missing reports a function that an imported module does not have.
func (x *expander) missing(home *module, file *source.File, c *ast.Call) bool {
	first, rest, pointed := strings.Cut(c.Name.Name, ".")
	m := home.imports[first]
	if !pointed || m == nil || m.distribution(rest) {
		return false
	}
	x.errorf(file, diag.UnknownModule, c.Name, "the module %s has no function %s", first,
		rest).Note("it has %s", strings.Join(sorted(m.fns), ", "))
	return true
}

func counted(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func usage(name string, f *ast.Fn) string {
	var args []string
	for _, a := range f.Args {
		if a.Name != nil {
			args = append(args, a.Name.Name)
			continue
		}
		var elems []string
		for _, id := range a.Elems {
			elems = append(elems, id.Name)
		}
		args = append(args, fmt.Sprintf("[%s]", strings.Join(elems, ", ")))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// size counts the nodes of an expression, up to the bound.
func size(e ast.Expr) int {
	n := 0
	ast.Walk(e, func(ast.Node) bool { n++; return n <= maxNodes })
	return n
}
