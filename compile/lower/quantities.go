package lower

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
)

// Quantities lowers the named generated quantities of a pooled model, with all parties' data, to functions of
// the parameters on their declared scale. Responses are left out.
func Quantities(c *cut.Program, values map[string]data.Bindings, sizes *Sizes,
	names []string) (*model.SimulatedModel, diag.List) {
	g := newGenerative(c, values, sizes)
	g.declareAll()
	for _, s := range c.Order {
		if s.Kind == check.Generated {
			g.quantity(s, slices.Contains(names, s.Name))
		}
	}
	return g.build()
}

func (g *generative) quantity(s *check.Symbol, reported bool) {
	if s.Dist != nil { // a draw has it, as a parameter
		g.eachMember(s.Family, s.Owner, func() { g.declared(s) })
		return
	}
	if s.Family {
		g.eachMember(true, s.Owner, func() {
			id := g.expr(s.Decl.(*ast.Generate).Value)
			g.names[g.key(s.Name)] = id
			if reported && !g.diags.HasErrors() {
				name := memberName(s.Owner, g.member) + "." + s.Name
				g.model.Quantities = append(g.model.Quantities,
					model.Quantity{Name: name, Shape: g.b.Shape(id), Report: g.report(id)})
			}
		})
		return
	}
	id := g.expr(s.Decl.(*ast.Generate).Value)
	if g.diags.HasErrors() {
		return
	}
	g.names[s.Name] = id
	if !reported {
		return
	}
	g.model.Quantities = append(g.model.Quantities, model.Quantity{Name: s.Name, Shape: g.b.Shape(id),
		Report: g.report(id)})
}
