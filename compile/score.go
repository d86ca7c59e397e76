package compile

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/stdlib/def"
)

// A Score is what an adjoint is a function of: the derivative of the log density of Dist by a predictor that enters its parameter Param through the functions of
// Through, the innermost first.
type Score struct {
	Dist    *def.Dist
	Param   int
	Through []*def.Func
}

// Score returns the score that a client sends as the adjoint of a sum it has received; false where that is not a function of one predictor a row, to which the sum
// is added.
func (p *Bundle) Score(d Disclosure) (out Score, ok bool) {
	for _, program := range p.Programs {
		if program.For != d.From || d.Sum == "" {
			continue
		}
		for _, l := range program.Likelihoods {
			for i, a := range l.Args {
				switch {
				case a == nil || !reaches(program, a, d.Sum):
				case ok || l.Dist.Event != nil: // a second place
					return Score{}, false
				default:
					inner, through := lower.Unwrap(a)
					if !lower.Addend(inner, d.Sum) {
						return Score{}, false
					}
					out, ok = Score{l.Dist, i, through}, true
				}
			}
		}
	}
	return out, ok
}

// reaches reports whether an expression depends on a name, by lets too.
func reaches(program *check.Program, e ast.Expr, name string) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			s := program.Symbols[x.Name]
			found = found || x.Name == name || s != nil && s.Kind == check.Let && reaches(program, s.Decl.(*ast.Let).Value, name)
		}
		return !found
	})
	return found
}
