package graph

import "slices"

// Transposes. A recursion over the rows of a matrix reads the transpose of what is computed element by
// element, and the target the sum of elements of matrices that are made of its result, or their density.
// These may as well be computed of the transposes of what they are computed from: nothing is then transposed.

// rewriteTurned computes matrices that are read transposed, or of which the target needs a sum over
// elements, as their transposes, where all that they are computed from is data, or is transposed already, or
// is a row or a column, and the transposes of recursions, whose rows then stand together. It changes nothing
// where as much is transposed then.
func (g *Graph) rewriteTurned() {
	t := &turning{Graph: g, turned: map[ID]ID{}, free: map[ID]bool{}, holds: map[ID]bool{},
		at: make([]ID, len(g.nodes))}
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

// moved is how many numbers are transposed in an evaluation, or read and written as rows of a matrix.
func (g *Graph) moved() (sum int) {
	for id := range g.nodes {
		switch n := &g.nodes[id]; {
		case n.op == opTranspose:
			sum += n.shape.Len()
		case n.op == opRecur && !n.turned:
			sum += n.shape.Len()
			for k, p := range n.in {
				if n.recursion.byRow(k) && len(g.nodes[p].shape) > 1 {
					sum += g.nodes[p].shape.Len()
				}
			}
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
	holds  map[ID]bool // whether what its transpose is computed of has one
}

// all writes all nodes. It reports whether a transpose stands in the place of some.
func (t *turning) all() (some bool) {
	for id := range ID(len(t.nodes)) {
		n := t.nodes[id]
		n.in = append([]ID(nil), n.in...)
		switch {
		case n.op == opTranspose && t.turns(n.in[0]) && !t.crosses(id):
			t.at[id], some = t.transpose(n.in[0]), true
			continue
		case n.op == opTarget && t.turns(n.in[0]) && (t.reaches(n.in[0]) ||
			t.nodes[n.in[0]].shape[0] < t.nodes[n.in[0]].shape[1]), n.op == opDensity && t.turnsAll(&n):
			for k, p := range n.in {
				n.in[k] = t.transpose(p)
			}
			t.at[id], some = t.add(n), true
			continue
		case n.op == opRecur && t.turnable(&n) && !t.crosses(id):
			t.recursion(id, n)
			some = true
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
	n := &t.nodes[id]
	return n.kind != constant && len(n.shape) == 2 && n.shape[0] > 1 && n.shape[1] > 1 && t.isFree(id)
}

// turnsAll reports whether the density of a matrix may be computed by that of its transpose, and something is
// then not transposed.
func (t *turning) turnsAll(n *node) bool {
	if s := t.nodes[n.in[0]].shape; len(s) != 2 || s[0] == 1 || s[1] == 1 {
		return false
	}
	some := false
	for _, p := range n.in {
		if !t.isFree(p) {
			return false
		}
		some = some || t.reaches(p)
	}
	return some
}

// reaches reports whether something that the transpose of a node is computed of is transposed now. That
// takes no large transposition.
func (t *turning) reaches(id ID) bool {
	if is, known := t.holds[id]; known {
		return is
	}
	n := &t.nodes[id]
	is := n.op == opTranspose || n.op == opRecur
	if len(n.shape) == 2 && n.kind != constant && !is {
		for _, p := range n.in {
			is = is || t.isFree(p) && t.reaches(p)
		}
	}
	t.holds[id] = is
	return is
}

// turnable reports whether the rows of a recursion, and all that it reads row by row, are vectors or numbers.
func (t *turning) turnable(n *node) bool {
	if len(n.recursion.State) != 1 || n.recursion.State[0] == 1 {
		return false
	}
	for k, p := range n.in {
		if n.recursion.byRow(k) && (len(t.nodes[p].shape) > 2 || n.recursion.whole(k)) {
			return false
		}
	}
	return true
}

// recursion writes a recursion whose rows are columns of a matrix, and the transpose of that.
func (t *turning) recursion(id ID, n node) {
	for k, p := range n.in {
		if n.in[k] = t.at[p]; n.recursion.byRow(k) && len(t.nodes[p].shape) > 1 {
			n.in[k] = t.transpose(p)
		}
	}
	n.turned = true
	n.whole(Shape{n.shape[1], n.shape[0]})
	t.out = append(t.out, n)
	t.turned[id] = ID(len(t.out) - 1)
	t.at[id] = t.add(node{op: opTranspose, in: []ID{t.turned[id]}, degree: n.degree})
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
	case t.crosses(id):
		is = false
	case len(n.shape) < 2, n.kind == constant, n.op == opTranspose, n.shape[0] == 1 || n.shape[1] == 1:
	case n.op == opRecur:
		is = t.turnable(n)
	case !t.elementwise(id) && !(n.op == opAppend && len(n.shape) == 2):
		is = false
	default:
		for _, p := range n.in {
			is = is && len(t.nodes[p].shape) < 3 && t.isFree(p)
		}
	}
	t.free[id] = is
	return is
}

// crosses reports whether a node is an output: the target's derivatives end there.
func (t *turning) crosses(id ID) bool { return slices.Contains(t.outputIDs, id) }

// add writes a node whose inputs are written.
func (t *turning) add(n node) ID {
	b := &Builder{nodes: t.out[:len(t.out):len(t.out)]}
	out := node{op: n.op, fn: n.fn, quick: n.quick, in: n.in, power: n.power, degree: n.degree, attr: n.attr,
		likely: n.likely}
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
	case (n.op == opCol || n.op == opTranspose) && !t.crosses(id):
		return t.at[n.in[0]]
	case n.kind == constant:
		t.out = append(t.out, n.transposed())
		to = ID(len(t.out) - 1)
	case (t.elementwise(id) || n.op == opAppend && t.isFree(id)) && !t.crosses(id):
		in := make([]ID, len(n.in))
		for k, p := range n.in {
			if in[k] = t.transpose(p); n.op == opAppend { // the elements of columns stand together
				in[k] = t.reshaped(in[k], Shape{t.nodes[p].shape.Len()})
			}
		}
		to = t.add(node{op: n.op, fn: n.fn, quick: n.quick, in: in, power: n.power, degree: n.degree})
		if n.op == opAppend {
			to = t.reshaped(to, Shape{n.shape[1], n.shape[0]})
		}
	default:
		to = t.add(node{op: opTranspose, in: []ID{t.at[id]}, degree: n.degree})
	}
	t.turned[id] = to
	return to
}

// reshaped writes the elements of a written node in another shape.
func (t *turning) reshaped(id ID, shape Shape) ID {
	return t.add(node{op: opReshape, in: []ID{id}, attr: Attr{Shape: shape}, degree: t.out[id].degree})
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
