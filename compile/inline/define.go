package inline

import (
	"maps"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// define checks the functions of a module by themselves, whether they are called or not.
func (x *expander) define(m *module) {
	for _, list := range m.fns {
		for i, f := range list {
			for _, other := range list[:i] {
				if alike(f.Fn, other.Fn) {
					x.errorf(m.file, diag.BadFunction, f.Name,
						"there is a function %s with these arguments already", f.Name.Name).NoteAt(m.file,
						other.Name.Span(), "it is here")
				}
			}
			x.function(f)
		}
	}
}

// alike reports whether a call could mean either of two functions of one name: they have as many arguments,
// and arrays of the same lengths.
func alike(f, g *ast.Fn) bool {
	if len(f.Args) != len(g.Args) {
		return false
	}
	for i, a := range f.Args {
		if b := g.Args[i]; (a.Name == nil) != (b.Name == nil) || len(a.Elems) != len(b.Elems) {
			return false
		}
	}
	return true
}

// function checks the names in one function.
func (x *expander) function(f *function) {
	if _, builtIn := x.universe.Func(f.Name.Name); builtIn || x.structural(f.Name.Name) ||
		f.Name.Name == check.SizeCall {
		x.errorf(f.home.file, diag.BadFunction, f.Name, "%s is built in: choose another name", f.Name.Name)
	}
	known := map[string]bool{}
	declare := func(id ast.Ident) {
		switch {
		case strings.Contains(id.Name, "."):
			x.errorf(f.home.file, diag.PointInName, id, "a declared name has no point")
		case known[id.Name]:
			x.errorf(f.home.file, diag.BadFunction, id, "%s is declared twice in %s", id.Name, f.Name.Name)
		}
		known[id.Name] = true
	}
	for _, a := range f.Args {
		for _, id := range a.Names() {
			declare(*id)
		}
	}
	for _, s := range f.Body {
		for _, e := range ast.Children(s) {
			x.visible(f, e, known)
		}
		name, owner := declared(s)
		if owner != nil {
			x.errorf(f.home.file, diag.BadFunction, owner,
				"inside a function nothing has an owner of its own").
				Note("the owner is that of the let that calls the function: let h = %s(…) @ OWNER",
					f.Name.Name)
		}
		declare(name)
	}
	x.visible(f, f.Result(), known)
}

func (x *expander) structural(name string) bool {
	_, ok := x.universe.Structural(name)
	return ok
}

func declared(s ast.Inner) (name ast.Ident, owner *ast.Ident) {
	switch s := s.(type) {
	case *ast.Let:
		return s.Name, s.Owner
	case *ast.Param:
		return s.Name, s.Owner
	case *ast.Weight:
		return s.Name, s.Owner
	}
	return ast.Ident{}, nil
}

// visible reports the names in a function that are neither its own nor constants of its file.
func (x *expander) visible(f *function, n ast.Node, known map[string]bool) {
	switch n := n.(type) {
	case *ast.Sum:
		inner := known[n.Var.Name]
		known[n.Var.Name] = true
		x.visible(f, n.Body, known)
		known[n.Var.Name] = inner
		for _, e := range []ast.Expr{n.Lo, n.Hi} {
			if e != nil {
				x.visible(f, e, known)
			}
		}
		return
	case *ast.Recur:
		for _, i := range n.Init {
			x.visible(f, i.Index, known)
			x.visible(f, i.Value, known)
		}
		x.visible(f, n.Lo, known)
		x.visible(f, n.Hi, known)
		inside := maps.Clone(known)
		inside[n.Step.Name.Name], inside[n.Var.Name] = true, true
		for _, s := range n.Steps() {
			x.visible(f, s.Value, inside)
			inside[s.Name.Name] = true
		}
		return
	case *ast.Name:
		if _, constant := f.home.consts[n.Name]; !known[n.Name] && !constant {
			x.errorf(f.home.file, diag.FunctionScope, n,
				"%s sees its arguments and what it defines; %s is neither", f.Name.Name, n.Name).
				Note("make it an argument; consts of the same file may be used too")
			known[n.Name] = true
		}
	}
	for _, child := range ast.Children(n) {
		x.visible(f, child, known)
	}
}

// recursion reports functions that call themselves, and marks those that have parameters or weights inside.
func (x *expander) recursion(m *module) {
	state := map[*function]int{} // 1: being visited, 2: done
	for _, name := range sorted(m.fns) {
		for _, f := range m.fns[name] {
			x.visit(f, state)
		}
	}
}

const (
	visiting = 1
	visited  = 2
)

func (x *expander) visit(f *function, state map[*function]int) {
	if state[f] != 0 {
		return
	}
	state[f] = visiting
	for _, s := range f.Body {
		if _, let := s.(*ast.Let); !let {
			f.component = true
		}
	}
	ast.Walk(f.Fn, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		for _, g := range x.candidates(f.home, call) {
			if x.visit(g, state); state[g] == visiting {
				x.errorf(f.home.file, diag.Recursion, call,
					"%s calls itself: functions are written out where they are called, so none may",
					g.Name.Name).
					Note("a recursion over time or order is a let: let h : real[T] = recur h[1] = …, " +
						"h[t] = … for t in 2..T")
				state[g] = visited
			}
			f.component = f.component || g.component
		}
		return true
	})
	state[f] = visited
}
