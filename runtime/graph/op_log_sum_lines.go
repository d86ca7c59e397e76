package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/vector"
)

// opLogSumLines is log Σ exp of lines, element by element: of column k of c plus d_k·x.
var opLogSumLines = &op{
	name: "log_sum_exp of lines", doc: "log Σ_k exp(c_k + d_k·x), elementwise, for data c and d", least: 3,
	most: 3,
	infer: func(b *Builder, n *node) error {
		n.rowwise(b.nodes[n.in[2]].shape)
		n.links = []link{{rows: true}, {}, {rows: true}}
		return nil
	},
	forward: func(c *call) { c.logSum(c.y(0)[:c.n], len(c.in[1].val.buf), c.line) },
	vjp: func(c *call) {
		n, t, slope := c.n, c.scratch[0], c.scratch[1]
		clear(slope[:n])
		for k, d := range c.in[1].val.buf {
			vector.Sub(n, t, c.line(k), c.y(0))
			vector.Exp(n, t, t)
			vector.Axpy(n, slope, d, t)
		}
		if c.in[2].set {
			vector.Mul(n, c.dvec(2, 0), slope, c.dy(0))
			return
		}
		vector.MulAdd(n, c.dvec(2, 0), slope, c.dy(0))
	},
	needs: func(int) need { return inputs(0, 1, 2) | output },
	flat:  func(k int) bool { return k != 2 },
}

// line is line k in a scratch vector that logSum leaves alone.
func (c *call) line(k int) []float64 {
	vector.ScaleAdd(c.n, c.scratch[logSumScratch], c.in[1].val.buf[k], c.vec(2, 0), c.vec(0, k))
	return c.scratch[logSumScratch]
}

// fewLines is how many vectors log_sum_exp may add up before it is worth a look whether they are lines.
const fewLines = 4

// lines is log_sum_exp of vectors that differ by data and by multiples of one vector, as the terms of a count
// that is summed out do: what they share is computed once. A vector that is -∞ in every row is left out.
func (b *Builder) lines(in []ID) (ID, bool) {
	vectors := in
	if len(in) == 1 {
		vectors = b.vectorsOf(in[0])
	}
	if b.plain || len(vectors) < fewLines || len(b.nodes[vectors[0]].shape) != 1 {
		return NoID, false
	}
	var forms []*weighing
	reference := -1
	for _, v := range vectors {
		w := newWeighing(b, b.nodes[vectors[0]].shape)
		if !b.nodes[v].shape.equal(w.shape) || !w.add(v, constantOf(w.shape.Len(), 1)) || !w.settle() {
			return NoID, false
		}
		if !slices.Contains(w.off, false) {
			continue
		}
		if reference < 0 && !slices.Contains(w.off, true) {
			reference = len(forms)
		}
		forms = append(forms, w)
	}
	if reference < 0 || len(forms) < fewLines {
		return NoID, false
	}
	l := &lining{Builder: b, forms: forms, slopes: make([]float64, len(forms)), x: NoID, rest: NoID}
	if !l.split(forms[reference]) || l.x == NoID || !b.nodes[l.x].shape.equal(forms[0].shape) {
		return NoID, false
	}
	var c []float64
	for _, w := range forms {
		c = append(c, w.constant...)
	}
	n := node{op: opLogSumLines, in: []ID{
		b.Const("lines", Shape{forms[0].shape[0], len(forms)}, c),
		b.Const("slopes", Shape{len(forms)}, l.slopes), l.x}}
	if err := n.op.infer(b, &n); err != nil {
		return NoID, false
	}
	return b.plus(l.rest, b.intern(n)), true
}

// plus is a sum, of which the first value may be missing.
func (b *Builder) plus(sum, id ID) ID {
	if sum == NoID {
		return id
	}
	return b.must("add", sum, id)
}

// A weighing writes a value as the sum of a constant, of nodes times constants, and of such sums over the
// rows of a matrix.
type weighing struct {
	*Builder
	shape    Shape
	constant []float64
	of       []ID
	by       map[ID][]float64
	sums     *weighing // nil: none
	off      []bool    // rows that are -∞
}

func newWeighing(b *Builder, shape Shape) *weighing {
	return &weighing{Builder: b, shape: shape, constant: make([]float64, shape.Len()), by: map[ID][]float64{}}
}

// add adds a node times constants. What is multiplied by 0 must be finite, and is else left as it is.
func (w *weighing) add(id ID, by []float64) bool {
	n := w.nodes[id]
	scaled := func(with ID) []float64 {
		c, out := &w.nodes[with], slices.Clone(by)
		link := broadcastLink(c.shape, w.shape)
		for i := range out {
			out[i] *= c.values[link.element(i, w.shape.rows())]
		}
		return out
	}
	product := func(x, c ID) bool {
		return w.numbers(c) && (!slices.Contains(w.nodes[c].values, 0) || w.surelyFinite(x))
	}
	switch {
	case n.kind == constant:
		for i, v := range scaled(id) {
			if by[i] != 0 {
				w.constant[i] += v
			}
		}
		return true
	case n.op == opAdd || n.op == opAddN:
		return !slices.ContainsFunc(n.in, func(x ID) bool { return !w.add(x, by) })
	case n.op == opSub:
		return w.add(n.in[0], by) && w.add(n.in[1], negated(by))
	case n.op == opNeg:
		return w.add(n.in[0], negated(by))
	case n.op == opMul && product(n.in[1], n.in[0]):
		return w.add(n.in[1], scaled(n.in[0]))
	case (n.op == opMul || n.op == opTimes) && product(n.in[0], n.in[1]):
		return w.add(n.in[0], scaled(n.in[1]))
	case n.op == opWhere && w.nodes[n.in[0]].kind == constant && w.nodes[n.in[2]].kind == constant &&
		w.surelyFinite(n.in[1]):
		yes, no := scaled(n.in[0]), slices.Clone(by)
		for i, v := range yes {
			if yes[i] = 0; v != 0 {
				yes[i], no[i] = by[i], 0
			}
		}
		return w.add(n.in[1], yes) && w.add(n.in[2], no)
	case n.op == opMatMul && len(n.shape) == 1 && n.shape.equal(w.shape) && w.numbers(n.in[1]):
		return w.addRows(n.in[0], w.nodes[n.in[1]].values, by)
	}
	if w.by[id] == nil {
		w.of, w.by[id] = append(w.of, id), make([]float64, len(by))
	}
	for i, v := range by {
		w.by[id][i] += v
	}
	return true
}

// addRows adds the sums of the rows of a matrix times numbers, one for each column.
func (w *weighing) addRows(matrix ID, columns, by []float64) bool {
	if w.sums == nil {
		w.sums = newWeighing(w.Builder, w.nodes[matrix].shape)
	}
	if !w.nodes[matrix].shape.equal(w.sums.shape) {
		return false
	}
	var each []float64
	for _, c := range columns {
		for _, v := range by {
			each = append(each, c*v)
		}
	}
	return w.sums.add(matrix, each)
}

func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = -v[i]
	}
	return out
}

// surelyFinite reports whether a value is finite wherever parameters are, but for what overflows.
func (b *Builder) surelyFinite(id ID) bool {
	n := &b.nodes[id]
	switch {
	case n.kind == constant:
		return b.numbers(id)
	case n.leaf():
		return true
	case n.fn != nil && n.fn.Domain != "":
		return false
	case n.fn == nil && n.bij == nil && !slices.Contains([]*op{opAdd, opAddN, opSub, opNeg, opMul, opTimes,
		opMatMul, opGather, opSlice, opAppend, opReshape, opTranspose, opCol, opRow}, n.op):
		return false
	case n.op == opGather:
		return b.surelyFinite(n.in[0])
	}
	return !slices.ContainsFunc(n.in, func(x ID) bool { return !b.surelyFinite(x) })
}

// settle adds the sums of rows to the constant, and reports whether that is a number or -∞ in each row.
func (w *weighing) settle() bool {
	if w.sums != nil {
		for i, v := range w.sums.constant {
			w.constant[i%len(w.constant)] += v
		}
	}
	for _, v := range w.constant {
		w.off = append(w.off, math.IsInf(v, -1))
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return false
		}
	}
	return true
}

// A lining takes forms apart into what all have in common, and multiples of one vector x.
type lining struct {
	*Builder
	forms   []*weighing
	slopes  []float64
	x, rest ID
}

// split divides the forms; in a reference, no row is off.
func (l *lining) split(reference *weighing) bool {
	get := func(w *weighing) *weighing { return w }
	x, rest, ok := l.parts(reference, get)
	if !ok {
		return false
	}
	l.x, l.rest = x, rest
	for _, w := range l.forms {
		if reference.sums == nil && w.sums != nil {
			return false
		}
	}
	if reference.sums == nil {
		return true
	}
	if x, rest, ok = l.parts(reference.sums, func(w *weighing) *weighing { return w.sums }); !ok {
		return false
	}
	for _, part := range []struct {
		to  *ID
		sum ID
	}{{&l.x, x}, {&l.rest, rest}} {
		if part.sum == NoID {
			continue
		}
		if !l.Shape(part.sum).equal(reference.sums.shape) {
			return false
		}
		*part.to = l.plus(*part.to, l.must("row_sums", part.sum))
	}
	return true
}

// parts returns the multiple of x in what get takes from the forms, and what they share.
func (l *lining) parts(reference *weighing, get func(w *weighing) *weighing) (x, rest ID, ok bool) {
	x, rest = NoID, NoID
	var of []ID
	for _, w := range l.forms {
		from := get(w)
		if from == nil || !from.shape.equal(reference.shape) {
			return x, rest, false
		}
		for _, id := range from.of {
			if !slices.Contains(of, id) {
				of = append(of, id)
			}
		}
	}
	for _, id := range of {
		base := reference.by[id]
		if base == nil {
			base = make([]float64, reference.shape.Len())
		}
		slopes := make([]float64, len(l.forms))
		for k, w := range l.forms {
			if slopes[k], ok = difference(get(w).by[id], base, w.off); !ok {
				return x, rest, false
			}
		}
		times, ok := l.multiple(slopes)
		if !ok {
			return x, rest, false
		}
		x = l.weighed(x, id, []float64{times}, reference.shape)
		rest = l.weighed(rest, id, base, reference.shape)
	}
	return x, rest, true
}

// difference is the number by which weights exceed others in all rows that are not off.
func difference(by, base []float64, off []bool) (d float64, ok bool) {
	first := true
	for i, v := range base {
		if off[i%len(off)] {
			continue
		}
		each := -v
		if by != nil {
			each = by[i] - v
		}
		if !first && each != d {
			return 0, false
		}
		d, first = each, false
	}
	return d, true
}

// multiple is the number by which the slopes of x are multiplied to give some slopes. The first that are not
// all 0 are those of x.
func (l *lining) multiple(slopes []float64) (times float64, ok bool) {
	at := slices.IndexFunc(slopes, func(v float64) bool { return v != 0 })
	if at < 0 {
		return 0, true
	}
	if !slices.ContainsFunc(l.slopes, func(v float64) bool { return v != 0 }) {
		l.slopes = slopes
	}
	times = slopes[at] / l.slopes[at]
	for k, v := range slopes {
		if float64(times*l.slopes[k]) != v {
			return 0, false
		}
	}
	return times, true
}

// weighed adds a node times constants, one or one for each element of a shape, to a sum.
func (l *lining) weighed(sum, id ID, by []float64, shape Shape) ID {
	uniform := !slices.ContainsFunc(by, func(v float64) bool { return v != by[0] })
	switch {
	case uniform && by[0] == 0:
		return sum
	case uniform && sum != NoID && by[0] == -1:
		return l.must("sub", sum, id)
	case uniform:
		return l.plus(sum, l.must("mul", l.Scalar(by[0]), id))
	}
	return l.plus(sum, l.must("mul", l.Const("", shape, by), id))
}
