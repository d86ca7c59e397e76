package graph

import "fmt"

var opSD = &op{
	name: "sd", doc: "the standard deviation of all elements, divisor number-1, as the root of the sum of " +
		"squared differences from the mean", least: 1, most: 1,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		n := b.Shape(in[0]).Len()
		if n < 2 {
			return NoID, fmt.Errorf("sd: needs at least two elements, got shape %v", b.Shape(in[0]))
		}
		mean, err := b.Apply("mean", Attr{}, in...)
		if err != nil {
			return NoID, err
		}
		d, err := b.Apply("sub", Attr{}, in[0], mean)
		if err != nil {
			return NoID, err
		}
		squares, err := b.Apply("sum", Attr{}, b.must("mul", d, d))
		if err != nil {
			return NoID, err
		}
		return b.Apply("pow", Attr{}, b.must("div", squares, b.Scalar(float64(n-1))), b.Scalar(0.5))
	},
}
