package graph

// Transposes. A recursion over the rows of a matrix reads the transpose of what is computed element by
// element, and the target the sum of elements of matrices that are made of its result. These may as well be
// computed of the transposes of what they are computed from: nothing is then transposed.

// rewriteTurned computes matrices that are read transposed, or of which the target needs the sum, as their
// transposes, where all that they are computed from is data, or is transposed already, or is a row or a
// column. It changes nothing where as much is transposed then.
func (g *Graph) rewriteTurned() {
	t := &turning{Graph: g, turned: map[ID]ID{}, free: map[ID]bool{}, at: make([]ID, len(g.nodes))}
	if !t.all() {
		return
	}
	out := &Graph{nodes: t.out, parts: append([]part(nil), g.parts...)}
	for k := range out.parts {
		if p := &out.parts[k]; p.node != NoID {
			p.node = t.at[p.node]
		}
	}
	from := g.roots()
	for i, list := range out.roots() {
		for _, id := range *from[i] {
			*list = append(*list, t.at[id])
		}
	}
	out.compact()
	if out.moved() < g.moved() {
		g.nodes, g.parts = out.nodes, out.parts
		for i, list := range out.roots() {
			*from[i] = *list
		}
	}
}

// moved is how many numbers are transposed in an evaluation.
func (g *Graph) moved() (sum int) {
	for id := range g.nodes {
		if n := &g.nodes[id]; n.op == opTranspose {
			sum += n.shape.Len()
		}
	}
	return sum
}

// A turning writes the nodes of a graph anew, and the transposes of some.
type turning struct {
	*Graph
	out    []node
	at     []ID      // of each node, its place in out
	turned map[ID]ID // the place of its transpose
	free   map[ID]bool
}

// all writes all nodes. It reports whether a transpose stands in the place of some.
func (t *turning) all() (some bool) {
	for id := range ID(len(t.nodes)) {
		n := t.nodes[id]
		n.in = append([]ID(nil), n.in...)
		switch turns := (n.op == opTarget || n.op == opTranspose) && t.turns(n.in[0]); {
		case turns && n.op == opTranspose:
			t.at[id], some = t.transpose(n.in[0]), true
			continue
		case turns && t.nodes[n.in[0]].shape[0] < t.nodes[n.in[0]].shape[1]:
			n.in[0] = t.transpose(n.in[0])
			t.at[id], some = t.add(n), true
			continue
		}
		for k, p := range n.in {
			n.in[k] = t.at[p]
		}
		t.out = append(t.out, n)
		t.at[id] = ID(len(t.out) - 1)
	}
	return some
}

// turns reports whether a node is a matrix whose transpose may be computed in its place.
func (t *turning) turns(id ID) bool {
	s := t.nodes[id].shape
	return t.elementwise(id) && s[0] > 1 && s[1] > 1 && t.isFree(id)
}

// elementwise reports whether a node is a matrix computed element by element.
func (t *turning) elementwise(id ID) bool {
	n := &t.nodes[id]
	plain := n.attr.Shape == nil && n.attr.Slices == nil
	return n.kind == rowwise && n.op.elements && len(n.shape) == 2 && plain
}

// isFree reports whether the transpose of a node takes no large transposition.
func (t *turning) isFree(id ID) bool {
	if is, known := t.free[id]; known {
		return is
	}
	n, is := &t.nodes[id], true
	switch {
	case len(n.shape) < 2, n.kind == constant, n.op == opTranspose, n.shape[0] == 1 || n.shape[1] == 1:
	case !t.elementwise(id):
		is = false
	default:
		for _, p := range n.in {
			is = is && len(t.nodes[p].shape) < 3 && t.isFree(p)
		}
	}
	t.free[id] = is
	return is
}

// add writes a node whose inputs are written.
func (t *turning) add(n node) ID {
	b := &Builder{nodes: t.out[:len(t.out):len(t.out)]}
	out := node{op: n.op, fn: n.fn, quick: n.quick, in: n.in, power: n.power, degree: n.degree}
	if err := out.op.infer(b, &out); err != nil {
		panic("graph: " + err.Error())
	}
	t.out = append(t.out, out)
	return ID(len(t.out) - 1)
}

// transpose writes the transpose of a node: a row of a matrix is a vector, and a vector is a column.
func (t *turning) transpose(id ID) ID {
	if to, known := t.turned[id]; known {
		return to
	}
	n, to := &t.nodes[id], NoID
	switch {
	case len(n.shape) == 0:
		return t.at[id]
	case len(n.shape) == 1:
		to = t.add(node{op: opCol, in: []ID{t.at[id]}, degree: n.degree})
	case n.op == opCol:
		return t.at[n.in[0]]
	case n.op == opTranspose:
		return t.at[n.in[0]]
	case n.kind == constant:
		t.out = append(t.out, n.transposed())
		to = ID(len(t.out) - 1)
	case t.elementwise(id):
		in := make([]ID, len(n.in))
		for k, p := range n.in {
			in[k] = t.transpose(p)
		}
		to = t.add(node{op: n.op, fn: n.fn, quick: n.quick, in: in, power: n.power, degree: n.degree})
	default:
		to = t.add(node{op: opTranspose, in: []ID{t.at[id]}, degree: n.degree})
	}
	t.turned[id] = to
	return to
}

// transposed is a constant matrix with its axes exchanged.
func (n *node) transposed() node {
	rows, cols := n.shape[0], n.shape[1]
	out := node{kind: constant, name: n.name, shape: Shape{cols, rows}}
	out.values = make([]float64, len(n.values))
	for i := range rows {
		for j := range cols {
			out.values[i*cols+j] = n.values[j*rows+i]
		}
	}
	return out
}
