package graph

import "slices"

// Separable reports whether the elements of a parameter, a vector, are independent of each other given all
// other parameters: whether every term of the log density is a sum over rows that has one element in each
// row, itself or looked up by an index, and no other party gets them.
func (b *Builder) Separable(p ID) bool {
	if len(b.nodes[p].shape) != 1 {
		return false
	}
	counts := b.counting()
	rows := map[ID][]int32{p: positions(b.nodes[p].shape[0])} // the element in each row of what depends on p
	for id := range b.nodes {
		n := &b.nodes[id]
		element, ok := b.elementOf(n, rows)
		switch {
		case !counts[id] || ok && element == nil:
		case !ok:
			return false
		case n.kind == term:
		case n.op == opGather && len(n.in) == 2:
			of := make([]int32, len(n.index))
			for i, k := range n.index {
				of[i] = element[k]
			}
			rows[ID(id)] = of
		case (n.op.elements || n.bij != nil && n.bij.whole == nil) && n.shape.Len() == len(element):
			rows[ID(id)] = element
		default:
			return false
		}
	}
	return !slices.ContainsFunc(b.outputs, func(o port) bool { return rows[o.id] != nil })
}

// elementOf is the element in each row of what a node reads; nil where there is none, and false where rows
// of its inputs have different ones.
func (b *Builder) elementOf(n *node, rows map[ID][]int32) (element []int32, ok bool) {
	for _, in := range n.in {
		at := rows[in]
		switch {
		case at == nil:
		case n.op != opGather && b.nodes[in].shape.Len() != len(at),
			element != nil && !slices.Equal(element, at):
			return nil, false
		default:
			element = at
		}
	}
	return element, true
}

// counting marks the nodes that terms of the log density or outputs depend on.
func (b *Builder) counting() []bool {
	out := make([]bool, len(b.nodes))
	for _, o := range b.outputs {
		out[o.id] = true
	}
	for _, part := range b.parts {
		if part.node != NoID {
			out[part.node] = true
		}
	}
	for id := len(b.nodes) - 1; id >= 0; id-- {
		if out[id] {
			for _, in := range b.nodes[id].in {
				out[in] = true
			}
		}
	}
	return out
}

// positions is 0, 1, …, n-1.
func positions(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
