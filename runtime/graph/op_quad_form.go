package graph

import "fmt"

var opQuadForm = &op{
	name: "quad_form", doc: "bᵀ A b", least: 2, most: 2,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		a, s := b.nodes[in[0]].shape, b.nodes[in[1]].shape
		if err := square(a); err != nil {
			return NoID, fmt.Errorf("quad_form: %w", err)
		}
		if len(s) == 0 || len(s) > 2 || s[0] != a[0] {
			return NoID, fmt.Errorf("quad_form: shapes %v and %v do not multiply", a, s)
		}
		product := b.must("matmul", in...)
		if len(s) == 1 {
			return b.must("dot", in[1], product), nil
		}
		return b.must("matmul", b.must("transpose", in[1]), product), nil
	},
}
