package format

import (
	"strings"

	"github.com/vflc/vflc/lang/ast"
)

// function prints a function: one expression on one line, a body with a line for each statement.
func function(f *ast.Fn) []string {
	head := "fn " + f.Name.Name + "(" + join(f.Args, functionArgument) + ")"
	if f.Plain != nil {
		return []string{head, "= " + Expr(f.Plain)}
	}
	var b strings.Builder
	b.WriteString(head + " {\n")
	for _, s := range f.Body {
		b.WriteString(indent + Stmt(s) + "\n")
	}
	b.WriteString(indent + "return " + Expr(f.Value) + "\n}")
	return []string{b.String()}
}

func functionArgument(a *ast.FnArg) string {
	if a.Name != nil {
		return a.Name.Name
	}
	return "[" + join(a.Elems, func(i *ast.Ident) string { return i.Name }) + "]"
}
