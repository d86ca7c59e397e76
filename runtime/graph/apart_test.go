package graph

import (
	"math"
	"slices"
	"testing"
)

// A step is the body of a recursion of the parameters w, three numbers, and x, one for each row, given the
// two rows before.
type step struct {
	name  string
	state Shape
	apart []string // what its parts are: affine, or a program
	body  func(g given) []ID
}

// given is what a step reads: elements of w and of the rows before, and x.
type given struct {
	*Builder
	w, one, two func(int) ID
	x           ID
}

// stepsApart have each form that is computed by a loop of its own, and each instruction.
var stepsApart = []step{
	{"one lag", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("add", g.w(0), g.must("mul", g.w(1), g.must("sub", g.one(0), g.x)))}
	}},
	{"a factor for each row", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("div", g.one(0), g.must("add", g.must("exp", g.x), g.w(0)))}
	}},
	{"two lags", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("add", g.must("mul", g.w(0), g.two(0)),
			g.must("add", g.must("mul", g.w(1), g.one(0)), g.x))}
	}},
	{"the second lag alone", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("sub", g.x, g.must("mul", g.w(0), g.two(0)))}
	}},
	{"no lag", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("mul", g.x, g.w(0))}
	}},
	{"a choice by data", Shape{}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("where", g.must("lt", g.x, g.w(0)), g.must("mul", g.w(1), g.one(0)),
			g.must("neg", g.w(2)))}
	}},
	{"two columns", Shape{2}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("add", g.must("mul", g.w(0), g.one(1)), g.x),
			g.must("sub", g.must("mul", g.w(1), g.one(1)), g.one(0))}
	}},
	{"two columns, two lags", Shape{2}, []string{"affine"}, func(g given) []ID {
		return []ID{g.must("add", g.must("mul", g.w(0), g.two(1)), g.x),
			g.must("mul", g.w(1), g.must("mul", g.x, g.one(0)))}
	}},
	{"a column after a curved one", Shape{2}, []string{"program", "affine"}, func(g given) []ID {
		k := g.must("div", g.one(1), g.must("add", g.one(1), g.must("exp", g.w(0))))
		return []ID{g.must("add", g.one(0), g.must("mul", k, g.must("sub", g.x, g.one(0)))),
			g.must("add", g.must("mul", g.one(1), g.must("sub", g.Scalar(1), k)), g.must("exp", g.w(1)))}
	}},
	{"three entries in turn", Shape{3}, []string{"program"}, func(g given) []ID {
		i := g.must("mul", g.must("mul", g.w(0), g.one(0)), g.one(2))
		out, back := g.must("mul", g.w(1), g.one(1)), g.must("mul", g.must("mul", g.w(2), g.x), g.one(2))
		return []ID{g.must("sub", g.one(0), i), g.must("sub", g.must("add", g.one(1), i), out),
			g.must("sub", g.must("add", g.one(2), out), back)}
	}},
	{"growth", Shape{}, []string{"program"}, func(g given) []ID {
		return []ID{g.must("mul", g.one(0), g.must("exp", g.must("sub", g.must("mul", g.w(0), g.x), g.one(0))))}
	}},
	{"functions", Shape{}, []string{"program"}, func(g given) []ID {
		v := g.must("pow", g.must("add", g.must("square", g.one(0)), g.Scalar(1)), g.w(0))
		low := g.must("max", g.must("sin", g.two(0)), g.must("min", g.x, g.must("tanh", g.one(0))))
		low = g.must("neg", g.must("sub", g.must("mul", low, g.w(2)), g.x))
		chosen := g.must("and", g.must("gt", g.one(0), g.x), g.must("not", g.must("eq", g.x, g.w(1))))
		return []ID{g.must("where", chosen,
			g.must("sub", g.must("div", g.w(1), v), g.must("mul", g.w(2), g.must("log", v))), low)}
	}},
}

// recursion returns the graph of Σ c·h for a recursion of n steps with some constants c, taken apart or not.
func (s *step) recursion(t *testing.T, n int, down, apart bool) *Graph {
	r := &Recursion{Name: "h", First: 2, Last: n + 1, Rows: n + 2, Start: []int{0, 1}, State: s.state,
		Down: down}
	r.Reads = []Read{{Kind: ReadWhole}, {Kind: ReadRow, Input: 1, Offset: 1}, {Kind: ReadState, Offset: -1},
		{Kind: ReadState, Offset: -2}}
	if down {
		r.First, r.Last, r.Start = n-1, 0, []int{n + 1, n}
		r.Reads[2].Offset, r.Reads[3].Offset = 1, 2
	}
	body := New("step")
	body.Plain()
	elements := func(id ID) func(int) ID {
		return func(k int) ID {
			if len(body.Shape(id)) == 0 {
				return id
			}
			e, err := body.Apply("slice", Attr{Slices: []Slice{{Lo: k, Hi: k + 1, Drop: true}}}, id)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
	}
	w, x := body.Input("w", Shape{3}), body.Input("x", Shape{})
	one, two := body.Input("one", s.state), body.Input("two", s.state)
	out := s.body(given{body, elements(w), elements(one), elements(two), x})
	row := out[0]
	if len(s.state) > 0 {
		row = body.must("append", out...)
	}
	body.Output("h", row)
	var err error
	if r.Body, err = body.Build(); err != nil {
		t.Fatal(err)
	}
	b := New("outer")
	in := []ID{b.Param("w", Shape{3}), b.Param("x", Shape{n + 3})}
	start := []ID{b.Param("a", s.state), b.Param("b", s.state)}
	var h ID
	if apart {
		h, err = b.Recur(r, start, in)
	} else {
		n := node{op: opRecur, in: append(slices.Clone(start), in...), recursion: r}
		err = opRecur.infer(b, &n)
		h = b.intern(n)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, b.Shape(h).Len())
	for i := range c {
		c[i] = math.Cos(float64(3 * i))
	}
	if err := b.Add("target", b.must("mul", h, b.Const("c", b.Shape(h), c)), 1); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestApart compares recursions that are taken apart with the same run step by step: values and gradients, of
// one step, of few, and of more than a block, in both directions. An evaluation allocates nothing.
func TestApart(t *testing.T) {
	for _, s := range stepsApart {
		for _, n := range []int{1, 3, slabRows + 5} {
			for _, down := range []bool{false, true} {
				whole, apart := s.recursion(t, n, down, false), s.recursion(t, n, down, true)
				if got := parts(apart); !slices.Equal(got, s.apart) {
					t.Fatalf("%s: its parts are %v, not %v", s.name, got, s.apart)
				}
				x := make([]float64, whole.Dim())
				for i := range x {
					x[i] = 0.4 + 0.3*math.Sin(float64(5*i))
				}
				e, f := whole.NewExec(), apart.NewExec()
				e.Forward(x)
				want := e.Target()
				f.Forward(x)
				if got := f.Target(); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s, %d steps: %v, step by step %v", s.name, n, got, want)
				}
				for i, d := range e.Grad() {
					if got := f.Grad()[i]; !(math.Abs(got-d) <= 1e-10*(1+math.Abs(d))) {
						t.Fatalf("%s, %d steps, down %t: slope %d is %v, step by step %v", s.name, n, down, i, got, d)
					}
				}
				if k := testing.AllocsPerRun(1, func() { f.Forward(x); f.Target() }); k > 0 {
					t.Errorf("%s: an evaluation allocates %v times", s.name, k)
				}
			}
		}
	}
}

// parts lists the recursions of a graph that have been taken apart.
func parts(g *Graph) (out []string) {
	for _, n := range g.nodes {
		switch {
		case n.op == opRecur:
			out = append(out, "whole")
		case n.steps != nil && n.steps.program == nil:
			out = append(out, "affine")
		case n.steps != nil:
			out = append(out, "program")
		}
	}
	return out
}
