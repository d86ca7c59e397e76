package graph

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// The operations on the order of elements: without gradient, since they jump.
var (
	opSort = &op{
		name: "sort", doc: "the elements of a vector in ascending order; no gradient", least: 1, most: 1,
		infer: vectorWhole,
		forward: func(c *call) {
			copy(c.out.val.buf, c.in[0].val.buf)
			slices.Sort(c.out.val.buf)
		},
	}
	opRank = &op{
		name:  "rank",
		doc:   "one more than the number of smaller elements, of each element of a vector; no gradient",
		least: 1, most: 1,
		infer: vectorWhole,
		forward: func(c *call) {
			x := c.in[0].val.buf
			sorted := slices.Sorted(slices.Values(x))
			for i, v := range x {
				c.out.val.buf[i] = float64(1 + sort.SearchFloat64s(sorted, v))
			}
		},
	}
	opQuantile = &op{
		name: "quantile",
		doc: "quantiles of all elements of the first input, linear between " +
			"neighbours in order; no gradient",
		least: 2, most: 2,
		infer: func(b *Builder, n *node) error {
			if b.nodes[n.in[0]].shape.Len() == 0 {
				return fmt.Errorf("quantile: there are no elements")
			}
			n.whole(b.nodes[n.in[1]].shape)
			return nil
		},
		forward: func(c *call) {
			sorted := slices.Sorted(slices.Values(c.in[0].val.buf))
			for i, p := range c.in[1].val.buf {
				c.out.val.buf[i] = quantile(sorted, p)
			}
		},
	}
)

func vectorWhole(b *Builder, n *node) error {
	s := b.nodes[n.in[0]].shape
	if len(s) != 1 {
		return fmt.Errorf("takes a vector, got shape %v", s)
	}
	n.whole(s)
	return nil
}

// quantile is R's type 7; NaN for p outside 0 to 1.
func quantile(sorted []float64, p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	at := float64(p * float64(len(sorted)-1))
	k := min(int(at), len(sorted)-1)
	if k == len(sorted)-1 {
		return sorted[k]
	}
	return sorted[k] + float64((at-float64(k))*(sorted[k+1]-sorted[k]))
}
