package graph_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/fn"
)

// Every elementwise function of NaN is NaN, in vectors of any length: what is not known yet is not taken for
// a number.
func TestFunctionsOfNaN(t *testing.T) {
	for _, f := range fn.Elementwise() {
		for _, n := range []int{1, 7, 64} {
			b := graph.New("f")
			x := b.Param("x", shape{n})
			b.Report("y", apply(t, b, f.Name, x))
			at := make([]float64, n)
			for i := range at {
				if at[i] = 0.4; i%2 == 0 {
					at[i] = math.NaN()
				}
			}
			e := build(t, b).NewExec()
			e.Forward(at)
			for i, v := range e.Report(0) {
				if math.IsNaN(at[i]) && !math.IsNaN(v) {
					t.Errorf("%s, %d elements: %g of %g", f.Name, n, v, at[i])
				}
			}
		}
	}
}
