package graph

import "math"

// The comparisons: 1 where true, 0 where false, without gradient. Their loops have no branches, since those
// of a density that is made of pieces would be mispredicted.
var (
	opEq = comparison("eq", "a == b", func(y, a, b []float64) {
		for i := range y {
			y[i] = truth(a[i] == b[i])
		}
	})
	opNe = comparison("ne", "a != b", func(y, a, b []float64) {
		for i := range y {
			y[i] = truth(a[i] != b[i])
		}
	})
	opLt = comparison("lt", "a < b", less)
	opLe = comparison("le", "a <= b", lessEqual)
	opGt = comparison("gt", "a > b", func(y, a, b []float64) { less(y, b, a) })
	opGe = comparison("ge", "a >= b", func(y, a, b []float64) { lessEqual(y, b, a) })
)

func less(y, a, b []float64) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = truth(a[i] < b[i])
	}
}

func lessEqual(y, a, b []float64) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = truth(a[i] <= b[i])
	}
}

// comparison is an operation of two broadcast inputs that gives 0 or 1.
func comparison(name, doc string, compare func(y, a, b []float64)) *op {
	return &op{
		name: name, doc: doc + ": 1 where it holds, else 0; no gradient", least: 2, most: 2,
		elements: true,
		infer:    elementwise,
		forward: func(c *call) {
			for j := range c.width {
				y, a, b := c.y(j), c.spread(0, j, 0), c.spread(1, j, 1)
				compare(y[:c.n], a[:c.n], b[:c.n])
			}
		},
	}
}

// truth is 1 for true, by its bits.
func truth(b bool) float64 {
	bit := uint64(0)
	if b {
		bit = 1
	}
	return math.Float64frombits(-bit & 0x3ff0000000000000)
}
