package graph

import "fmt"

var opColMeans = &op{
	name: "col_means", doc: "the mean of each column of a matrix", least: 1, most: 1,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		sums, err := b.Apply("col_sums", Attr{}, in...)
		if err != nil {
			return NoID, fmt.Errorf("col_means: %w", err)
		}
		return b.Apply("div", Attr{}, sums, b.Scalar(float64(b.Shape(in[0]).rows())))
	},
}
