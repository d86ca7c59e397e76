package graph

import "fmt"

var opFill = &op{
	name: "fill",
	doc: "fill(c, at, v): the constant c with the elements of the vector v at the positions at = 1, 2, …, " +
		"which count the first axis fastest and are different", least: 3, most: 3,
	infer: func(b *Builder, n *node) error {
		base, at, values := b.nodes[n.in[0]], b.nodes[n.in[1]], b.nodes[n.in[2]]
		if base.kind != constant || at.kind != constant || len(at.shape) != 1 ||
			!at.shape.equal(values.shape) {
			return fmt.Errorf("takes a constant, a constant vector of positions and a vector of as many "+
				"values, got the shapes %v, %v and %v", base.shape, at.shape, values.shape)
		}
		filled := map[int32]bool{}
		for _, v := range at.values {
			k := int32(v)
			if float64(k) != v || k < 1 || int(k) > len(base.values) || filled[k] {
				return fmt.Errorf("position %g of %d values, or given twice", v, len(base.values))
			}
			filled[k] = true
			n.index = append(n.index, k-1)
		}
		n.whole(base.shape)
		return nil
	},
	forward: func(c *call) {
		copy(c.out.val.buf, c.in[0].val.buf)
		for i, k := range c.node.index {
			c.out.val.buf[k] = c.in[2].val.buf[i]
		}
	},
	vjp: func(c *call) {
		for i, k := range c.node.index {
			c.in[2].adj.buf[i] += c.out.adj.buf[k]
		}
	},
	flat:   func(k int) bool { return k < 2 },
	degree: func(in []degree) degree { return in[2] },
}
