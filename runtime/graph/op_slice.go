package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

var opSlice = &op{
	name: "slice",
	doc: "a range of each axis, or one index of it. Computed row by row where the leading axis is " +
		"kept whole, else at once", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		s := b.nodes[n.in[0]].shape
		cut, err := completeSlices(n.attr.Slices, s)
		if err != nil {
			return err
		}
		n.attr.Slices = cut
		shape := Shape{}
		for _, c := range cut {
			if !c.Drop {
				shape = append(shape, c.Hi-c.Lo)
			}
		}
		if lead := cut[0]; !lead.Drop && lead.Lo == 0 && lead.Hi == s[0] {
			n.rowwise(shape)
			n.links = []link{{rows: true, cols: slicedColumns(cut, s)}}
			return nil
		}
		n.whole(shape)
		n.frame = s[0]
		n.links[0].cols = slicedColumns(cut, s)
		return nil
	},
	forward: func(c *call) {
		if c.node.kind == rowwise {
			copyColumns(c)
			return
		}
		lo, rows, from := c.slicedRows()
		for j, col := range c.in[0].cols {
			copy(c.out.val.buf[j*rows:][:rows], c.in[0].val.buf[int(col)*from+lo:])
		}
	},
	vjp: func(c *call) {
		if c.node.kind == rowwise {
			giveColumns(c)
			return
		}
		lo, rows, from := c.slicedRows()
		for j, col := range c.in[0].cols {
			vector.Accumulate(rows, c.in[0].adj.buf[int(col)*from+lo:], c.out.adj.buf[j*rows:])
		}
	},
	degree: highest,
}

// slicedRows returns the first row that is kept, the number of kept rows, and the number of rows of the
// source.
func (c *call) slicedRows() (lo, rows, from int) {
	lead := c.node.attr.Slices[0]
	return lead.Lo, lead.Hi - lead.Lo, c.node.frame
}

// completeSlices checks slices against a shape and fills in axes that are kept whole.
func completeSlices(cut []Slice, s Shape) ([]Slice, error) {
	if len(s) == 0 || len(cut) > len(s) {
		return nil, fmt.Errorf("%d indices on a value of shape %v", len(cut), s)
	}
	full := append([]Slice(nil), cut...)
	for _, d := range s[len(cut):] {
		full = append(full, Slice{Hi: d})
	}
	for i, c := range full {
		if c.Lo < 0 || c.Lo > c.Hi || c.Hi > s[i] || (c.Drop && c.Hi != c.Lo+1) {
			return nil, fmt.Errorf("index %d to %d of axis %d, whose length is %d", c.Lo+1, c.Hi, i+1, s[i])
		}
	}
	return full, nil
}

// slicedColumns lists the columns of shape s that are kept, in order.
func slicedColumns(cut []Slice, s Shape) []int32 {
	cols, stride := []int32{0}, 1
	for axis := 1; axis < len(s); axis++ {
		next := make([]int32, 0, len(cols)*(cut[axis].Hi-cut[axis].Lo))
		for i := cut[axis].Lo; i < cut[axis].Hi; i++ {
			for _, c := range cols {
				next = append(next, c+int32(i*stride))
			}
		}
		cols, stride = next, stride*s[axis]
	}
	return cols
}
