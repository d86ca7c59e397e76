package graph

import "slices"

// rewriteParts makes a part of a parameter whose elements follow one another in x, such as beta[2] or
// beta[1:3], a parameter of its own over the same memory, and so neighbouring parts that are joined: nothing
// is copied, and adjoints arrive in the gradient at once.
var rewriteParts = rewrite{"parts of parameters", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.leaf() || slices.Contains(g.outputIDs, id) || slices.ContainsFunc(n.in, func(p ID) bool {
		return g.nodes[p].kind != param || slices.Contains(g.outputIDs, p)
	}) {
		return
	}
	offset, ok := 0, false
	switch first := &g.nodes[n.in[0]]; n.op {
	case opSlice:
		offset, ok = contiguous(n.attr.Slices, first.shape)
		offset += first.offset
	case opAppend:
		offset, ok = first.offset, len(n.shape) == 1 && g.neighbours(n.in)
	}
	if ok && n.shape.Len() > 0 {
		g.nodes[id] = node{kind: param, name: g.nodes[n.in[0]].name + n.attr.String(), shape: n.shape,
			offset: offset, degree: affine}
	}
}}

// contiguous returns where the part of a value of shape s begins that slices keep, one for each axis, and
// reports whether its elements follow one another: axes before some axis are kept whole, and those after it
// at one index.
func contiguous(cut []Slice, s Shape) (offset int, ok bool) {
	stride, whole := 1, true
	for axis, c := range cut {
		if !whole && c.Hi != c.Lo+1 {
			return 0, false
		}
		whole = whole && c.Lo == 0 && c.Hi == s[axis]
		offset += c.Lo * stride
		stride *= s[axis]
	}
	return offset, true
}

// neighbours reports whether each of some parameters begins where the one before ends.
func (g *Graph) neighbours(ids []ID) bool {
	for k, id := range ids[1:] {
		if before := &g.nodes[ids[k]]; g.nodes[id].offset != before.offset+before.shape.Len() {
			return false
		}
	}
	return true
}
