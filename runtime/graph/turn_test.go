package graph_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// A recursion over the rows of a matrix that is computed element by element, whose rows are put together
// again for a sum over elements, transposes nothing, and has the value and the gradient of what is written.
func TestRecursionsOverRowsTransposeNothing(t *testing.T) {
	const times, n = 6, 50
	r := rand.New(rand.NewPCG(5, 9))
	x := make([]float64, times*n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for _, dense := range []bool{false, true} { // with a matrix of parameters, as much is transposed
		var got [2][]float64
		for plain := range got {
			b := graph.New("turned")
			if plain == 1 {
				b.Plain()
			}
			op := func(name string, in ...graph.ID) graph.ID { return apply(t, b, name, in...) }
			p, row := b.Param("p", shape{times}), b.Param("row", shape{n})
			seen := op("add", op("mul", op("exp", op("col", p)), b.Const("X", shape{times, n}, x)), row)
			size := times + 2*n
			if dense {
				seen, size = op("mul", seen, b.Param("m", shape{times, n})), size+times*n
			}
			seen = op("tanh", seen)
			byTime := op("transpose", seen)
			var states []graph.ID
			for k := range times {
				state, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Hi: n}, {k, k + 1, true}}}, byTime)
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 {
					state = op("mul", state, b.Param("start", shape{n}))
				} else {
					state = op("mul", state, op("sin", states[k-1]))
				}
				states = append(states, state)
			}
			all, err := b.Apply("reshape", graph.Attr{Shape: shape{n, times}}, op("append", states...))
			if err != nil {
				t.Fatal(err)
			}
			q := op("transpose", all)
			rest := op("mul", op("sub", b.Scalar(1), q), b.Const("Y", shape{times, n}, x))
			if err := b.Add("y", op("sin", op("add", op("mul", q, seen), rest)), 0.7); err != nil {
				t.Fatal(err)
			}
			at := make([]float64, size)
			for i := range at {
				at[i] = math.Sin(float64(3 * i))
			}
			g := build(t, b)
			got[plain] = evaluated(g, at)
			if turned := strings.Contains(g.String(), "transpose("); plain == 0 && turned != dense {
				t.Errorf("with a matrix of parameters %v: something is transposed: %v\n%v", dense, turned, g)
			}
		}
		asWritten(t, 0, got)
	}
}
