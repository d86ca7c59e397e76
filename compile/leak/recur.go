package leak

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// recur reads a recursion as a function, of which nothing is known, of all that it names.
func (r *reader) recur(e *ast.Recur) form {
	var own []string
	var args []form
	ast.Walk(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Recur:
			own = append(own, x.Var.Name)
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
	return operation{name: format.Expr(e), tells: true}.of(args)
}
