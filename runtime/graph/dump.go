package graph

import (
	"fmt"
	"strings"
)

// String prints the nodes, then for each entry point its passes in the order in which they run: row loops and global nodes, with the steps of each.
// Values in tiles are marked with a tilde; y' is the adjoint of y; "+=" accumulates.
func (g *Graph) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "graph %s: %d parameters\n", g.name, g.dim)
	for id := range g.nodes {
		g.dumpNode(&s, ID(id))
	}
	for _, list := range []struct {
		what  string
		ports []Port
		ids   []ID
	}{{"output", g.outputs, g.outputIDs}, {"report", g.reports, g.reportIDs}} {
		for i, p := range list.ports {
			fmt.Fprintf(&s, "%s %s = %%%d%s\n", list.what, p.Name, list.ids[i], mark(p.Affine, " affine"))
		}
	}
	g.dumpTerms(&s)
	for _, p := range append([]program{g.forward, g.target, g.pull}, g.reporting...) {
		g.dumpProgram(&s, &p)
	}
	return s.String()
}

func mark(b bool, s string) string {
	if b {
		return s
	}
	return ""
}

func (g *Graph) dumpNode(s *strings.Builder, id ID) {
	n := &g.nodes[id]
	fmt.Fprintf(s, "  %%%d = %s%s", id, n.label(), list(n.in))
	if n.kind != term {
		fmt.Fprintf(s, " %v", n.shape)
	}
	if n.kind == constant && n.values == nil && n.shape.Len() > 0 {
		s.WriteString(" of decimals")
	}
	if n.kind == term && n.power != 1 {
		fmt.Fprintf(s, " ^%g", n.power)
	}
	s.WriteString("\n")
}

// list prints inputs as "(%1, %2)", and "" where there are none.
func list(ids []ID) string {
	if len(ids) == 0 {
		return ""
	}
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = fmt.Sprintf("%%%d", id)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (g *Graph) dumpTerms(s *strings.Builder) {
	for i, name := range g.terms {
		var parts []string
		for _, p := range g.parts {
			switch {
			case p.term != i:
			case p.node == NoID:
				parts = append(parts, fmt.Sprintf("%.6g", p.value))
			case g.nodes[p.node].kind == term:
				parts = append(parts, fmt.Sprintf("%%%d%s", p.node, mark(p.value != 0, fmt.Sprintf(" + %.6g", p.value))))
			default:
				parts = append(parts, fmt.Sprintf("log|%%%d|", p.node))
			}
		}
		fmt.Fprintf(s, "term %s = %s\n", name, strings.Join(parts, " + "))
	}
}

func (g *Graph) dumpProgram(s *strings.Builder, p *program) {
	if len(p.loops) == 0 {
		return
	}
	fmt.Fprintf(s, "%s\n", p.name)
	for _, l := range p.loops {
		what := fmt.Sprintf("rows %d", l.rows)
		if l.global {
			what = "whole"
		}
		if n := g.pieces(&l); n > 1 {
			what += fmt.Sprintf(" in %d pieces", n)
		}
		fmt.Fprintf(s, "  %s, level %d%s\n", what, l.level, mark(l.back, ", reverse"))
		for i := range l.calls {
			fmt.Fprintf(s, "    %s\n", g.dumpCall(&l.calls[i]))
		}
	}
}

func (g *Graph) dumpCall(c *callSpec) string {
	n := &g.nodes[c.id]
	tilde := mark(c.out.val.space == inTile, "~")
	switch c.verb {
	case doClear:
		return fmt.Sprintf("~%%%d' = 0", c.id)
	case doReverse:
		return fmt.Sprintf("%s from %%%d'%s", g.adjoints(c), c.id, [...]string{"", " of the log-Jacobian only", " without the log-Jacobian"}[c.mode])
	}
	switch {
	case n.kind == term:
		text := fmt.Sprintf("target += %s%s", n.label(), list(n.in))
		if a := g.adjoints(c); a != "" {
			text += "; " + a
		}
		return text
	case n.kind == reduction:
		return fmt.Sprintf("%%%d += %s%s", c.id, n.label(), list(n.in))
	}
	return fmt.Sprintf("%s%%%d = %s%s", tilde, c.id, n.label(), list(n.in))
}

// adjoints prints the adjoints that a step adds to or sets.
func (g *Graph) adjoints(c *callSpec) string {
	var parts []string
	for k, o := range c.in {
		if o.adj.space != nowhere {
			op := " +="
			if o.set {
				op = " ="
			}
			parts = append(parts, fmt.Sprintf("%s%%%d'%s", mark(o.adj.space == inTile, "~"), g.nodes[c.id].in[k], op))
		}
	}
	return strings.Join(parts, ", ")
}
