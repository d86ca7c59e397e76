package graph

import "math"

// opBound adds -Inf to the target where an element lies beyond a bound, and else nothing: below it where its
// power is 1, above it where it is -1.
var opBound = &op{
	name: "bound", doc: "-Inf added to the target unless every element is inside a bound", least: 2, most: 2,
	infer: inferDensity,
	forward: func(c *call) {
		for j := range c.width {
			x, bound := c.arg(0, j), c.arg(1, j)
			beyond := false
			for i := range c.n {
				beyond = beyond || !(c.node.power*(x.At(i)-bound.At(i)) >= 0)
			}
			if beyond {
				*c.sum += math.Inf(-1)
			}
		}
	},
	vjp:  func(*call) {},
	flat: func(int) bool { return true }, // it does not depend on how far inside
}
