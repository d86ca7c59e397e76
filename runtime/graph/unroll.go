package graph

// A recursion is unrolled where its rows are this long at least, and all its steps have no more operations
// than this together: they then run in one loop over the elements of a row.
const (
	leastUnrolled = 32
	mostUnrolled  = 200
)

// unrolled adds a recursion of few steps on long vectors as the operations of all its steps. It is not ok for
// any other, and for bodies with densities.
func (b *Builder) unrolled(r *Recursion, start, in []ID) (id ID, ok bool) {
	if b.plain || len(r.State) != 1 || r.State.Len() < leastUnrolled ||
		r.steps()*len(r.Body.nodes) > mostUnrolled {
		return NoID, false
	}
	rows := make([]ID, r.Rows)
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
				return NoID, false
			}
		}
		if rows[t], ok = b.inline(r.Body, inputs); !ok {
			return NoID, false
		}
	}
	for t := range rows {
		if rows[t] == NoID || !b.nodes[rows[t]].shape.equal(r.State) {
			return NoID, false
		}
	}
	joined := b.must("append", rows...)
	columns, err := b.Apply("reshape", Attr{Shape: Shape{r.State.Len(), r.Rows}}, joined)
	return b.must("transpose", columns), err == nil
}

// rowOf is a row of an array.
func (b *Builder) rowOf(id ID, row int) ID {
	out, err := b.Apply("slice", Attr{Slices: []Slice{{Lo: row, Hi: row + 1, Drop: true}}}, id)
	if err != nil {
		return NoID
	}
	return out
}

// inline adds what a graph without parameters computes of its inputs as its first output, where all its
// operations are ones that programs name.
func (b *Builder) inline(g *Graph, inputs []ID) (out ID, ok bool) {
	known := make([]ID, len(g.nodes))
	for k, id := range g.inputIDs {
		known[id] = inputs[k]
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		switch {
		case n.kind == input:
		case n.kind == constant:
			known[id] = b.Const(n.name, n.shape, n.values)
		case n.op == nil || n.op == opFunc && b.funcs[n.fn.Name] == nil ||
			n.op != opFunc && b.ops[n.op.name] != n.op:
			return NoID, false
		default:
			name, in := n.op.name, make([]ID, len(n.in))
			if n.op == opFunc {
				name = n.fn.Name
			}
			for k, p := range n.in {
				in[k] = known[p]
			}
			to, err := b.Apply(name, n.attr, in...)
			if err != nil {
				return NoID, false
			}
			known[id] = to
		}
	}
	return known[g.outputIDs[0]], true
}
