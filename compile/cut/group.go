package cut

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
)

// group returns the group of some cuts, the same one wherever the same cuts are summed.
func (c *cutter) group(at ast.Expr, cuts ...*Cut) *Group {
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
		g = &Group{Number: len(c.Groups) + 1, Cuts: cuts, Type: cuts[0].Type, Span: ast.Place(at.Span()), single: single}
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

// reference is the expression that stands for a group: a name that no source can contain, with the member's index where a family's cuts are used one by one.
func (c *cutter) reference(g *Group, at ast.Expr) ast.Expr {
	info := check.Info{Type: g.Type, Owners: types.Owners{c.Server}, Random: true}
	for _, k := range g.Cuts[1:] {
		if dims, ok := types.Broadcast(info.Type.Dims, k.Type.Dims); ok {
			info.Type.Dims = dims
		}
	}
	var out ast.Expr = &ast.Name{At: ast.Place(at.Span()), Name: g.Reference()}
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

// Each reports whether a family's cuts are used one by one, as z[j] in a sum over the family, and not as their sum.
func (g *Group) Each() bool { return g.single }

// Reference is the name that stands for the group in the arguments of a likelihood: one that no source can contain.
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

// additive marks the groups whose cuts occur in no other group, have one shape, and share their argument with no other group.
func (c *cutter) additive() {
	uses := map[*Cut]int{}
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
	return slices.ContainsFunc(g.Cuts, func(k *Cut) bool { return !k.Type.SameShape(g.Type) })
}
