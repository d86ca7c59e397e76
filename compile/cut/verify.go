package cut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// Verify checks the cuts of a model against the privacy contract and the definition of a cut: no private name
// of a client occurs outside its cuts in what another party evaluates; each cut uses the private names of one
// client, depends on a parameter and is maximal; equal expressions are one cut; additive groups are used only
// as sums; every argument stays inside its support whatever noise is added to its cuts. The error names the
// first violation: a fault of Find.
func (p *Program) Verify() error {
	if p.For != "" || p.Transform.Kind.Released() {
		return nil // a party's program has no cuts, and what is released is not cut
	}
	for _, step := range []func() error{
		p.verifyCuts, p.verifyGroups, p.verifyLikelihoods, p.verifyNoise, p.verifySupport,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Private returns the private names in an expression with their owners. A whole number of the server that
// counts or indexes is a size, which all parties know; one of a client is data.
func (p *Program) Private(e ast.Expr) map[string]string {
	out := map[string]string{}
	if e != nil {
		p.private(e, false, out)
	}
	return out
}

func (p *Program) private(n ast.Node, size bool, out map[string]string) {
	switch x := n.(type) {
	case *ast.Name:
		s := p.Symbols[x.Name]
		if s == nil || s.Kind != check.Data && s.Kind != check.Param || s.Owner == check.Shared {
			return
		}
		if !(size && s.Owner == p.Server && s.Type.Elem == types.Int) {
			out[s.Name] = s.Owner
		}
		return
	case *ast.Subscript:
		size = true
	}
	sum, _ := n.(*ast.Sum)
	for _, child := range ast.Children(n) {
		p.private(child, size || sum != nil && (child == ast.Node(sum.Lo) || child == ast.Node(sum.Hi)), out)
	}
}

func (p *Program) verifyCuts() error {
	seen := map[string]bool{}
	for _, k := range p.Cuts {
		text := k.Client + ": " + format.Expr(k.Expr)
		private := p.Private(k.Expr)
		for name, owner := range private {
			if owner != k.Client {
				return fmt.Errorf("%s uses %s of %s", text, name, owner)
			}
		}
		switch _, taken := p.Symbols[k.Name]; {
		case len(private) == 0:
			return fmt.Errorf("%s uses no private name of its client", text)
		case taken || seen[k.Name]:
			return fmt.Errorf("%s: the name %s is taken", text, k.Name)
		case seen[text]:
			return fmt.Errorf("%s is cut twice", text)
		case !p.random(k.Expr):
			return fmt.Errorf("%s is data", text)
		case p.mentionsLet(k.Expr):
			return fmt.Errorf("%s contains a let", text)
		case !slices.ContainsFunc(p.Groups, func(g *Group) bool { return slices.Contains(g.Cuts, k) }):
			return fmt.Errorf("%s enters nothing", text)
		}
		seen[k.Name], seen[text] = true, true
	}
	return nil
}

// random reports whether a parameter occurs in an expression.
func (p *Program) random(e ast.Expr) bool { return p.mentions(e, check.Param) }

func (p *Program) mentionsLet(e ast.Expr) bool { return p.mentions(e, check.Let) }

func (p *Program) mentions(e ast.Expr, kind check.Kind) bool {
	found := false
	own := map[string]bool{} // the names of recursions
	ast.Walk(e, func(n ast.Node) bool {
		if r, ok := n.(*ast.Recur); ok {
			for _, s := range r.Steps() {
				own[s.Name.Name] = true
			}
		}
		if name, ok := n.(*ast.Name); ok && !own[name.Name] {
			s := p.Symbols[name.Name]
			found = found || s != nil && s.Kind == kind
		}
		return !found
	})
	return found
}

func (p *Program) verifyGroups() error {
	for i, g := range p.Groups {
		where := fmt.Sprintf("group %d", i+1)
		if g.Number != i+1 || len(g.Cuts) == 0 {
			return fmt.Errorf("%s is number %d, with %d cuts", where, g.Number, len(g.Cuts))
		}
		var clients []string
		for _, k := range g.Cuts {
			if slices.Contains(clients, k.Client) {
				return fmt.Errorf("%s sums two cuts of %s, which are one", where, k.Client)
			}
			clients = append(clients, k.Client)
			if g.Additive && !k.Type.SameShape(g.Cuts[0].Type) {
				return fmt.Errorf("%s is additive, but %s is %s", where, k.Name, k.Type)
			}
			for _, other := range p.Groups {
				if g.Additive && other != g && slices.Contains(other.Cuts, k) {
					return fmt.Errorf("%s is additive, but %s is in group %d too", where, k.Name,
						other.Number)
				}
			}
		}
		if g.Additive && g.Each() {
			return fmt.Errorf("%s is additive, but its cuts are used one by one", where)
		}
	}
	return nil
}

func (p *Program) verifyLikelihoods() error {
	for _, l := range p.Likelihoods {
		home := l.Party
		if home == "" {
			home = l.Home
		}
		for _, e := range append([]ast.Expr{l.Left, l.Weights}, l.Args...) {
			for name, owner := range p.Private(e) {
				if owner != home {
					return fmt.Errorf("%s: %s would see %s of %s", format.Stmt(l.Stmt), home, name, owner)
				}
			}
		}
		if err := p.verifyReferences(l); err != nil {
			return fmt.Errorf("%s: %w", format.Stmt(l.Stmt), err)
		}
	}
	return nil
}

// verifyReferences checks that the groups of a likelihood are those that its arguments refer to.
func (p *Program) verifyReferences(l *Likelihood) error {
	var all []*Group
	for _, a := range l.Args {
		if a == nil {
			continue
		}
		found := p.references(a)
		if len(found) > 1 && slices.ContainsFunc(found, func(g *Group) bool { return g.Additive }) {
			return fmt.Errorf("an additive group shares the argument %s with another group", format.Expr(a))
		}
		if err := p.verifyMaximal(a, l.Home); err != nil {
			return err
		}
		all = append(all, found...)
	}
	for _, g := range l.Groups {
		if !slices.Contains(all, g) {
			return fmt.Errorf("no argument refers to group %d", g.Number)
		}
	}
	for _, g := range all {
		if !slices.Contains(l.Groups, g) {
			return fmt.Errorf("group %d is not listed", g.Number)
		}
	}
	return nil
}

// references lists the groups that an expression refers to.
func (p *Program) references(e ast.Expr) []*Group {
	var out []*Group
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && strings.HasPrefix(name.Name, "$") {
			if g := p.Referenced(name.Name); !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
		return true
	})
	return out
}

// verifyMaximal checks that no expression around a cut belongs to its client, where a party at home evaluates
// it, and that a sum adds one group and takes one away at most.
func (p *Program) verifyMaximal(e ast.Expr, home string) (err error) {
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || err != nil || len(p.references(x)) == 0 {
			return false
		}
		if _, reference := x.(*ast.Name); !reference {
			if client, alone := p.Facts(x).Owners.Sole(); alone && client != home {
				err = fmt.Errorf("all of %s belongs to %s", format.Expr(x), client)
			}
		}
		direct := map[bool]int{}
		for _, t := range flatten(x, false, nil) {
			if name, ok := t.expr.(*ast.Name); ok && p.Referenced(name.Name) != nil {
				direct[t.minus]++
			}
		}
		if max(direct[false], direct[true]) > 1 {
			err = fmt.Errorf("%s refers to two groups", format.Expr(x))
		}
		return true
	})
	return err
}
