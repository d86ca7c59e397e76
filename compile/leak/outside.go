package leak

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
)

// Outside returns the arguments of a client's likelihood without the cuts that the client sends: those are
// examined as cuts.
func Outside(p *check.Program, l *check.Likelihood) []ast.Expr {
	var o outsider
	for _, x := range Sent(p) {
		o.cuts = append(o.cuts, flatten(x, false, nil))
	}
	out := make([]ast.Expr, len(l.Args))
	for i, a := range l.Args {
		if a != nil {
			out[i] = o.without(a)
		}
	}
	return out
}

// An outsider takes cuts out of expressions.
type outsider struct{ cuts [][]signed }

// signed is a term of a chain of + and -.
type signed struct {
	ast.Expr
	minus  bool
	inside ast.Expr // without cuts
}

func (s signed) equal(t signed) bool { return s.minus == t.minus && ast.Equal(s.Expr, t.Expr) }

func flatten(e ast.Expr, minus bool, out []signed) []signed {
	switch x := e.(type) {
	case *ast.Paren:
		return flatten(x.X, minus, out)
	case *ast.Unary:
		if x.Op != "!" {
			return flatten(x.X, minus != (x.Op == "-"), out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			return flatten(x.Y, minus != (x.Op == "-"), flatten(x.X, minus, out))
		}
	}
	return append(out, signed{Expr: e, minus: minus})
}

// without takes the terms of each cut out of the sums that hold them all. An empty sum is 0. What holds no
// cut remains the node that it is, whose type is known.
func (o *outsider) without(e ast.Expr) ast.Expr {
	terms := flatten(e, false, nil)
	changed := false
	for i, t := range terms {
		terms[i].inside = ast.Rebuild(t.Expr, o.without)
		changed = changed || terms[i].inside != t.Expr
	}
	whole := len(terms)
	for _, c := range o.cuts {
		if all(c, terms) {
			terms = slices.DeleteFunc(terms, func(t signed) bool { return slices.ContainsFunc(c, t.equal) })
		}
	}
	if !changed && len(terms) == whole {
		return e
	}
	var out ast.Expr = &ast.Number{}
	for i, t := range terms {
		x := elements(t.inside)
		switch {
		case i == 0 && t.minus:
			out = &ast.Unary{Op: "-", X: x}
		case i == 0:
			out = x
		case t.minus:
			out = &ast.Binary{Op: "-", X: out, Y: x}
		default:
			out = &ast.Binary{Op: "+", X: out, Y: x}
		}
	}
	return out
}

// elements returns an expression with the elements of an empty sum replaced by 0.
func elements(e ast.Expr) ast.Expr {
	if x, ok := e.(*ast.Index); ok {
		if n, empty := x.X.(*ast.Number); empty {
			return n
		}
	}
	return e
}

func all(c, terms []signed) bool {
	for _, t := range c {
		if !slices.ContainsFunc(terms, t.equal) {
			return false
		}
	}
	return true
}
