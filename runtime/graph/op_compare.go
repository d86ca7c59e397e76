package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

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

// comparedSingly is how many numbers cost less to compare one by one than by calls of vector functions.
const comparedSingly = 16

// less is a < b, where b - a is above 0: a difference of two numbers is 0 only if they are equal.
func less(y, a, b []float64) {
	if len(y) > comparedSingly {
		for from := 0; from < len(y); from += len(ones) {
			n := min(len(ones), len(y)-from)
			vector.Sub(n, y[from:], b[from:], a[from:])
			vector.ReluBack(n, y[from:], ones[:], y[from:])
		}
		return
	}
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = truth(a[i] < b[i])
	}
}

var ones = [largestBlock]float64(constantOf(largestBlock, 1))

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
func truth(b bool) float64 { return math.Float64frombits(-bit(b) & 0x3ff0000000000000) }

// either is 1 where a or b holds, without a branch.
func either(a, b bool) float64 { return math.Float64frombits(-(bit(a) | bit(b)) & 0x3ff0000000000000) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
