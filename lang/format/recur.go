package format

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

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
	if e.Ode != nil {
		p.ode(e)
		return
	}
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

func (p *printer) ode(e *ast.Recur) {
	p.write("ode ")
	for _, i := range append(slices.Clip(e.Init), e.Parts...) {
		p.entry(i)
		p.write(", ")
	}
	p.write(e.Step.Name.Name, "'[", e.Step.Index, "] = ", e.Step.Value, " for ", e.Var.Name, " in ", e.Ode.Times)
	if e.Ode.Member != nil {
		p.write(" by ", e.Ode.Member.Name, " in ", e.Ode.By)
	}
	for k, a := range e.Ode.Settings {
		p.write(map[bool]string{true: " with (", false: ", "}[k == 0])
		p.named(a)
	}
	if len(e.Ode.Settings) > 0 {
		p.write(")")
	}
}

func (p *printer) named(a *ast.Arg) { p.write(a.Name.Name, " = ", a.Value) }
