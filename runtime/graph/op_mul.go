package graph

import "github.com/vflc/vflc/runtime/vector"

var opMul = &op{
	name: "mul", doc: "a·b, elementwise, broadcast", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward:  func(c *call) { c.binary(vector.Mul, vector.Scale, scaleBy) },
	vjp: func(c *call) {
		for k := range 2 {
			for j := 0; c.wants(k) && j < c.width; j++ {
				c.giveProduct(k, j, c.dy(j), 1-k)
			}
		}
	},
	needs:  func(k int) need { return inputs(1 - k) },
	degree: bilinear,
}

func scaleBy(n int, y []float64, s float64, b []float64) { vector.Scale(n, y, b, s) }
