package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
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

// Columns of a matrix that are scaled and put together as rows of another one are not moved, neither for a
// sum nor for a density, whatever the shape.
func TestColumnsPutTogether(t *testing.T) {
	for _, dims := range []shape{{7, 4}, {4, 7}, {6, 6}} {
		rows, cols := dims[0], dims[1]
		y := make([]float64, rows*cols)
		for i := range y {
			y[i] = math.Sin(float64(2*i)) + 1.5
		}
		for _, family := range []string{"normal", "poisson", "", "crossing"} { // the last: it is an output too
			var got [2][]float64
			for plain := range got {
				b := graph.New("columns")
				if plain == 1 {
					b.Plain()
				}
				op := func(name string, in ...graph.ID) graph.ID { return apply(t, b, name, in...) }
				cut := func(id graph.ID, from, to int) graph.ID {
					cut := graph.Attr{Slices: []graph.Slice{{Hi: rows}, {Lo: from, Hi: to}}}
					id, err := b.Apply("slice", cut, id)
					if err != nil {
						t.Fatal(err)
					}
					return id
				}
				m, q, s := b.Param("m", dims), b.Param("q", nil), op("exp", b.Param("s", nil))
				first := op("transpose", cut(m, 0, 1))
				rest := op("sub", cut(m, 1, cols), op("mul", q, cut(m, 0, cols-1)))
				all := op("append", first, op("div", op("transpose", rest), s))
				var err error
				switch size := (shape{cols, rows}); family {
				case "normal":
					err = b.Likelihood("y", dist(t, family), b.Const("y", size, y), []graph.ID{all, s},
						graph.NoID, 0.5)
				case "poisson":
					for i := range y {
						y[i] = float64(i % 5)
					}
					err = b.Likelihood("y", dist(t, family), b.Const("y", size, y), []graph.ID{op("exp", all)},
						b.Const("w", size, y), 0.5)
				default:
					if family == "crossing" {
						b.Output("first", first)
						b.Output("all", all)
					}
					err = b.Add("y", op("tanh", all), 1)
				}
				if err != nil {
					t.Fatal(err)
				}
				g, at := build(t, b), make([]float64, b.Dim())
				for i := range at {
					at[i] = math.Cos(float64(3 * i))
				}
				if moved := strings.Contains(g.String(), "transpose("); moved != (plain == 1) && family != "crossing" {
					t.Errorf("%q of shape %v, plain %d: something is transposed: %v\n%v", family, dims, plain,
						moved, g)
				}
				if got[plain] = evaluated(g, at); family == "crossing" {
					e := g.NewExec()
					e.Forward(at)
					e.Target()
					got[plain] = slices.Concat(got[plain], e.Own(0), e.Own(1))
					e.Pull([][]float64{y[:rows], y})
					got[plain] = slices.Concat(got[plain], e.Grad(), e.Output(0), e.Output(1))
				}
			}
			asWritten(t, rows, got)
		}
	}
}
