package format

import "github.com/vflc/vflc/lang/ast"

// alone prints an expression that is all of a value, or of what stands in parentheses: there a recursion
// needs none.
func (p *printer) alone(e ast.Expr) {
	if r, ok := e.(*ast.Recur); ok {
		p.recur(r)
		return
	}
	p.expr(e, ast.Loosest)
}

func (p *printer) recur(e *ast.Recur) {
	p.write("recur ")
	for _, i := range e.Init {
		p.entry(i)
		p.write(", ")
	}
	for k, s := range e.Steps() {
		if k > 0 {
			p.write(", ")
		}
		p.entry(s)
	}
	p.write(" for ", e.Var.Name, " in ")
	p.span(e.Lo, e.Hi, "..", true)
}

func (p *printer) entry(e *ast.Entry) {
	p.write(e.Name.Name, "[", e.Index, "] = ", e.Value)
}
