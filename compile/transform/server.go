package transform

import (
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
)

// atServer lets the server evaluate a likelihood at what the clients send of their cuts.
func (l *layout) atServer(k *cut.Likelihood) {
	server := l.Parties[0]
	server.Likelihoods = append(server.Likelihoods, l.statement(k, nil, sumOfZ))
	for _, g := range k.Groups {
		for _, c := range g.Cuts {
			l.send(c)
		}
	}
}

// sumOfZ writes the sum of what the clients send of a group's cuts.
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
