package graph

import (
	"math"
	"slices"
	"testing"
)

// Matrices that are joined as columns, by transposes around append, have the values and derivatives that the
// transposes have, and none of these is left where none is needed.
func TestColumnsBeside(t *testing.T) {
	const n = 40
	at := func(plain bool, parts func(b *Builder) []ID) (*Graph, []float64) {
		b := New("beside")
		if plain {
			b.Plain()
		}
		joined := b.must("transpose", b.must("append", parts(b)...))
		weight := make([]float64, b.Shape(joined).Len())
		for i := range weight {
			weight[i] = math.Cos(float64(i))
		}
		b.Output("joined", joined)
		if err := b.Add("y", b.must("sum", b.must("mul", b.must("exp", joined),
			b.Const("weight", b.Shape(joined), weight))), 1); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		e, x := g.NewExec(), make([]float64, g.Dim())
		for i := range x {
			x[i] = 0.7 * math.Sin(float64(i))
		}
		e.Forward(x)
		e.Target()
		return g, append(slices.Clone(e.Output(0)), e.Grad()...)
	}
	matrix := func(b *Builder) ID { return b.must("mul", b.Scalar(2), b.Param("m", Shape{n, 3})) }
	vector := func(b *Builder) ID { return b.must("sin", b.Param("v", Shape{n})) }
	row := func(b *Builder) ID { return b.must("row", vector(b)) }
	zeros := func(b *Builder) ID { return b.Const("zeros", Shape{2, n}, make([]float64, 2*n)) }
	for name, c := range map[string]struct {
		parts func(b *Builder) []ID
		left  int // transposes
	}{
		"a constant and a matrix": {func(b *Builder) []ID {
			return []ID{zeros(b), b.must("transpose", matrix(b))}
		}, 0},
		"vectors": {func(b *Builder) []ID {
			return []ID{row(b), b.must("row", b.Param("w", Shape{n}))}
		}, 0},
		"joined before": {func(b *Builder) []ID {
			return []ID{b.must("append", row(b), zeros(b)), b.must("transpose", matrix(b))}
		}, 0},
		"another matrix": {func(b *Builder) []ID { return []ID{row(b), b.Param("o", Shape{2, n})} }, 1},
	} {
		g, got := at(false, c.parts)
		_, want := at(true, c.parts)
		left := 0
		for k := range g.nodes {
			if g.nodes[k].op == opTranspose {
				left++
			}
		}
		if !slices.Equal(got, want) || left != c.left {
			t.Errorf("%s: %d transposes, values and derivatives %v, want %v", name, left, got, want)
		}
	}
}
