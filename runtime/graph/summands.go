package graph

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// A summand is a part of a sum over elements: of x, which has the shape of the sum or broadcasts to it, times
// constants.
type summand struct {
	x     ID
	by    []ID
	sign  float64
	zeros bool    // a weight of 0 is nothing, even if x is not finite
	alike *groups // of rows with the same x, where there are few
}

// spread is a builder in whose target a sum over the elements of a node is the sums of its summands, where
// some of these are the same for several elements, as for rows with the same data, or few elements have a
// weight: those are then computed alone. It is b itself where there is nothing to spread.
func (b *Builder) spread() *Builder {
	of, uses := b, b.uses()
	var parts []part
	for _, p := range b.parts {
		summands := []summand(nil)
		if p.node != NoID {
			summands = b.spreads(p.node, uses)
		}
		if summands == nil {
			parts = append(parts, p)
			continue
		}
		if of == b {
			c := *b
			c.nodes, c.shared, of = slices.Clone(b.nodes), maps.Clone(b.shared), &c
		}
		n := b.nodes[p.node]
		for i, s := range summands {
			of.parts = nil
			of.sum(b.terms[p.term], of.weighed(s, b.nodes[n.in[0]].shape), s.sign*n.power)
			if i == 0 {
				of.parts[0].value += p.value
			}
			parts = append(parts, of.parts...)
		}
	}
	of.parts = parts
	return of
}

// uses counts how often each node is read by what terms, outputs and reports need.
func (b *Builder) uses() []int {
	uses := make([]int, len(b.nodes))
	for _, p := range b.parts {
		if p.node != NoID {
			uses[p.node]++
		}
	}
	for _, o := range append(slices.Clone(b.outputs), b.reports...) {
		uses[o.id]++
	}
	for id := len(b.nodes) - 1; id >= 0; id-- {
		for _, p := range b.nodes[id].in {
			if uses[id] > 0 {
				uses[p]++
			}
		}
	}
	return uses
}

// spreads returns the summands of a term that is to be spread, nil for any other.
func (b *Builder) spreads(term ID, uses []int) []summand {
	n := &b.nodes[term]
	if n.op != opTarget || b.nodes[n.in[0]].op == nil || b.nodes[n.in[0]].shape.Len() <= fewRows {
		return nil
	}
	shape := b.nodes[n.in[0]].shape
	var parts []summand
	b.summands(summand{x: n.in[0], sign: 1}, shape, uses, &parts)
	for k := range parts {
		parts[k].alike = b.alike(parts[k].x, shape)
	}
	if !slices.ContainsFunc(parts, func(s summand) bool {
		return b.nodes[s.x].shape.Len() < shape.Len() || s.alike != nil || slices.ContainsFunc(s.by, b.sparse)
	}) {
		return nil
	}
	return parts
}

// summands appends what s is the sum of, over elements of a shape. What others need too is computed anyway,
// and an output is a leaf of the target: neither is looked into.
func (b *Builder) summands(s summand, shape Shape, uses []int, out *[]summand) {
	n := b.nodes[s.x]
	from := func(x ID, sign float64) {
		b.summands(summand{x: x, by: s.by, sign: s.sign * sign, zeros: s.zeros}, shape, uses, out)
	}
	times := func(x, by ID) {
		b.summands(summand{x: x, by: append(slices.Clone(s.by), by), sign: s.sign,
			zeros: s.zeros || n.op == opTimes}, shape, uses, out)
	}
	switch {
	case !n.shape.equal(shape) || uses[s.x] > 1 || b.isOutput(s.x):
		*out = append(*out, s)
	case n.op == opAdd || n.op == opAddN:
		for _, x := range n.in {
			from(x, 1)
		}
	case n.op == opSub:
		from(n.in[0], 1)
		from(n.in[1], -1)
	case n.op == opNeg:
		from(n.in[0], -1)
	case n.op == opMul && b.finite(n.in[0]):
		times(n.in[1], n.in[0])
	case (n.op == opMul || n.op == opTimes) && b.finite(n.in[1]):
		times(n.in[0], n.in[1])
	default:
		*out = append(*out, s)
	}
}

// alike puts the rows of a value together that have the same data, where an average set has many. Very few
// sets are left: operations on so few numbers are other ones, which have no value at some limits.
func (b *Builder) alike(x ID, shape Shape) *groups {
	n := &b.nodes[x]
	if b.eachRow || len(shape) != 1 || n.kind == constant || !n.shape.equal(shape) {
		return nil
	}
	columns, ok := b.rowData(shape, x)
	if !ok {
		return nil
	}
	if g := groupsOf(columns, shape[0], shape[0]/longRuns); g != nil && len(g.first) > fewRows {
		return g
	}
	return nil
}

func (b *Builder) isOutput(id ID) bool {
	return slices.ContainsFunc(b.outputs, func(o port) bool { return o.id == id })
}

// finite reports whether a node is constant, with finite values alone. The number 0 is not taken for one:
// what it multiplies is there to be NaN outside its domain.
func (b *Builder) finite(id ID) bool {
	v, one := b.scalarValue(id)
	return !(one && v == 0) && b.numbers(id)
}

// numbers reports whether a node is constant, with finite values alone.
func (b *Builder) numbers(id ID) bool {
	n := &b.nodes[id]
	return n.kind == constant && !slices.ContainsFunc(n.values, func(x float64) bool { return x-x != 0 })
}

// sparse reports whether three of four values of a constant are 0.
func (b *Builder) sparse(id ID) bool {
	values, zeros := b.nodes[id].values, 0
	for _, w := range values {
		if w == 0 {
			zeros++
		}
	}
	return zeros > 0 && 4*zeros >= 3*len(values)
}

// weights are those of a summand for each element of a shape.
func (b *Builder) weights(s summand, shape Shape) []float64 {
	out := constantOf(shape.Len(), 1)
	for _, by := range s.by {
		n := &b.nodes[by]
		link := broadcastLink(n.shape, shape)
		for i := range out {
			out[i] *= n.values[link.element(i, shape.rows())]
		}
	}
	return out
}

// weighed is a node whose elements have the sum of a summand.
func (b *Builder) weighed(s summand, shape Shape) ID {
	n := b.nodes[s.x]
	if s.alike != nil {
		sums := make([]float64, len(s.alike.first))
		for row, w := range b.weights(s, shape) {
			sums[s.alike.at(row)] += w
		}
		return b.product(s, b.Const("", Shape{len(sums)}, sums), b.pickAll([]ID{s.x}, s.alike)[0])
	}
	if n.shape.equal(shape) && n.kind != constant {
		if len(s.by) == 0 {
			return s.x
		}
		if slices.ContainsFunc(s.by, b.sparse) {
			return b.few(s)
		}
	}
	sums, link := make([]float64, n.shape.Len()), broadcastLink(n.shape, shape)
	for i, w := range b.weights(s, shape) {
		sums[link.element(i, shape.rows())] += w
	}
	return b.product(s, b.Const("", n.shape, sums), s.x)
}

func (b *Builder) product(s summand, weights, x ID) ID {
	if s.zeros {
		return ID((&expanding{Builder: b}).own(opTimes, def.Value(x), def.Value(weights)))
	}
	return b.must("mul", weights, x)
}

// few is weighed of the elements that have a weight.
func (b *Builder) few(s summand) ID {
	var weights []float64
	var at []int
	for i, w := range b.weights(s, b.nodes[s.x].shape) {
		if w != 0 {
			weights, at = append(weights, w), append(at, i)
		}
	}
	if len(at) == 0 {
		return b.Scalar(0)
	}
	p := picking{b, map[ID]ID{}, b.nodes[s.x].shape, at}
	return b.product(s, b.Const("", Shape{len(at)}, weights), p.of(s.x))
}

// A picking takes some elements of a shape, by their places, of nodes that broadcast to it: what is computed
// element by element is computed for these alone.
type picking struct {
	*Builder
	picked map[ID]ID
	shape  Shape
	at     []int
}

func (p *picking) of(id ID) ID {
	if _, known := p.picked[id]; !known {
		p.picked[id] = p.pick(id)
	}
	return p.picked[id]
}

func (p *picking) pick(id ID) ID {
	n := p.nodes[id]
	switch whole := n.shape.equal(p.shape) && !p.isOutput(id); {
	case len(n.shape) == 0:
		return id
	case whole && n.op == opTranspose:
		turned := make([]int, len(p.at))
		for i, at := range p.at {
			turned[i] = at/n.shape[0] + at%n.shape[0]*n.shape[1]
		}
		other := picking{p.Builder, map[ID]ID{}, Shape{n.shape[1], n.shape[0]}, turned}
		return other.of(n.in[0])
	case whole && len(n.shape) == 1 && n.op == opGather:
		return p.again(&n, append([]ID{n.in[0]}, p.all(n.in[1:])...))
	case whole && n.op == opMatMul && p.nodes[n.in[0]].kind == constant:
		return p.again(&n, []ID{p.rows(n.in[0]), n.in[1]})
	case whole && n.op != nil && n.op.elements:
		return p.again(&n, p.all(n.in))
	}
	return p.gather(id)
}

func (p *picking) all(ids []ID) (out []ID) {
	for _, id := range ids {
		out = append(out, p.of(id))
	}
	return out
}

// again is the operation of a node on other inputs.
func (p *picking) again(n *node, in []ID) ID {
	if n.op == opGather && len(in) == 2 && p.inOrder(in[1], p.nodes[in[0]].shape) {
		return in[0]
	}
	out := node{op: n.op, fn: n.fn, quick: n.quick, attr: n.attr, in: in}
	if err := out.op.infer(p.Builder, &out); err != nil {
		panic("graph: " + err.Error())
	}
	return p.intern(out)
}

// inOrder reports whether an index takes each element of a table of a shape in turn.
func (p *picking) inOrder(index ID, of Shape) bool {
	values := p.nodes[index].values
	for i, v := range values {
		if v != float64(i+1) {
			return false
		}
	}
	return len(of) == 1 && len(values) == of[0]
}

// rows takes rows of a constant matrix.
func (p *picking) rows(id ID) ID {
	n := p.nodes[id]
	n.shape = Shape{len(p.at), n.shape[1]}
	n.values = nil
	for j := range n.shape[1] {
		for _, i := range p.at {
			n.values = append(n.values, p.nodes[id].values[j*p.shape[0]+i])
		}
	}
	return p.push(n)
}

// gather takes the elements of a node as it is.
func (p *picking) gather(id ID) ID {
	shape := p.nodes[id].shape
	link := broadcastLink(shape, p.shape)
	codes := make([][]float64, len(shape))
	values := make([]float64, len(p.at))
	for i, at := range p.at {
		place := link.element(at, p.shape.rows())
		if p.nodes[id].kind == constant {
			values[i] = p.nodes[id].values[place]
		}
		for axis, size := range shape {
			codes[axis] = append(codes[axis], float64(place%size+1))
			place /= size
		}
	}
	if p.nodes[id].kind == constant {
		return p.Const("", Shape{len(values)}, values)
	}
	in := []ID{id}
	for _, c := range codes {
		in = append(in, p.Const("", Shape{len(c)}, c))
	}
	return p.must("gather", in...)
}
