package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// TestElementsAgree compares the elements of a density that are written as operations with the log density of the descriptor, row by row, for every use of
// every distribution.
func TestElementsAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		drawn := c.draw(uint64(i))
		b := graph.New("elements")
		ids := make([]graph.ID, len(drawn.args))
		for k, a := range drawn.args {
			ids[k] = a.build(t, b, fmt.Sprint("a", k))
		}
		weights := graph.NoID
		if c.weighted {
			weights = b.Const("weights", shape{c.n}, drawn.weights)
		}
		for name, add := range map[string]func() (graph.ID, error){
			"vectors": func() (graph.ID, error) { return b.LogDensityByVectors(c.d, ids[0], ids[1:], weights) },
			"rows":    func() (graph.ID, error) { return b.LogDensity(c.d, ids[0], ids[1:], weights) },
		} {
			id, err := add()
			if err != nil && c.d.Carrier != nil && c.x != constants {
				return // a carrier needs data
			}
			if err != nil {
				t.Fatalf("%v, %s: %v", c, name, err)
			}
			b.Report(name, id)
		}
		e := build(t, b).NewExec()
		e.Forward(drawn.at())
		for k := range 2 {
			got := e.Report(k)
			for row := range c.n {
				one, size := drawn.element(row)
				if !(math.Abs(got[row]-one) <= 1e-12*max(1, size)) {
					t.Errorf("%v, report %d, row %d: %v, want %v", c, k, row, got[row], one)
					return
				}
			}
		}
	})
}

// element is the weighted log density of one row, and the sum of the absolute values of its parts.
func (c *drawnCase) element(row int) (value, size float64) {
	one := &drawnCase{densityCase: c.densityCase, power: 1, weights: c.weights[row : row+1]}
	one.n = 1
	for _, a := range c.args {
		one.args = append(one.args, argument{v: a.v[row : row+1]})
	}
	grad, sizes := one.want()
	return grad[0], sizes[0]
}
