package graph

import "slices"

// listed is one vector of a list of vectors, taken as it was before they were put together: as the row of a
// list, or the column of its transpose.
func (b *Builder) listed(o *op, attr Attr, in []ID) (ID, bool) {
	if o != opSlice || b.plain {
		return NoID, false
	}
	id := in[0]
	byRow := b.nodes[id].op == opTranspose
	if byRow {
		id = b.nodes[id].in[0]
	}
	vectors := b.vectorsOf(id)
	if vectors == nil {
		return NoID, false
	}
	cut, err := completeSlices(attr.Slices, b.nodes[in[0]].shape)
	if err != nil {
		return NoID, false
	}
	which, rows := cut[1], cut[0]
	if byRow {
		which, rows = rows, which
	}
	switch {
	case !which.Drop:
		return NoID, false
	case !rows.Drop && rows.Lo == 0 && rows.Hi == b.nodes[id].shape[0]:
		return vectors[which.Lo], true
	}
	id, err = b.Apply("slice", Attr{Slices: []Slice{rows}}, vectors[which.Lo])
	return id, err == nil
}

// vectorsOf are the vectors of a list, nil where a value is none.
func (b *Builder) vectorsOf(id ID) []ID {
	n := &b.nodes[id]
	if n.op != opReshape || len(n.shape) != 2 || b.nodes[n.in[0]].op != opAppend {
		return nil
	}
	vectors := b.nodes[n.in[0]].in
	if len(vectors) != n.shape[1] || slices.ContainsFunc(vectors, func(v ID) bool {
		return !b.nodes[v].shape.equal(n.shape[:1])
	}) {
		return nil
	}
	return vectors
}
