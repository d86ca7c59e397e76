package transform

import (
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// augmented is the augmented-variable model of the paper: p(y | Σ z_j, γ) Π N(z_j; g_j, ρ²) p(θ_j).
func augmented() Transform {
	return Transform{
		Name: "augmented",
		Doc:  "the server evaluates the likelihood at z ~ normal(cut, rho)",
		apply: func(l *layout) diag.List {
			for _, k := range l.Program.Likelihoods {
				if l.alone(k) {
					continue
				}
				server := l.Parties[0]
				server.Likelihoods = append(server.Likelihoods, l.statement(k, nil, sumOfZ))
				for _, g := range k.Groups {
					for _, c := range g.Cuts {
						l.send(c)
					}
				}
			}
			return nil
		},
	}
}

// sumOfZ writes the sum of a group's z.
func sumOfZ(g *cut.Group) []ast.Expr {
	if g.Each() {
		return []ast.Expr{&ast.Name{Name: g.Cuts[0].Name}}
	}
	var terms []ast.Expr
	for _, c := range g.Cuts {
		terms = append(terms, received(c))
	}
	return terms
}
