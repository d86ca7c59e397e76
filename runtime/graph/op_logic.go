package graph

// The connectives: an input is true where it is not zero. No gradient.
var (
	opAnd = comparison("and", "a && b", func(y, a, b []float64) {
		for i := range y {
			y[i] = truth(a[i] != 0 && b[i] != 0)
		}
	})
	opOr = comparison("or", "a || b", func(y, a, b []float64) {
		for i := range y {
			y[i] = truth(a[i] != 0 || b[i] != 0)
		}
	})
	opNot = &op{
		name: "not", doc: "!a: 1 where a is 0, else 0; no gradient", least: 1, most: 1,
		elements: true,
		infer:    elementwise,
		forward: func(c *call) {
			for j := range c.width {
				y, a := c.y(j), c.vec(0, j)
				for i := range c.n {
					y[i] = truth(a[i] == 0)
				}
			}
		},
	}
)
