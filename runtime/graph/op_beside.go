package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

// opBeside has the elements of its inputs in their order.
var opBeside = &op{
	name: "beside", doc: "joins vectors and matrices of as many rows along the second axis", least: 1,
	infer: func(b *Builder, n *node) error {
		rows, cols := b.nodes[n.in[0]].shape.rows(), 0
		for _, id := range n.in {
			s := b.nodes[id].shape
			if len(s) < 1 || len(s) > 2 || s.rows() != rows {
				return fmt.Errorf("shape %v does not stand beside %d rows", s, rows)
			}
			cols += s.cols()
		}
		n.whole(Shape{rows, cols})
		return nil
	},
	forward: func(c *call) {
		c.beside(func(out, k, n int) { copy(c.out.val.buf[out:], c.in[k].val.buf) })
	},
	vjp: func(c *call) {
		c.beside(func(out, k, n int) {
			if c.wants(k) {
				vector.Accumulate(n, c.in[k].adj.buf, c.out.adj.buf[out:])
			}
		})
	},
	degree: highest,
}

// beside visits the inputs of a matrix joined along its columns: offset in the output, input, and length.
func (c *call) beside(visit func(out, k, n int)) {
	at := 0
	for k := range c.in {
		n := len(c.in[k].val.buf)
		visit(at, k, n)
		at += n
	}
}

// columnsBeside is the transpose of matrices that were joined along the first axis, transposed themselves so
// that columns stand beside each other: nothing is transposed then.
func (b *Builder) columnsBeside(joined ID) (ID, bool) {
	n := &b.nodes[joined]
	if n.op != opAppend || b.plain || len(n.shape) != 2 {
		return NoID, false
	}
	parts, ok := b.transposes(nil, n.in)
	if !ok {
		return NoID, false
	}
	vectors := true
	for _, id := range parts {
		vectors = vectors && len(b.nodes[id].shape) == 1
	}
	if !vectors {
		return b.must2("beside", parts...)
	}
	id, err := b.Apply("reshape", Attr{Shape: Shape{n.shape[1], n.shape[0]}}, b.must("append", parts...))
	return id, err == nil
}

// transposes appends the transposes of some matrices, vectors for those of one row, where they take no
// operation.
func (b *Builder) transposes(parts, in []ID) ([]ID, bool) {
	ok := true
	for _, id := range in {
		switch n := &b.nodes[id]; {
		case n.op == opTranspose, n.op == opRow && len(n.shape) == 2:
			parts = append(parts, n.in[0])
		case n.kind == constant && n.shape[0] == 1:
			parts = append(parts, b.Const(n.name, n.shape[1:], n.values))
		case n.kind == constant:
			parts = append(parts, b.must("transpose", id))
		case n.op == opAppend:
			parts, ok = b.transposes(parts, n.in)
		default:
			return nil, false
		}
		if !ok {
			return nil, false
		}
	}
	return parts, true
}
