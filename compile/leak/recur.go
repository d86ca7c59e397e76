package leak

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// recur reads a recursion as a function, of which nothing is known, of all that it names, and adds the terms
// of its steps that are data without a parameter: a step less what the one before tells is such a term.
func (r *reader) recur(e *ast.Recur) form {
	var own []string
	var args []form
	ast.Walk(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Recur:
			for _, id := range x.Indices() {
				own = append(own, id.Name)
			}
			for _, s := range x.Steps() {
				own = append(own, s.Name.Name)
			}
		case *ast.Sum:
			own = append(own, x.Var.Name)
		case *ast.Name:
			if !slices.Contains(own, x.Name) {
				args = append(args, r.name(x.Name))
			}
		}
		return true
	})
	whole := operation{name: format.Expr(e), tells: true}.of(args)
	return sum(slices.Concat(whole, r.added(e)))
}

// added are the terms of entries of a recursion that are data of the client without a parameter.
func (r *reader) added(e *ast.Recur) (out []term) {
	old := maps.Clone(r.names)
	defer func() { r.names = old }()
	for _, id := range e.Indices() {
		r.names[id.Name] = single(atom{key: id.Name, scalar: true})
	}
	r.names[e.Step.Name.Name] = single(atom{key: e.Step.Name.Name, deps: onPrivate})
	for _, p := range e.Parts {
		r.names[p.Name.Name] = r.read(p.Value)
	}
	for _, entry := range append(slices.Clip(e.Init), e.Step) {
		for _, t := range r.read(entry.Value) {
			if t.deps() == onData {
				out = append(out, t)
			}
		}
	}
	return out
}
