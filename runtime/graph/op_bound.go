package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// opBound adds -Inf to the target where an element lies beyond a bound, and else nothing: below it where its
// power is 1, above it where it is -1.
var opBound = &op{
	name: "bound", doc: "-Inf added to the target unless every element is inside a bound", least: 2, most: 2,
	infer: inferDensity,
	forward: func(c *call) {
		for j := range c.width {
			x, bound, beyond := c.spread(0, j, 0), c.spread(1, j, 1), c.scratch[2]
			if c.node.power < 0 {
				x, bound = bound, x
			}
			vector.Sub(c.n, beyond, bound, x)
			vector.Relu(c.n, beyond, beyond)
			if vector.Sum(c.n, beyond) != 0 { // or NaN
				*c.sum += math.Inf(-1)
			}
		}
	},
	vjp:  func(*call) {},
	flat: func(int) bool { return true }, // it does not depend on how far inside
}
