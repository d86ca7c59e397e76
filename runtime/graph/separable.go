package graph

import "slices"

// Separable reports whether the elements of a parameter, a vector, are independent of each other given all
// other parameters: whether every term of the log density is a sum over rows that has one element in each
// row, itself or looked up by an index.
func (b *Builder) Separable(p ID) bool {
	if len(b.nodes[p].shape) != 1 {
		return false
	}
	rows := map[ID][]int32{p: count(b.nodes[p].shape[0])} // the element in each row of what depends on p
	for id := range b.nodes {
		n := &b.nodes[id]
		var element []int32
		for _, in := range n.in {
			at, depends := rows[in]
			if !depends {
				continue
			}
			if n.op != opGather && b.nodes[in].shape.Len() != len(at) ||
				element != nil && !slices.Equal(element, at) {
				return false
			}
			element = at
		}
		switch {
		case element == nil || n.kind == term:
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
	return !slices.ContainsFunc(b.outputs, func(o port) bool { _, depends := rows[o.id]; return depends })
}

// count is 0, 1, …, n-1.
func count(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
