package graph

var opMean = &op{
	name: "mean", doc: "the mean of all elements: sum/number", least: 1, most: 1,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		sum, err := b.Apply("sum", Attr{}, in...)
		if err != nil {
			return NoID, err
		}
		return b.Apply("div", Attr{}, sum, b.Scalar(float64(b.Shape(in[0]).Len())))
	},
}
