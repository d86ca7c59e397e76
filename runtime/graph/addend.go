package graph

// Addend is what is added to the elements of a parameter, or of what is computed from it, where these are
// used, one sum after another, as far as that is computed from other parameters alone; NoID where it is
// nothing, or different things at different places. A graph with inputs has none.
func (b *Builder) Addend(x, at ID) ID {
	sum, gathered, barred := NoID, false, b.reached([]ID{x})
	for len(b.inputs) == 0 {
		next, uses := NoID, 0
		for id := range barred { // sums that are made here are no use of what they add
			if b.addsTo(ID(id), at, gathered, barred) {
				next = ID(id)
				uses++
			}
		}
		if uses != 1 {
			break
		}
		for _, in := range b.nodes[next].in {
			switch {
			case in == at:
			case b.nodes[next].op == opGather:
				gathered = true
			case sum == NoID:
				sum = in
			default:
				sum = b.must("add", sum, in)
			}
		}
		at = next
	}
	return sum
}

// addsTo reports whether a node gathers rows of another, or is it with something added that does not depend
// on what is barred. What is gathered has one addend for all.
func (b *Builder) addsTo(id, of ID, gathered bool, barred []bool) bool {
	n := &b.nodes[id]
	if n.op == opGather {
		return n.in[0] == of
	}
	if n.op != opAdd && n.op != opAddN || n.shape.Len() != b.nodes[of].shape.Len() {
		return false
	}
	found := 0
	for _, in := range n.in {
		if in == of {
			found++
		} else if barred[in] || gathered && b.nodes[in].shape.Len() != 1 {
			return false
		}
	}
	return found == 1
}
