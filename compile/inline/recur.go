package inline

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// A step is the step of a recursion while the calls in it are written out. What a call uses several times is
// computed once, as a part of the step.
type step struct {
	*ast.Recur
	given  []string // the names of the recursion
	inside []string // the variables of the comprehensions around a call
}

// fewNodes is the size up to which an expression is written out as often as it is used.
const fewNodes = 12

// recur writes out the calls in a recursion. In a function its index, its array and its parts get names that
// nothing else has.
func (x *expander) recur(e *ast.Recur, sc *scope) ast.Expr {
	out := &ast.Recur{At: e.At, Var: e.Var}
	renamed := map[string]string{}
	if sc.inside() {
		out.At = sc.at
		x.calls[out] = sc.origin(e)
		for _, id := range append(e.Indices(), namesOf(e)...) {
			renamed[id.Name] = x.fresh(id.Name, sc)
		}
		out.Var = ast.Ident{At: sc.at, Name: renamed[e.Var.Name]}
	}
	restore := x.outside(e, out, renamed, sc)
	for _, i := range e.Init {
		out.Init = append(out.Init, x.entry(i, renamed, sc))
	}
	restore()
	around := x.step
	x.step = &step{Recur: out}
	for _, id := range out.Indices() {
		x.step.given = append(x.step.given, id.Name)
	}
	for _, id := range namesOf(e) {
		x.step.given = append(x.step.given, id.Name, renamed[id.Name])
	}
	if sc.inside() {
		restore = sc.rename(renamed)
	}
	for _, s := range e.Steps() {
		entry := x.entry(s, renamed, sc) // behind the parts that its calls make
		out.Parts = append(out.Parts, entry)
	}
	if sc.inside() {
		restore()
	}
	x.step = around
	last := len(out.Parts) - 1
	out.Step, out.Parts = out.Parts[last], slices.Clip(out.Parts[:last])
	return out
}

// outside writes out what stands outside of the entries. Until the function that it returns is called, the
// member of a differential equation by groups has its other name.
func (x *expander) outside(e, out *ast.Recur, renamed map[string]string, sc *scope) (restore func()) {
	if e.Ode == nil {
		out.Lo, out.Hi = x.expr(e.Lo, sc), x.expr(e.Hi, sc)
		return func() {}
	}
	out.Ode = &ast.Ode{Times: x.expr(e.Ode.Times, sc)}
	for _, a := range e.Ode.Settings {
		setting := &ast.Arg{At: a.At, Name: a.Name, Value: x.expr(a.Value, sc)}
		out.Ode.Settings = append(out.Ode.Settings, setting)
	}
	if e.Ode.Member == nil {
		return func() {}
	}
	out.Ode.Member, out.Ode.By = e.Ode.Member, x.expr(e.Ode.By, sc)
	if !sc.inside() {
		return func() {}
	}
	name := renamed[e.Ode.Member.Name]
	out.Ode.Member = &ast.Ident{At: sc.at, Name: name}
	return sc.rename(map[string]string{e.Ode.Member.Name: name})
}

// namesOf lists the names of the entries of a recursion's steps.
func namesOf(e *ast.Recur) (out []ast.Ident) {
	for _, s := range e.Steps() {
		out = append(out, s.Name)
	}
	return out
}

// entry writes out the calls in an entry of a recursion, under the name that it gets.
func (x *expander) entry(e *ast.Entry, renamed map[string]string, sc *scope) *ast.Entry {
	c := &ast.Entry{At: e.At, Name: e.Name, Index: x.expr(e.Index, sc), Value: x.expr(e.Value, sc)}
	if name, ok := renamed[e.Name.Name]; ok {
		c.At, c.Name = sc.at, ast.Ident{At: sc.at, Name: name}
		x.calls[c] = sc.origin(e)
	}
	return c
}

// part makes of a value that a call in a step uses several times a part of the step, and returns what reads
// it: the value itself where it is short, or another one for each term of a comprehension around the call.
func (x *expander) part(sc *scope, id *ast.Ident, v ast.Expr) ast.Expr {
	if x.step == nil || size(v) <= fewNodes ||
		slices.ContainsFunc(x.step.inside, func(name string) bool { return ast.Mentions(v, name) }) {
		return v
	}
	name, given := id.Name, x.step.given
	for k := 2; x.taken[name] || x.names[name] || slices.Contains(given, name) || sc.mentions(name); k++ {
		name = fmt.Sprint(id.Name, "_", k)
	}
	x.taken[name] = true
	at := func() *ast.Name { return &ast.Name{At: sc.at, Name: x.step.Var.Name} }
	entry := &ast.Entry{At: sc.at, Name: ast.Ident{At: sc.at, Name: name}, Index: at(), Value: v}
	x.step.Parts = append(x.step.Parts, entry)
	out := &ast.Index{At: sc.at, X: &ast.Name{At: sc.at, Name: name},
		Args: []*ast.Subscript{{At: sc.at, Lo: at()}}}
	x.calls[entry], x.calls[out] = sc.origin(id), sc.origin(id)
	return out
}

// rename gives names other ones until the function that it returns is called.
func (sc *scope) rename(names map[string]string) (restore func()) {
	old := map[string]ast.Expr{}
	for from, to := range names {
		if v, ok := sc.values[from]; ok {
			old[from] = v
		}
		sc.values[from] = &ast.Name{At: sc.at, Name: to}
	}
	return func() {
		for from := range names {
			if delete(sc.values, from); old[from] != nil {
				sc.values[from] = old[from]
			}
		}
	}
}
