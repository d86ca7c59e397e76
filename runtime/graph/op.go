package graph

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// An op is one operation, declared in one file: its shape, how it runs over a block of rows, and its reverse
// over a block.
type op struct {
	name  string
	doc   string
	least int // inputs
	most  int // 0: any number
	// expand, where set, replaces the operation by others; the fields below are then not used.
	expand func(b *Builder, attr Attr, in []ID) (ID, error)
	// infer checks the inputs and fills kind, shape, links, frame and width of n (in and attr are set).
	infer func(b *Builder, n *node) error
	// forward sets (rowwise, global) or accumulates (reduction) the output for the rows of the call. For a
	// global node that is all rows.
	forward func(c *call)
	// begin and end, where set, run before the first and after the last block of a pass.
	begin, end func(c *call)
	// vjp adds to the adjoint of every input whose adjoint is wanted. nil: the operation has no gradient.
	vjp func(c *call)
	// keeps reports that vjp reads what forward has left in its own memory.
	keeps bool
	// needs names the values that vjp reads for the adjoint of input k; nil: none.
	needs func(k int) need
	// flat reports that the value does not depend differentiably on input k; nil: it does on every input.
	flat func(k int) bool
	// passes reports that the adjoint of row-aligned input k equals the output's; nil: of no input.
	passes func(k int) bool
	// elements reports that each element (of a term: each summand) depends on the same element of every input
	// only, and likewise in reverse: inputs of one shape whose columns follow each other in memory are then
	// computed as one column.
	elements bool
	// degree of the value in x from those of the inputs; nil: curved unless all are free.
	degree func(in []degree) degree
}

// A need is a set of values: bit k for input k, and the output's.
type need uint32

const output need = 1 << 31

func inputs(ks ...int) need {
	var m need
	for _, k := range ks {
		m |= 1 << k
	}
	return m
}

// ops lists every operation but the elementwise functions of the standard library.
var ops = []*op{
	opAdd, opSub, opMul, opDiv, opPow, opNeg, opAddN,
	opEq, opNe, opLt, opLe, opGt, opGe, opAnd, opOr, opNot, opWhere,
	opMatMul, opTranspose, opSum, opMean, opSD, opDot, opRowDot, opCol, opRow, opColSums, opColMeans,
	opCumulativeSum, opCumulativeMax,
	opSlice, opGather, opAppend, opBeside, opFill, opReshape,
	opMax, opMin, opSort, opRank, opQuantile, opLogSumExp, opSoftmax, opLogSoftmax, opRowSums, opRowMeans,
	opSumBy, opMeanBy, opMaxBy, opMinBy, opLogSumExpBy, opRowMax, opRowMin, opColMax, opColMin,
	opOuter, opLogMix, opPi,
	opCholesky, opSolve, opDiag, opRep, opQuadForm, opGPExpQuad, opGPMatern32, opGPMatern52,
	opHMM, opHMMStates,
}

func (o *op) differentiable(k int) bool { return o.vjp != nil && (o.flat == nil || !o.flat(k)) }

func (o *op) checkArity(n int) error {
	if n < o.least || (o.most > 0 && n > o.most) {
		return fmt.Errorf("takes %d inputs, got %d", o.least, n)
	}
	return nil
}

// combine returns the degree of a node, given those of its inputs.
func (o *op) combine(in []degree) degree {
	if o.degree != nil {
		return o.degree(in)
	}
	if highest(in) == free {
		return free
	}
	return curved
}

// highest is the degree of a linear combination.
func highest(in []degree) degree {
	d := free
	for _, e := range in {
		d = max(d, e)
	}
	return d
}

// bilinear is the degree of a product.
func bilinear(in []degree) degree {
	if in[0] == free {
		return in[1]
	}
	if in[1] == free {
		return in[0]
	}
	return curved
}

// elementwise is the infer function of operations over broadcast inputs.
func elementwise(b *Builder, n *node) error {
	shape := b.nodes[n.in[0]].shape
	for _, id := range n.in[1:] {
		var err error
		if shape, err = broadcast(shape, b.nodes[id].shape); err != nil {
			return err
		}
	}
	n.rowwise(shape)
	for _, id := range n.in {
		n.links = append(n.links, broadcastLink(b.nodes[id].shape, shape))
	}
	return nil
}

// rowwise makes n a node of a row loop with one loop column per column of its shape.
func (n *node) rowwise(shape Shape) {
	n.kind, n.shape, n.frame, n.width = rowwise, shape, shape.rows(), shape.cols()
}

// whole makes n a global node, computed at once from whole inputs.
func (n *node) whole(shape Shape) {
	n.kind, n.shape, n.frame, n.width = global, shape, shape.rows(), shape.cols()
	n.links = make([]link, len(n.in))
}

// give adds t, one element per row, to the adjoint of operand k for column j.
func (c *call) give(k, j int, t []float64) {
	switch o := &c.in[k]; {
	case !o.rows:
		*c.dnum(k, j) += vector.Sum(c.n, t)
	case o.set:
		copy(c.dvec(k, j)[:c.n], t)
	default:
		vector.Accumulate(c.n, c.dvec(k, j), t)
	}
}

// giveScaled is give for s·t.
func (c *call) giveScaled(k, j int, s float64, t []float64) {
	switch o := &c.in[k]; {
	case !o.rows && c.n == 1:
		*c.dnum(k, j) += float64(s * t[0])
	case !o.rows:
		*c.dnum(k, j) += float64(s * vector.Sum(c.n, t))
	case c.n == 1 && o.set:
		c.dvec(k, j)[0] = s * t[0]
	case c.n == 1:
		d := &c.dvec(k, j)[0]
		*d = math.FMA(s, t[0], *d)
	case o.set:
		vector.Scale(c.n, c.dvec(k, j), t, s)
	default:
		vector.Axpy(c.n, c.dvec(k, j), s, t)
	}
}

// giveProduct is give for t times the value of operand o.
func (c *call) giveProduct(k, j int, t []float64, o int) {
	switch {
	case !c.in[o].rows:
		c.giveScaled(k, j, c.num(o, j), t)
	case !c.in[k].rows:
		*c.dnum(k, j) += vector.Dot(c.n, t, c.vec(o, j))
	case c.in[k].set:
		vector.Mul(c.n, c.dvec(k, j), t, c.vec(o, j))
	default:
		vector.MulAdd(c.n, c.dvec(k, j), t, c.vec(o, j))
	}
}

// giveConstant is give for the number s in every row, to a row-aligned operand.
func (c *call) giveConstant(k, j int, s float64) {
	if c.in[k].set {
		vector.Fill(c.n, c.dvec(k, j), s)
		return
	}
	vector.Shift(c.n, c.dvec(k, j), s)
}

// sumInto returns the adjoint of row-aligned operand k for column j, cleared first if this is its first
// contribution.
func (c *call) sumInto(k, j int) []float64 {
	d := c.dvec(k, j)[:c.n]
	if c.in[k].set {
		clear(d)
	}
	return d
}

// spread is operand k for column j as one element per row, in scratch vector s if it is constant along the
// rows.
func (c *call) spread(k, j, s int) []float64 {
	if c.in[k].rows {
		return c.vec(k, j)
	}
	vector.Fill(c.n, c.scratch[s], c.num(k, j))
	return c.scratch[s]
}

// binary runs an operation of two operands, at least one of them row-aligned, column by column.
func (c *call) binary(vv func(n int, y, a, b []float64), vs func(n int, y, a []float64, s float64),
	sv func(n int, y []float64, s float64, b []float64)) {
	for j := range c.width {
		switch {
		case !c.in[1].rows:
			vs(c.n, c.y(j), c.vec(0, j), c.num(1, j))
		case !c.in[0].rows:
			sv(c.n, c.y(j), c.num(0, j), c.vec(1, j))
		default:
			vv(c.n, c.y(j), c.vec(0, j), c.vec(1, j))
		}
	}
}
