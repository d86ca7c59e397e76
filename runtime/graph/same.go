package graph

import "slices"

// rewriteSame reads a table where that is looked up row by row in its own order, and makes of the transpose
// of a row or a column, whose elements stand in memory as they do in it, the same elements in another shape.
// Where graphs of other rows must be alike, it looks at no data.
func (g *Graph) rewriteSame(alike bool) {
	same := make([]ID, len(g.nodes))
	for id := range g.nodes {
		n := &g.nodes[id]
		n.in = renumber(n.in, same)
		same[id] = ID(id)
		switch {
		case !alike && n.op == opGather && len(n.in) == 2 && !slices.Contains(g.outputIDs, ID(id)) &&
			inTurn(n.index, g.nodes[n.in[0]].shape.rows()):
			same[id] = n.in[0]
		case n.op == opTranspose && slices.Min(n.shape) == 1:
			n.op, n.attr = opReshape, Attr{Shape: n.shape}
		}
	}
	g.compact()
}

// inTurn reports whether positions are those of all rows, one after another.
func inTurn(index []int32, rows int) bool {
	for i, k := range index {
		if int(k) != i {
			return false
		}
	}
	return len(index) == rows
}
