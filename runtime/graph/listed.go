package graph

// listed is one vector of a list of vectors, taken as it was before they were put together: as the row of a
// list, or the column of its transpose.
func (b *Builder) listed(o *op, attr Attr, in []ID) (ID, bool) {
	if o != opSlice || b.plain {
		return NoID, false
	}
	list := &b.nodes[in[0]]
	byRow := list.op == opTranspose
	if byRow {
		list = &b.nodes[list.in[0]]
	}
	if list.op != opReshape || len(list.shape) != 2 || b.nodes[list.in[0]].op != opAppend {
		return NoID, false
	}
	vectors := b.nodes[list.in[0]].in
	cut, err := completeSlices(attr.Slices, b.nodes[in[0]].shape)
	if err != nil || len(vectors) != list.shape[1] {
		return NoID, false
	}
	for _, v := range vectors {
		if !b.nodes[v].shape.equal(list.shape[:1]) {
			return NoID, false
		}
	}
	which, rows := cut[1], cut[0]
	if byRow {
		which, rows = rows, which
	}
	switch {
	case !which.Drop:
		return NoID, false
	case !rows.Drop && rows.Lo == 0 && rows.Hi == list.shape[0]:
		return vectors[which.Lo], true
	}
	id, err := b.Apply("slice", Attr{Slices: []Slice{rows}}, vectors[which.Lo])
	return id, err == nil
}
