package graph_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// TestElementsAgree compares the elements of a density that are written as operations with the log density of
// the descriptor, row by row, for every use of every distribution.
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
		for _, add := range []func(*def.Dist, graph.ID, []graph.ID, graph.ID) (graph.ID, error){
			b.LogDensityByVectors, b.LogDensity,
		} {
			id, err := add(c.d, ids[0], ids[1:], weights)
			if err != nil && c.d.Carrier != nil && c.x != constants {
				return // a carrier needs data
			}
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			b.Report("log density", id)
		}
		e := build(t, b).NewExec()
		e.Forward(drawn.at())
		vectors, rows := slices.Clone(e.Report(0)), e.Report(1)
		for row := range c.n {
			one, size := drawn.element(row)
			for k, got := range [][]float64{vectors, rows} {
				if !(math.Abs(got[row]-one) <= 1e-12*max(1, size)) {
					t.Errorf("%v, report %d, row %d: %v, want %v", c, k, row, got[row], one)
					return
				}
			}
		}
	})
}

// TestTailsAgree compares tails that are written as operations with those of the descriptor, row by row, for
// every use of every distribution that has them.
func TestTailsAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		if c.weighted || c.d.LogCDF == nil || c.d.LogCCDF == nil {
			return
		}
		drawn := c.draw(uint64(i))
		b := graph.New("tails")
		ids := make([]graph.ID, len(drawn.args))
		for k, a := range drawn.args {
			ids[k] = a.build(t, b, fmt.Sprint("a", k))
		}
		for _, upper := range []bool{false, true} {
			id, err := b.TailByVectors(upper, c.d, ids[0], ids[1:])
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			b.Report("tail", id)
		}
		e := build(t, b).NewExec()
		e.Forward(drawn.at())
		below, above := slices.Clone(e.Report(0)), e.Report(1)
		for row := range c.n {
			block := def.Batch{N: 1, X: def.Scalar(drawn.args[0].v[row])}
			for _, v := range drawn.row(row) {
				block.Theta = append(block.Theta, def.Scalar(v))
			}
			for k, want := range []float64{c.d.LogCDF(&block), c.d.LogCCDF(&block)} {
				if got := [][]float64{below, above}[k][row]; got != want &&
					!(math.Abs(got-want) <= 1e-11*max(1, math.Abs(want))) {
					t.Errorf("%v, report %d, row %d: %v, want %v", c, k, row, got, want)
					return
				}
			}
		}
	})
}

// element is the weighted log density of one row, and the sum of the absolute values of its parts.
func (c *drawnCase) element(row int) (value, size float64) {
	theta := c.row(row)
	block := def.Batch{N: 1, X: def.Scalar(c.args[0].v[row])}
	for _, v := range theta {
		block.Theta = append(block.Theta, def.Scalar(v))
	}
	value = c.d.LogDensity(&block)
	size = math.Abs(value)
	if c.d.Carrier != nil {
		carrier := c.d.Carrier(c.args[0].v[row], theta)
		value, size = value+carrier, size+math.Abs(carrier)
	}
	if c.weighted {
		value, size = value*c.weights[row], size*c.weights[row]
	}
	return value, size
}
