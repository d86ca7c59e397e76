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

// Interpolates reports whether the location of values depends on as many parameters as there are values of
// one scale, or as there are values, and their scale depends on parameters too: where the location is equal
// to all of these values, the density grows without bound as their scale goes to 0.
func (b *Builder) Interpolates(values, location, scale ID) bool {
	b.check(values)
	b.check(location)
	b.check(scale)
	if b.nodes[scale].degree == free {
		return false
	}
	n, of := b.nodes[values].shape, b.nodes[scale].shape
	alike := n.Len() // values of one scale
	if of.Len() > 1 && len(n) == 2 && of.rows() == 1 {
		alike = n.rows()
	}
	return b.parametersOf(location, map[ID]bool{}) >= alike
}

// parametersOf is how many coordinates a value depends on, but for those of nodes that are known.
func (b *Builder) parametersOf(id ID, known map[ID]bool) int {
	n := &b.nodes[id]
	if known[id] || n.degree == free {
		return 0
	}
	known[id] = true
	if n.kind == param {
		return n.shape.Len()
	}
	total := 0
	for _, in := range n.in {
		total += b.parametersOf(in, known)
	}
	return total
}
