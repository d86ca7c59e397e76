package graph

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/runtime/vector"
)

var opGather = &op{
	name: "gather",
	doc: "table[i] for a constant vector i of positions 1, 2, …: one element of a vector, or one row of a " +
		"matrix, per position; table[i, j] with two vectors is one entry per pair", least: 2, most: 4,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		if len(n.in)-1 > len(s) {
			return fmt.Errorf("%d indices on a table of shape %v", len(n.in)-1, s)
		}
		if err := gatherIndex(b, n, s); err != nil {
			return err
		}
		n.rowwise(append(Shape{len(n.index)}, s[len(n.in)-1:]...))
		n.links = make([]link, len(n.in))
		return nil
	},
	forward: func(c *call) {
		table, size := c.in[0].val.buf, c.tableColumn()
		for j := range c.width {
			vector.Gather(c.n, c.y(j), table[j*size:], c.node.index[c.row:])
		}
	},
	vjp: func(c *call) {
		table, size := c.in[0].adj.buf, c.tableColumn()
		for j := range c.width {
			vector.ScatterAdd(c.n, table[j*size:], c.node.index[c.row:], c.dy(j))
		}
	},
	flat:   func(k int) bool { return k > 0 },
	degree: func(in []degree) degree { return in[0] },
}

// tableColumn is the number of table elements per column of the result.
func (c *call) tableColumn() int { return len(c.in[0].val.buf) / max(c.width, 1) }

// gathered is what several lookups in one table are when they are joined: one lookup at all their positions.
func (b *Builder) gathered(o *op, in []ID) (ID, bool) {
	if o != opAppend || b.plain || len(in) < 2 {
		return NoID, false
	}
	first := b.nodes[in[0]].in
	if slices.ContainsFunc(in, func(id ID) bool {
		n := &b.nodes[id]
		return n.op != opGather || len(n.in) != len(first) || n.in[0] != first[0]
	}) {
		return NoID, false
	}
	return b.share(fmt.Sprint("joined lookups ", in), func() ID {
		lookup := []ID{first[0]}
		for k := range first[1:] {
			var at []float64
			for _, id := range in {
				at = append(at, b.nodes[b.nodes[id].in[k+1]].values...)
			}
			lookup = append(lookup, b.Const("", Shape{len(at)}, at))
		}
		return b.must("gather", lookup...)
	}), true
}

// gatherIndex turns the index inputs into 0-based positions within the indexed leading axes of the table.
func gatherIndex(b *Builder, n *node, table Shape) error {
	stride := 1
	for axis, id := range n.in[1:] {
		index := b.nodes[id]
		if index.kind != constant || len(index.shape) != 1 {
			return fmt.Errorf("index %d must be a constant vector", axis+1)
		}
		if n.index == nil {
			n.index = make([]int32, len(index.values))
		}
		if len(index.values) != len(n.index) {
			return fmt.Errorf("index vectors of lengths %d and %d", len(n.index), len(index.values))
		}
		for i, v := range index.values {
			k := int(v)
			if float64(k) != v || k < 1 || k > table[axis] {
				return fmt.Errorf("index %g in row %d, where the table has 1 to %d", v, i+1, table[axis])
			}
			n.index[i] += int32((k - 1) * stride)
		}
		stride *= table[axis]
	}
	return nil
}
