package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
)

// GroupEffects lists the parameters with an element for each category of a level that vary around a centre:
// their prior has a parameter, as the scale in u ~ normal(0, tau), or they enter the model multiplied by one,
// as in tau * z[ward]. To each belong the sizes that count its categories. A parameter of
// categories with a fixed prior, as normal(0, 1), is none.
func (m *Model) GroupEffects() map[string][]string {
	p := m.Checked
	levels, scaled := map[string]bool{}, map[string]bool{}
	for _, s := range p.Order {
		if size, _, _ := p.LevelSize(s.Type); size != "" && s.Kind == check.Data {
			levels[size] = true
		}
		if l, ok := s.Decl.(*ast.Let); ok {
			markScaled(p, l.Value, scaled)
		}
	}
	for _, l := range p.Likelihoods {
		for _, a := range l.Args {
			markScaled(p, a, scaled)
		}
	}
	out := map[string][]string{}
	for _, s := range p.Order {
		if s.Kind != check.Param || s.Initial != nil || !scaled[s.Name] && !slices.ContainsFunc(s.Args,
			func(a ast.Expr) bool { return a != nil && varies(p, a) }) {
			continue
		}
		for _, d := range s.Type.Dims {
			for _, name := range d.Names() {
				if levels[name] {
					out[s.Name] = append(out[s.Name], name)
				}
			}
		}
	}
	return out
}

// markScaled finds the parameters that stand in a product whose other factor depends on parameters.
func markScaled(p *check.Program, e ast.Expr, out map[string]bool) {
	ast.Walk(e, func(n ast.Node) bool {
		b, ok := n.(*ast.Binary)
		if !ok || b.Op != "*" && b.Op != ".*" {
			return true
		}
		for _, side := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			for _, name := range namesOf(side[0]) {
				out[name] = out[name] || varies(p, side[1])
			}
		}
		return true
	})
}

// varies reports whether an expression depends on parameters.
func varies(p *check.Program, e ast.Expr) bool {
	return slices.ContainsFunc(namesOf(e), func(name string) bool {
		switch s := p.Symbols[name]; {
		case s == nil:
			return false
		case s.Kind == check.Let:
			return varies(p, s.Decl.(*ast.Let).Value)
		default:
			return s.Kind == check.Param
		}
	})
}
