package graph

import (
	"fmt"
	"strings"
)

// String prints the nodes with what is read of them.
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
				parts = append(parts,
					fmt.Sprintf("%%%d%s", p.node, mark(p.value != 0, fmt.Sprintf(" + %.6g", p.value))))
			default:
				parts = append(parts, fmt.Sprintf("log|%%%d|", p.node))
			}
		}
		fmt.Fprintf(s, "term %s = %s\n", name, strings.Join(parts, " + "))
	}
}
