package graph

import (
	"fmt"
	"math"
)

// Operations that others make up.

var opRowSums = &op{
	name: "row_sums", doc: "the sum of each row of a matrix: its product with ones", least: 1, most: 1,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		s := b.Shape(in[0])
		if len(s) != 2 {
			return NoID, fmt.Errorf("row_sums: takes a matrix, got shape %v", s)
		}
		ones := make([]float64, s[1])
		for i := range ones {
			ones[i] = 1
		}
		return b.Apply("matmul", Attr{}, in[0], b.Const("ones", Shape{s[1]}, ones))
	},
}

var opRowMeans = &op{
	name: "row_means", doc: "the mean of each row of a matrix", least: 1, most: 1,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		sums, err := b.Apply("row_sums", Attr{}, in...)
		if err != nil {
			return NoID, fmt.Errorf("row_means: %w", err)
		}
		return b.Apply("div", Attr{}, sums, b.Scalar(float64(b.Shape(in[0])[1])))
	},
}

var opOuter = &op{
	name: "outer", doc: "the outer product of two vectors", least: 2, most: 2,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		if len(b.Shape(in[1])) != 1 {
			return NoID, fmt.Errorf("outer: takes two vectors, got shapes %v and %v", b.Shape(in[0]),
				b.Shape(in[1]))
		}
		u, err := b.Apply("col", Attr{}, in[0])
		if err != nil {
			return NoID, fmt.Errorf("outer: %w", err)
		}
		return b.Apply("mul", Attr{}, u, in[1])
	},
}

var opLogMix = &op{
	name: "log_mix", doc: "log(p·exp(a) + (1-p)·exp(b)), elementwise, broadcast", least: 3, most: 3,
	expand: func(b *Builder, _ Attr, in []ID) (ID, error) {
		share, rest := "log", "log1m"
		p, known := b.argument(in[0], "inv_logit")
		if known && !b.plain { // a share that rounds to 0 or 1 has a logarithm by its odds
			share, rest = "log_inv_logit", "log1m_inv_logit"
		} else {
			p = in[0]
		}
		first, err := b.Apply("add", Attr{}, b.must(share, p), in[1])
		if err != nil {
			return NoID, fmt.Errorf("log_mix: %w", err)
		}
		second, err := b.Apply("add", Attr{}, b.must(rest, p), in[2])
		if err != nil {
			return NoID, fmt.Errorf("log_mix: %w", err)
		}
		return b.Apply("log_sum_exp", Attr{}, first, second)
	},
}

var opPi = &op{
	name: "pi", doc: "π",
	expand: func(b *Builder, _ Attr, _ []ID) (ID, error) { return b.Scalar(math.Pi), nil },
}
