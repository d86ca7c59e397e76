package transform

import (
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
)

// atHome has the party with the response evaluate a statement, with its own names as they are. What the
// others contribute comes to it from the server: a sum that nothing else needs in parts as one, else cut by
// cut.
func (l *layout) atHome(k *cut.Likelihood, diags *diag.List) {
	for _, g := range k.Groups {
		if g.Each() {
			diags.Errorf(diag.MembersAtHome, l.File.Source, g.Span.Span(),
				"%s evaluates this likelihood, whose response it holds, and would receive what each member of %s "+
					"contributes: members reach a party other than the server in a sum alone", k.Home,
				g.Cuts[0].Client).
				Note("let their contributions enter as a sum, sum(… for j in %s)", g.Cuts[0].Client)
			return
		}
	}
	p := l.Party(k.Home)
	p.Likelihoods = append(p.Likelihoods, l.statement(k, nil, func(g *cut.Group) []ast.Expr {
		for _, c := range g.Cuts {
			l.send(c)
		}
		if g.Additive && len(g.Cuts) > 1 {
			return []ast.Expr{p.receives(Sum{OthersName(l.Program.Program, g), g.Cuts, g.Type})}
		}
		var terms []ast.Expr
		for _, c := range g.Cuts {
			terms = append(terms, p.receives(l.one(c)))
		}
		return terms
	}))
}

// one is what the server sends of one cut: itself, or the sum over the members of a family.
func (p *Program) one(c *cut.Expression) Sum {
	s := Sum{c.Name, []*cut.Expression{c}, c.Type}
	if c.Family {
		s.Name = sumPrefix(p.Program) + c.Name
	}
	return s
}

// receives notes that a client receives a sum, and returns its name.
func (p *PartyShare) receives(s Sum) ast.Expr {
	if p.Sum(s.Name) == nil {
		p.Sums = append(p.Sums, s)
	}
	return &ast.Name{Name: s.Name}
}

// Sum is the sum of a name that the party receives; nil: there is none.
func (p *PartyShare) Sum(name string) *Sum {
	for i := range p.Sums {
		if p.Sums[i].Name == name {
			return &p.Sums[i]
		}
	}
	return nil
}

// Of writes what the server adds up for a client: nil where it sends on what it has received.
func (s *Sum) Of(client string) ast.Expr {
	var sum ast.Expr
	for _, k := range s.Cuts {
		e := received(k)
		switch {
		case k.Client == client && !k.Family:
			continue
		case k.Client == client:
			e = &ast.Call{Name: ast.Ident{Name: "others"}, Args: []ast.Expr{&ast.Name{Name: k.Name}}}
		case k.Name == s.Name:
			return nil
		}
		sum = add(sum, []ast.Expr{e})
	}
	return sum
}

// Text is what the server adds up for a client, as it is written.
func (s *Sum) Text(client string) string {
	if of := s.Of(client); of != nil {
		return format.Expr(of)
	}
	return s.Name
}
