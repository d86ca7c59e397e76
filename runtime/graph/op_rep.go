package graph

import "fmt"

var opRep = &op{
	name: "rep", doc: "a number at each place of an array, whose sizes are constants", least: 2, most: 3,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		shape := Shape{}
		for _, id := range in[1:] {
			n := &b.nodes[id]
			if n.kind != constant || len(n.shape) != 0 || n.values[0] < 1 {
				return NoID, fmt.Errorf("rep: a size must be a positive constant")
			}
			shape = append(shape, int(n.values[0]))
		}
		if len(b.Shape(in[0])) != 0 {
			return NoID, fmt.Errorf("rep: takes a number, got shape %v", b.Shape(in[0]))
		}
		return b.Apply("add", Attr{}, in[0], b.Const("zeros", shape, make([]float64, shape.Len())))
	},
}
