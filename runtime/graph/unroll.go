package graph

// A recursion is unrolled where its rows are this long at least, and all its steps have no more operations
// than this together: they then run in one loop over the elements of a row.
const (
	leastUnrolled = 4
	mostUnrolled  = 800
)

// short reports whether a recursion may be unrolled.
func (r *Recursion) short() bool {
	return len(r.State) > 0 && r.State[0] >= leastUnrolled && r.steps()*len(r.Body.nodes) <= mostUnrolled
}

// unrolled adds a recursion of few steps on long rows as the operations of all its steps, and returns its
// rows. It is not ok for any other, and for bodies with densities.
func (b *Builder) unrolled(r *Recursion, start, in []ID) (rows []ID, ok bool) {
	if b.plain || !r.short() {
		return nil, false
	}
	rows = make([]ID, r.Rows)
	for t := range rows {
		rows[t] = NoID
	}
	for k, t := range r.Start {
		rows[t] = start[k]
	}
	inputs := make([]ID, len(r.Reads))
	for i := range r.steps() {
		t := r.at(i)
		for k, read := range r.Reads {
			switch at := t + read.Offset; read.Kind {
			case ReadWhole:
				inputs[k] = in[read.Input]
			case ReadRow:
				inputs[k] = b.rowOf(in[read.Input], at)
			case ReadState:
				inputs[k] = rows[at]
			}
			if inputs[k] == NoID {
				return nil, false
			}
		}
		if rows[t], ok = b.inline(r.Body, inputs); !ok {
			return nil, false
		}
	}
	for t := range rows {
		if rows[t] == NoID || !b.nodes[rows[t]].shape.equal(r.State) {
			return nil, false
		}
	}
	return rows, true
}

// stacked is the matrix with these rows.
func (b *Builder) stacked(rows []ID) (ID, error) {
	columns, err := b.Apply("reshape", Attr{Shape: Shape{b.nodes[rows[0]].shape.Len(), len(rows)}},
		b.must("append", rows...))
	if err != nil {
		return NoID, err
	}
	return b.must("transpose", columns), nil
}

// unrolledRow is a slice of one row of a recursion whose rows are known.
func (b *Builder) unrolledRow(o *op, attr Attr, in []ID) (ID, bool) {
	rows := b.rowsOf[in[0]]
	if o != opSlice || len(attr.Slices) == 0 {
		return NoID, false
	}
	first := attr.Slices[0]
	if !first.Drop || first.Lo < 0 || first.Lo >= len(rows) {
		return NoID, false
	}
	row := rows[first.Lo]
	if len(attr.Slices) == 1 {
		return row, true
	}
	id, err := b.Apply("slice", Attr{Slices: attr.Slices[1:]}, row)
	return id, err == nil
}

// rowOf is a row of an array; of a matrix, the column of its transpose, whose elements stand together.
func (b *Builder) rowOf(id ID, row int) ID {
	cut := []Slice{{Lo: row, Hi: row + 1, Drop: true}}
	if shape := b.nodes[id].shape; len(shape) == 2 {
		id, cut = b.must("transpose", id), []Slice{{Hi: shape[1]}, cut[0]}
	}
	out, err := b.Apply("slice", Attr{Slices: cut}, id)
	if err != nil {
		return NoID
	}
	return out
}

// inline adds what a graph without parameters computes of its inputs as its first output, where programs name
// all its operations.
func (b *Builder) inline(g *Graph, inputs []ID) (out ID, ok bool) {
	known := make([]ID, len(g.nodes))
	for k, id := range g.inputIDs {
		known[id] = inputs[k]
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.kind == constant {
			known[id] = b.Const(n.name, n.shape, n.values)
		} else if n.kind != input {
			in := make([]ID, len(n.in))
			for k, p := range n.in {
				in[k] = known[p]
			}
			if known[id], ok = b.again(n, in); !ok {
				return NoID, false
			}
		}
	}
	return known[g.outputIDs[0]], true
}

// again is the operation of a node on other inputs of the same shapes.
func (b *Builder) again(n *node, in []ID) (ID, bool) {
	name := ""
	switch {
	case n.op == opFunc:
		name = n.fn.Name
	case n.op != nil:
		name = n.op.name
	}
	if b.ops[name] == nil && b.funcs[name] == nil {
		return NoID, false
	}
	id, err := b.Apply(name, n.attr, in...)
	return id, err == nil && b.nodes[id].shape.equal(n.shape)
}
