package cut

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// group returns the group of some cuts, the same one wherever the same cuts are summed.
func (c *cutter) group(at ast.Expr, cuts ...*Expression) *Group {
	key := ""
	for _, k := range cuts {
		key += k.Name + "+"
	}
	single := false
	for _, m := range c.members {
		single = single || m.family == cuts[0].Client
	}
	if single {
		key += "each"
	}
	g := c.groups[key]
	if g == nil {
		g = &Group{Number: len(c.Groups) + 1, Cuts: cuts, Type: cuts[0].Type, Span: ast.At(at.Span()),
			single: single}
		c.groups[key] = g
		c.Groups = append(c.Groups, g)
	}
	if !slices.Contains(c.current.Groups, g) {
		c.current.Groups = append(c.current.Groups, g)
	}
	if !slices.Contains(c.argument, g) {
		c.argument = append(c.argument, g)
	}
	return g
}

// reference is the expression that stands for a group: a name that no source can contain, with the member's
// index where a family's cuts are used one by one.
func (c *cutter) reference(g *Group, at ast.Expr) ast.Expr {
	info := check.ExprInfo{Type: g.Type, Owners: types.Owners{c.home}, Random: true}
	for _, k := range g.Cuts[1:] {
		if dims, ok := types.Broadcast(info.Type.Dims, k.Type.Dims); ok {
			info.Type.Dims = dims
		}
	}
	var out ast.Expr = &ast.Name{At: ast.At(at.Span()), Name: g.Reference()}
	c.facts[out] = info
	if g.single {
		for _, m := range c.members {
			if m.family == g.Cuts[0].Client {
				j := &ast.Name{Name: m.name}
				out = &ast.Index{X: out, Args: []*ast.Subscript{{Lo: j}}}
				c.facts[out] = info
			}
		}
	}
	return out
}

// Each reports whether a family's cuts are used one by one, as z[j] in a sum over the family, and not as
// their sum.
func (g *Group) Each() bool { return g.single }

// Reference is the name that stands for the group in the arguments of a likelihood: one that no source can
// contain.
func (g *Group) Reference() string { return fmt.Sprintf("$%d", g.Number) }

// Referenced returns the group that a name stands for, or nil.
func (p *Program) Referenced(name string) *Group {
	for _, g := range p.Groups {
		if g.Reference() == name {
			return g
		}
	}
	return nil
}

// additive marks the groups whose cuts occur in no other group, have one shape, and share their argument with
// no other group.
func (c *cutter) additive() {
	uses := map[*Expression]int{}
	for _, g := range c.Groups {
		for _, k := range g.Cuts {
			uses[k]++
		}
	}
	for _, g := range c.Groups {
		g.Additive = !g.single && !g.apart && !g.mixed()
		for _, k := range g.Cuts {
			g.Additive = g.Additive && uses[k] == 1
		}
	}
}

// mixed reports cuts of different shapes, whose sum is not a sum of messages.
func (g *Group) mixed() bool {
	return slices.ContainsFunc(g.Cuts, func(k *Expression) bool { return !k.Type.SameShape(g.Type) })
}

func (c *cutter) warn() {
	c.remarks()
	if c.Transform.Kind.Pooled() {
		return
	}
	for _, l := range c.Likelihoods {
		if c.Transform.Kind.Powers() && l.Home == c.Server {
			continue // no party evaluates it at a single z
		}
		if i := slices.IndexFunc(l.Groups, func(g *Group) bool { return !g.Additive }); i >= 0 {
			why, crossing := "are combined here by more than a sum", "z"
			if c.Transform.Kind.CutsCross() {
				crossing = "cut"
			}
			if l.Groups[i].mixed() {
				why = "have different shapes here"
			}
			c.diags.Warnf(diag.SeparateCuts, c.File.Source, l.Groups[i].Span.Span(),
				"contributions of clients %s: %s sees each %s separately, and secure "+
					"summation does not apply", why, l.Home, crossing)
		}
		if l.Factor() {
			c.labelsIn(l)
			continue
		}
		left := c.Facts(l.Left)
		if _, alone := left.Owners.Sole(); l.Party == "" && alone {
			text := revealed(l.Dist)
			if c.lookedUp(l) {
				text = "the adjoint that %s returns for a level is the sum, over its rows, of functions of the " +
					"response: of a level with few rows it reveals the response of each to every client, and of " +
					"others their sum or mean"
			}
			if text = fmt.Sprintf(text, l.Home); l.Home != c.Server {
				text += "; " + c.Server + ", which passes the adjoint on, learns as much"
			}
			c.diags.Warnf(diag.LabelLeak, c.File.Source, l.Stmt.Span(), "%s", text).
				Note("where clients may know the response, declare it `@ shared`; where they may not, do " +
					"not run this model as a deployment")
		}
	}
}

// revealed says what a client can compute of a response from the adjoint, the derivative of its log density
// in the predictor.
func revealed(d *def.Dist) string {
	switch {
	case d.Support == def.ZeroOne:
		return "the adjoint that %s returns is positive in the rows where the response is 1 and negative " +
			"where it is 0, or the reverse, but for one number that all rows may share: one round, or a " +
			"few, reveal the response of each row to every client"
	case d.Support == def.Codes:
		return "the adjoint that %s returns depends on the category of each row, and differs from one " +
			"category to the next: one round, or a few, reveal the response of each row to every client"
	case d.Discrete:
		return "the adjoint that %s returns has the sign of the response less its mean: one round tells " +
			"every client which rows lie above their mean, and repeated rounds reveal each response, since " +
			"given the predictor the adjoint is a function of it"
	}
	return "the adjoint that %s returns is a function of the response once the predictor is given: " +
		"repeated rounds, in which the predictor moves, reveal the response of each row to every client"
}
