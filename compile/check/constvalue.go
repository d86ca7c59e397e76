package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/portable"
)

// ConstValue evaluates an expression of numbers and consts.
func (p *Program) ConstValue(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value, true
	case *ast.Paren:
		return p.ConstValue(e.X)
	case *ast.Name:
		if s := p.Symbols[e.Name]; s != nil && s.Kind == Const {
			return s.Value, true
		}
	case *ast.Unary:
		x, ok := p.ConstValue(e.X)
		switch {
		case e.Op == "-":
			return -x, ok
		case e.Op == "+":
			return x, ok
		}
	case *ast.Binary:
		x, ok := p.ConstValue(e.X)
		y, ok2 := p.ConstValue(e.Y)
		if !ok || !ok2 {
			return 0, false
		}
		switch e.Op {
		case "+":
			return x + y, true
		case "-":
			return x - y, true
		case "*", ".*":
			return x * y, true
		case "/", "./":
			return x / y, true
		case "^":
			return portable.Pow(x, y), true
		}
	case *ast.Call:
		f, ok := p.Universe.Func(e.Name.Name)
		if !ok || len(e.Args) != 1 {
			return 0, false
		}
		x, ok := p.ConstValue(e.Args[0])
		if !ok {
			return 0, false
		}
		y := []float64{0}
		f.Forward(y, []float64{x})
		return y[0], true
	}
	return 0, false
}
