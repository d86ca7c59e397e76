package graph

// Bends reports whether a value is curved in parameters other than by the product of two that are not: by a
// function such as exp, or a division by them. What bounds a parameter does not count, nor do recursions.
func (b *Builder) Bends(id ID) bool {
	b.check(id)
	return b.bends(id, map[ID]bool{})
}

func (b *Builder) bends(id ID, known map[ID]bool) bool {
	n := &b.nodes[id]
	if n.leaf() || n.degree == free {
		return false
	}
	bends, seen := known[id]
	if seen {
		return bends
	}
	for k, in := range n.in {
		bends = bends || b.bends(in, known) || n.bij == nil && b.curves(n, k)
	}
	known[id] = bends
	return bends
}

// curves reports whether a node is curved in input k where the other inputs are constants.
func (b *Builder) curves(n *node, k int) bool {
	if b.nodes[n.in[k]].degree == free || n.op == opRecur || n.op == opSteps {
		return false
	}
	if n.op == nil || n.op.degree == nil {
		return n.op != nil
	}
	in := make([]degree, len(n.in))
	in[k] = affine
	return n.op.degree(in) == curved
}
