package transform

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// generated writes each generated quantity as its party computes it: the server from the sums that it
// receives.
func (l *layout) generated(diags *diag.List) {
	for _, s := range l.Order {
		if s.Kind != check.Generated {
			continue
		}
		g := l.Program.Generated[s]
		for _, group := range g.Groups {
			l.provide(s, group, diags)
		}
		p := l.Party(s.Owner)
		p.Generated = append(p.Generated, l.quantity(s, g))
	}
}

// provide lets the clients send the cuts of a group for a generated quantity. With noise and one evaluator no
// z leaves, and the server has nothing to compute from.
func (l *layout) provide(s *check.Symbol, group *cut.Group, diags *diag.List) {
	for _, k := range group.Cuts {
		if slices.Contains(l.Parties[0].Received, k) {
			continue
		}
		if l.Transform.Kind.Powers() && l.read(group) {
			diags.Errorf(diag.GenerateOwner, l.File.Source, s.Decl.Span(),
				"with one client, transform %s sends nothing to %s, and so %s cannot be computed there",
				l.Transform.Kind.Name, l.Server, s.Name).
				Note("generate it at %s from its own names, or use `transform augmented`", k.Client)
			return
		}
		l.send(k)
	}
}

// read reports whether a likelihood has a group.
func (l *layout) read(group *cut.Group) bool {
	return slices.ContainsFunc(l.Likelihoods, func(k *cut.Likelihood) bool {
		return slices.Contains(k.Groups, group)
	})
}

// quantity is a generated quantity without names of other parties.
func (l *layout) quantity(s *check.Symbol, g *cut.Generated) *ast.Generate {
	d := s.Decl.(*ast.Generate)
	out := &ast.Generate{At: d.At, Name: d.Name, Type: d.Type}
	if s.Dist == nil {
		out.Value = l.substitute(g.Value, sumOfZ)
		return out
	}
	args := make([]ast.Expr, len(g.Args))
	for i, a := range g.Args {
		if a != nil {
			args[i] = l.substitute(a, sumOfZ)
		}
	}
	text := Write(s.Dist, args)
	out.Dist, out.Truncate = text.Dist, text.Truncate
	return out
}
