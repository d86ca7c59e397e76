package lower

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
)

// reads reports whether expressions read a symbol that is wanted, themselves, by a let or by a noncentered
// parameter.
func (l *lowerer) reads(list []ast.Expr, wanted func(s *check.Symbol) bool) bool {
	seen, found := map[string]bool{}, false
	var visit func(e ast.Expr)
	visit = func(e ast.Expr) {
		if e == nil {
			return
		}
		ast.Walk(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || seen[name.Name] {
				return !found
			}
			seen[name.Name] = true
			s := l.Program.Symbols[name.Name]
			switch {
			case s == nil:
			case wanted(s):
				found = true
			case s.Kind == check.Let:
				visit(s.Decl.(*ast.Let).Value)
			case s.Kind == check.Param && s.Noncentered():
				for _, a := range s.Args {
					visit(a)
				}
			}
			return !found
		})
	}
	for _, e := range list {
		visit(e)
	}
	return found
}
