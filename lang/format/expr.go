package format

import (
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/ast"
)

// Expr prints an expression on one line. It keeps the parentheses of the source, and adds those without which
// the text would parse to another tree.
func Expr(e ast.Expr) string {
	var p printer
	p.alone(e)
	return p.String()
}

type printer struct{ strings.Builder }

// write appends its arguments, which are strings or expressions.
func (p *printer) write(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case ast.Expr:
			p.expr(part, ast.Loosest)
		}
	}
}

// expr prints e, in parentheses if its precedence is below level.
func (p *printer) expr(e ast.Expr, level int) {
	if levelOf(e) < level {
		p.write("(")
		p.alone(e)
		p.write(")")
		return
	}
	switch e := e.(type) {
	case *ast.Number:
		p.write(numberText(e))
	case *ast.Name:
		p.write(e.Name)
	case *ast.Paren:
		p.write("(")
		p.alone(e.X)
		p.write(")")
	case *ast.Recur:
		p.recur(e)
	case *ast.Unary:
		p.write(e.Op)
		p.expr(e.X, ast.Prefix)
	case *ast.Binary:
		p.binary(e)
	case *ast.Transpose:
		p.expr(e.X, ast.Postfix)
		p.write("'")
	case *ast.Index:
		p.expr(e.X, ast.Postfix)
		p.index(e.Args)
	case *ast.Call:
		p.call(e)
	case *ast.Text:
		p.write(quoted(e.Text))
	case *ast.Array:
		p.write("[")
		p.list(e.Elems)
		p.write("]")
	case *ast.Sum:
		p.sum(e)
	}
}

// levelOf returns the precedence of the printed form of e; a negative number is a prefix expression.
func levelOf(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Binary:
		return ast.InFormula(e.Op)
	case *ast.Recur:
		return ast.Loosest - 1
	case *ast.Unary:
		return ast.Prefix
	case *ast.Number:
		if strings.HasPrefix(numberText(e), "-") {
			return ast.Prefix
		}
	}
	return ast.Postfix
}

// numberText returns the literal as written or, for a number that the compiler made, the shortest literal
// with its value.
func numberText(n *ast.Number) string {
	if strings.HasPrefix(n.Text, ".") {
		return "0" + n.Text
	}
	if n.Text != "" {
		return n.Text
	}
	if n.Int {
		return strconv.FormatFloat(n.Value, 'f', -1, 64)
	}
	s := strconv.FormatFloat(n.Value, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func (p *printer) binary(e *ast.Binary) {
	left, right := operandLevels(e.Op)
	if e.Op == ".." && simple(e.X) && simple(e.Y) {
		p.write(e.X, e.Op, e.Y)
		return
	}
	p.expr(e.X, left)
	if tight(e) {
		p.write(e.Op)
	} else {
		p.write(" ", e.Op, " ")
	}
	p.expr(e.Y, right)
}

// operandLevels returns the lowest precedence at which each operand of an operator needs no parentheses.
func operandLevels(op string) (left, right int) {
	switch level := ast.InFormula(op); {
	case level == ast.Power:
		return ast.Postfix, ast.Prefix
	case ast.Single(level):
		return level + 1, level + 1
	default:
		return level, level + 1
	}
}

// tight reports whether the operator is printed without blanks: powers, interactions, and quotients of two
// numbers such as 1/2.
func tight(e *ast.Binary) bool {
	_, x := e.X.(*ast.Number)
	_, y := e.Y.(*ast.Number)
	return e.Op == "^" || e.Op == ":" || e.Op == "/" && x && y
}

// call prints a call; in a density function ` | ` follows the value of which it is the density, and ` by `
// what goes by groups.
func (p *printer) call(e *ast.Call) {
	name, between := e.Name.Name, ", "
	if function, ok := ast.Grouped(name); ok {
		name, between = function, " by "
	} else if ast.IsDensity(e) {
		between = " | "
	}
	p.write(name, "(")
	if rest := e.Args; len(rest) > 1 {
		p.write(rest[0], between)
		p.list(rest[1:])
	} else {
		p.list(rest)
	}
	for i, a := range e.Named {
		if i > 0 || len(e.Args) > 0 {
			p.write(", ")
		}
		p.named(a)
	}
	p.write(")")
}

func (p *printer) list(args []ast.Expr) {
	for i, a := range args {
		if i > 0 {
			p.write(", ")
		}
		p.write(a)
	}
}

func (p *printer) index(args []*ast.Subscript) {
	p.write("[")
	for i, s := range args {
		if i > 0 {
			p.write(", ")
		}
		p.span(s.Lo, s.Hi, ":", s.Slice)
	}
	p.write("]")
}

// span prints LO sep HI, with blanks around the separator if an end is more than a name or a number. It
// prints only LO unless both is set.
func (p *printer) span(lo, hi ast.Expr, sep string, both bool) {
	if lo != nil {
		p.write(lo)
	}
	if !both {
		return
	}
	wide := !simple(lo) || !simple(hi)
	if wide && lo != nil {
		p.write(" ")
	}
	p.write(sep)
	if wide && hi != nil {
		p.write(" ")
	}
	if hi != nil {
		p.write(hi)
	}
}

func simple(e ast.Expr) bool {
	switch e.(type) {
	case nil, *ast.Name, *ast.Number:
		return true
	}
	return false
}

func (p *printer) sum(e *ast.Sum) {
	open, closing := "sum(", ")"
	if e.Each {
		open, closing = "[", "]"
	}
	p.write(open, e.Body, " for ", e.Var.Name, " in ")
	if e.Family != nil {
		p.write(e.Family.Name)
	} else {
		p.expr(&ast.Binary{Op: "..", X: e.Lo, Y: e.Hi}, ast.Ranged)
	}
	p.write(closing)
}
