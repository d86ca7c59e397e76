package graph

import (
	"slices"
	"testing"
)

// A graph that is seldom evaluated has no copy of a large constant, and the values of one that has.
func TestSeldomKeepsConstants(t *testing.T) {
	const rows, cols = 20_000, 4
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = float64(i%97) / 7
	}
	output := func(seldom bool) (value []float64, copied bool) {
		b := New("g")
		if seldom {
			b.Seldom()
		}
		c, beta := b.Const("x", Shape{rows, cols}, x), b.Param("beta", Shape{cols})
		y, err := b.Apply("matmul", Attr{}, c, beta)
		if err != nil {
			t.Fatal(err)
		}
		b.Output("y", y)
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		e := g.NewExec()
		e.Forward([]float64{1, -2, 0.5, 3})
		return slices.Clone(e.Output(0)), !slices.ContainsFunc(g.nodes, func(n node) bool {
			return len(n.values) > 0 && &n.values[0] == &x[0]
		})
	}
	want, copied := output(false)
	if !copied {
		t.Error("a graph that is evaluated often reads the constant as it is given")
	}
	if got, copied := output(true); copied || !slices.Equal(got, want) {
		t.Errorf("copied: %t, or other values", copied)
	}
}
