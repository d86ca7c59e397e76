package inline

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
)

// An importing is a module that the model imports, and where it does.
type importing struct {
	at     ast.At
	name   string
	module *module
}

// distribution reports whether a module declares a distribution, or one whose density a function gives.
func (m *module) distribution(name string) bool {
	if of, _, _, ok := ast.Density(name); ok {
		name = of
	}
	return slices.ContainsFunc(m.dists, func(s *ast.Distribution) bool { return s.Name.Name == name })
}

// distributions puts those of a module into the model, under its name. Messages about them are about the text
// of the module.
func (x *expander) distributions(i importing) {
	for _, s := range i.module.dists {
		name := ast.Ident{At: i.at, Name: i.name + "." + s.Name.Name}
		sc := &scope{function: &function{Fn: &ast.Fn{Name: s.Name}, home: i.module}, called: name.Name,
			at: i.at}
		out := *ast.RebuildStmt(s, func(e ast.Expr) ast.Expr { return x.expr(e, sc) }).(*ast.Distribution)
		out.At, out.Name = i.at, name
		x.out = append(x.out, &out)
		ast.Walk(&out, func(n ast.Node) bool {
			place := x.calls[n]
			if at := n.Span(); place == nil && at.Start < at.End {
				place = &check.FunctionPlace{File: i.module.file, At: at, Function: name.Name}
				x.calls[n] = place
			}
			if place != nil && place.Function == name.Name {
				place.Private = true
			}
			return true
		})
		x.calls[&out].At, x.calls[&out.Name].At = s.Span(), s.Name.Span()
	}
}
