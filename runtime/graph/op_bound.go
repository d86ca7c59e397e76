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
			if c.beyond(j) {
				*c.sum += math.Inf(-1)
			}
		}
	},
	vjp:  func(*call) {},
	flat: func(int) bool { return true }, // it does not depend on how far inside
}

// beyond reports whether an element of column j is beyond its bound.
func (c *call) beyond(j int) bool {
	if c.n <= comparedSingly {
		x, bound, beyond := c.arg(0, j), c.arg(1, j), false
		for i := range c.n {
			beyond = beyond || !(c.node.power*(x.At(i)-bound.At(i)) >= 0)
		}
		return beyond
	}
	x, bound, over := c.spread(0, j, 0), c.spread(1, j, 1), c.scratch[2]
	if c.node.power < 0 {
		x, bound = bound, x
	}
	vector.Sub(c.n, over, bound, x)
	vector.Relu(c.n, over, over)
	return vector.Sum(c.n, over) != 0 // or NaN
}
