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

// declaredDistribution prints a distribution: one expression on one line, a body with a line for each part.
func declaredDistribution(d *ast.Distribution) []string {
	head := "dist " + d.Name.Name + "(" + distArgument(d.Value)
	if len(d.Args) > 0 {
		head += " | " + join(d.Args, distArgument)
	}
	if d.Plain != nil {
		return []string{head + ")", "= " + Expr(d.Plain)}
	}
	var b strings.Builder
	b.WriteString(head + ") {\n")
	for _, s := range d.Body {
		b.WriteString(indent + Stmt(s) + "\n")
	}
	b.WriteString("}")
	return []string{b.String()}
}

func distArgument(a *ast.DistArg) string {
	if a.Type == nil {
		return a.Name.Name
	}
	return a.Name.Name + " : " + Type(a.Type)
}
