package lower

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// An imputation is imputed data of a generative model, whose law follows when all is declared.
type imputation struct {
	of     *check.Symbol
	member int
	param  int // of the model
	shape  graph.Shape
}

// imputed lowers data whose missing cells are parameters to a parameter of all cells.
func (g *generative) imputed(s *check.Symbol, b *data.BoundValue) {
	key, shape := g.key(s.Name), graph.Shape(b.Dims)
	g.names[key] = g.b.Param(key, shape)
	owner, name := s.Owner, missingName(s.Name)
	if s.Family {
		owner = memberName(s.Owner, g.member)
		name = owner + "." + name
	}
	v := &model.Imputed{Data: s.Name, Holder: owner, Values: b.Values, Gaps: []int{}}
	for _, gap := range b.Gaps {
		v.Gaps = append(v.Gaps, gap.At)
	}
	g.imputes = append(g.imputes, imputation{s, g.member, len(g.model.Params), shape})
	g.model.Params = append(g.model.Params, model.Param{Name: name, Owner: owner, Imputed: v})
}

// imputations gives imputed data the law of all their cells. These are drawn after the other parameters, in
// the order of their declarations.
func (g *generative) imputations() {
	for i, m := range g.imputes {
		if g.diags.HasErrors() {
			return
		}
		k := g.Program.DistributionsOf(m.of)[0]
		p := &g.model.Params[m.param]
		g.member = m.member
		args := g.arguments(k.Dist, k.Args)
		if g.diags.HasErrors() {
			return
		}
		p.Law = g.law(k.Dist, args, m.shape)
		g.member = 0
		var ok bool
		if p.Lower, p.Upper, ok = g.cellBounds(m.of); !ok {
			return
		}
		switch later := g.later(i); {
		case !k.Dist.Drawable():
			p.Improper = "has a distribution from which nothing can be drawn: " + k.Dist.WithoutDraws()
		case k.Stmt.Weights != nil:
			p.Improper = "has a likelihood with weights, which is no distribution to draw from"
		case g.reads(k.Args, later):
			p.Improper = "depends on imputed data that are declared after " + m.of.Name +
				", or on itself; declare them before"
		}
	}
}

// later finds imputed data that are drawn no earlier than number i.
func (g *generative) later(i int) func(*check.Symbol) bool {
	return func(s *check.Symbol) bool {
		for _, m := range g.imputes[i:] {
			if m.of == s {
				return true
			}
		}
		return false
	}
}
