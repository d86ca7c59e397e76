package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// TestShortSteps compares effects c + s·v and normal densities over few rows and many, with every choice of
// numbers that are parameters, with the same operations one by one.
func TestShortSteps(t *testing.T) {
	for _, n := range []int{1, 3, 5, 8, 9, 40, 300} {
		for known := range 8 {
			var made [2]*graph.Graph
			for plain := range made {
				b := graph.New("effects")
				if plain == 1 {
					b.Plain()
				}
				leaf := func(bit int, name string, shape shape) graph.ID {
					if known>>bit&1 == 0 {
						return b.Param(name, shape)
					}
					v := make([]float64, shape.Len())
					for i := range v {
						v[i] = 0.3 + math.Sin(float64(3*i+bit))
					}
					return b.Const(name, shape, v)
				}
				v, s, c := leaf(0, "v", shape{n}), leaf(1, "s", shape{}), leaf(2, "c", shape{})
				eta := apply(t, b, "add", apply(t, b, "mul", s, v), c)
				normal, sigma := dist(t, "normal"), make([]float64, n)
				for i := range sigma {
					sigma[i] = 1 + 0.1*float64(i%7)
				}
				y, scale := b.Const("y", shape{n}, scaled(n, 2)), b.Const("sigma", shape{n}, sigma)
				for term, theta := range map[string][]graph.ID{"own scales": {eta, scale},
					"one scale": {b.Scalar(0.2), b.Scalar(1.5)}} {
					x := y
					if term == "one scale" {
						x = v
					}
					if err := b.Density(term, normal, x, theta, graph.NoID, 1); err != nil {
						t.Fatal(err)
					}
				}
				made[plain] = build(t, b)
			}
			sameWithLess(t, fmt.Sprintf("%d rows, known %03b", n, known), made, scaled(made[0].Dim(), 1),
				known&1 == 0)
		}
	}
}

// TestPartsOfParameters compares elements, ranges and columns of parameters, and neighbours joined, with
// copies of them, and what they cost with parameters of their own.
func TestPartsOfParameters(t *testing.T) {
	var made [3]*graph.Graph
	for kind := range made {
		b := graph.New("parts")
		if kind == 1 {
			b.Plain()
		}
		beta, m := b.Param("beta", shape{5}), b.Param("m", shape{4, 3})
		part := func(of graph.ID, cut ...graph.Slice) graph.ID {
			id, err := b.Apply("slice", graph.Attr{Slices: cut}, of)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		one := func(i int) graph.Slice { return graph.Slice{Lo: i, Hi: i + 1, Drop: true} }
		parts := []graph.ID{
			part(beta, one(2)), part(beta, graph.Slice{Lo: 1, Hi: 4}), part(m, graph.Slice{Hi: 4}, one(1)),
			part(m, graph.Slice{Lo: 1, Hi: 3}, one(2)), part(m, one(1), graph.Slice{Hi: 3}),
			apply(t, b, "append", part(beta, one(3)), part(beta, one(4)),
				part(m, graph.Slice{Hi: 2}, one(0))), apply(t, b, "append", part(beta, one(4)),
				part(beta, one(3))),
		}
		normal, flat := dist(t, "normal"), dist(t, "flat")
		for i, p := range parts {
			if kind == 2 && i != 4 && i != 6 { // a row of a matrix, and what are no neighbours, are copied
				p = b.Param(fmt.Sprint("alone ", i), b.Shape(p))
			}
			if err := b.Density(fmt.Sprint("part ", i), normal, p,
				[]graph.ID{b.Scalar(0.1 * float64(i)), b.Scalar(2)}, graph.NoID, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Density("flat", flat, beta, nil, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
		b.Output("crosses", part(beta, one(0)))
		made[kind] = build(t, b)
	}
	sameWithLess(t, "parts", [2]*graph.Graph(made[:2]), scaled(made[0].Dim(), 1), true)
	if w, alone := made[0].Work(), made[2].Work(); w > alone {
		t.Errorf("the work is %d, of parameters of their own %d", w, alone)
	}
}

// scaled is n numbers between −size and size.
func scaled(n int, size float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = size * math.Sin(float64(7*i+1))
	}
	return v
}
