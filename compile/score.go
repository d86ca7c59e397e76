package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/stdlib/def"
)

// A AdjointForm is what an adjoint is a function of: the derivative of the log density of Dist by a predictor
// that enters its parameter Param through the functions of Through, the innermost first.
type AdjointForm struct {
	Dist    *def.Dist
	Param   int
	Through []*def.Func
}

// Score returns the score that a client sends as the adjoint of a sum it has received; false where that is
// not a function of one predictor a row, to which the sum is added.
func (p *Bundle) Score(d Disclosure) (out AdjointForm, ok bool) {
	isSum := func(name string, _ *check.Symbol) bool { return name == d.Sum }
	for _, program := range p.Programs {
		if program.For != d.From || d.Sum == "" {
			continue
		}
		for _, l := range program.Likelihoods {
			for i, a := range l.Args {
				switch {
				case a == nil || !reaches(program, a, isSum):
				case ok || l.Dist.Event != nil: // a second place
					return AdjointForm{}, false
				default:
					inner, through := lower.Unwrap(a)
					if !lower.Addend(inner, d.Sum) {
						return AdjointForm{}, false
					}
					out, ok = AdjointForm{l.Dist, i, through}, true
				}
			}
		}
	}
	return out, ok
}

// Received is the distribution of the server's likelihood of what clients contribute, and whether a parameter
// is in it beside what they enter; nil: it has none.
func (p *Bundle) Received() (dist *def.Dist, moves bool) {
	server := p.Programs[0]
	received := func(name string, _ *check.Symbol) bool {
		return slices.ContainsFunc(p.Manifest.Groups, func(g split.ManifestGroup) bool {
			return slices.Contains(g.Cuts, name)
		})
	}
	moving := func(_ string, s *check.Symbol) bool { return s != nil && s.Kind == check.Param }
	for _, l := range server.Likelihoods {
		in := func(is func(string, *check.Symbol) bool) func(ast.Expr) bool {
			return func(a ast.Expr) bool { return a != nil && reaches(server, a, is) }
		}
		if !slices.ContainsFunc(l.Args, in(received)) {
			continue
		}
		beside := slices.DeleteFunc(slices.Clone(l.Args), in(received))
		dist, moves = l.Dist, moves || slices.ContainsFunc(beside, in(moving))
	}
	return dist, moves
}

// reaches reports whether an expression depends on a name that is one, by lets too.
func reaches(program *check.Program, e ast.Expr, is func(name string, s *check.Symbol) bool) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			s := program.Symbols[x.Name]
			found = found || is(x.Name, s) || s != nil && s.Kind == check.Let &&
				reaches(program, s.Decl.(*ast.Let).Value, is)
		}
		return !found
	})
	return found
}
