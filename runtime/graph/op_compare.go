package graph

// The comparisons: 1 where true, 0 where false, without gradient.
var (
	opEq = comparison("eq", "a == b", func(a, b float64) bool { return a == b })
	opNe = comparison("ne", "a != b", func(a, b float64) bool { return a != b })
	opLt = comparison("lt", "a < b", func(a, b float64) bool { return a < b })
	opLe = comparison("le", "a <= b", func(a, b float64) bool { return a <= b })
	opGt = comparison("gt", "a > b", func(a, b float64) bool { return a > b })
	opGe = comparison("ge", "a >= b", func(a, b float64) bool { return a >= b })
)

// comparison is an operation of two broadcast inputs that gives 0 or 1.
func comparison(name, doc string, holds func(a, b float64) bool) *op {
	return &op{
		name: name, doc: doc + ": 1 where it holds, else 0; no gradient", least: 2, most: 2,
		infer: elementwise,
		forward: func(c *call) {
			for j := range c.width {
				y, a, b := c.y(j), c.spread(0, j, 0), c.spread(1, j, 1)
				for i := range c.n {
					y[i] = truth(holds(a[i], b[i]))
				}
			}
		},
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
