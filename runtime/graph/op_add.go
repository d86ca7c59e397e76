package graph

import "github.com/vflc/vflc/runtime/vector"

var opAdd = &op{
	name: "add", doc: "a + b, broadcast", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward:  func(c *call) { c.binary(vector.Add, vector.AddScalar, addTo) },
	vjp: func(c *call) {
		for k := range c.in {
			for j := 0; c.wants(k) && j < c.width; j++ {
				c.give(k, j, c.dy(j))
			}
		}
	},
	passes: func(int) bool { return true },
	degree: highest,
}

func addTo(n int, y []float64, s float64, b []float64) { vector.AddScalar(n, y, b, s) }
