package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A matrix of few rows, of columns and numbers that all its columns share, has the density and the slopes of
// the long vector of its elements.
func TestFlatSteps(t *testing.T) {
	for _, size := range []Shape{{5, 7}, {40, 60}, {40, 53}, {128, 17}, {150, 3}, {300, 6}} {
		for seed := range uint64(12) {
			want, slopes, _ := flatModel(t, size, seed, false)
			got, by, flat := flatModel(t, size, seed, true)
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("%v, seed %d: %v, want %v", size, seed, got, want)
			}
			for i, v := range slopes {
				if !(math.Abs(by[i]-v) <= 1e-11*(1+math.Abs(v))) {
					t.Fatalf("%v, seed %d: slope %d is %v, want %v", size, seed, i, by[i], v)
				}
			}
			if size[0] <= smallestBlock && flat == 0 {
				t.Errorf("%v, seed %d: no step is flat", size, seed)
			}
		}
	}
}

// flatModel is a random sum over elements, computed as a matrix or as a vector. It returns its value, its
// gradient, and how many steps are flat with a column that is spread.
func flatModel(t *testing.T, size Shape, seed uint64, matrix bool) (float64, []float64, int) {
	b, r := New("flat"), rand.New(rand.NewPCG(seed, 71))
	rows, shape := size[0], size
	if !matrix {
		shape = Shape{size.Len()}
	}
	column := func(name string) ID {
		u := b.Param(name, Shape{rows})
		if matrix {
			return b.must("col", u)
		}
		index := make([]float64, size.Len())
		for i := range index {
			index[i] = float64(1 + i%rows)
		}
		return b.must("gather", u, b.Const("index", shape, index))
	}
	data := func(of func() float64) ID {
		v := make([]float64, size.Len())
		for i := range v {
			v[i] = of()
		}
		return b.Const("data", shape, v)
	}
	count := func() float64 { return float64(r.IntN(3)) }
	leaves := []ID{column("u"), column("v"), b.Param("s", Shape{}), b.Scalar(0.7), data(r.NormFloat64),
		data(count)}
	values := []ID{b.must("add", leaves[0], leaves[4])}
	any := func() ID {
		all := append(slices.Clone(leaves), values...)
		return all[r.IntN(len(all))]
	}
	for range 8 {
		x := values[len(values)-1]
		switch r.IntN(7) {
		case 0:
			x = b.must("add", x, any())
		case 1:
			x = b.must("sub", any(), x)
		case 2:
			x = b.must("mul", b.must("tanh", x), any())
		case 3:
			x = b.must("div", any(), b.must("exp", b.must("tanh", x)))
		case 4:
			x = b.must("where", leaves[5], x, any())
		case 5:
			n := node{op: opTimes, in: []ID{x, leaves[5]}}
			if err := elementwise(b, &n); err != nil {
				t.Fatal(err)
			}
			x = b.intern(n)
		case 6:
			x = b.must("pow", b.must("exp", b.must("tanh", x)), b.must("tanh", any()))
		}
		values = append(values, x)
	}
	b.sum("y", b.must("mul", leaves[4], values[len(values)-1]), 1)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, g.Dim())
	for i := range x {
		x[i] = math.Sin(float64(3*i) + float64(seed))
	}
	e := g.NewExec()
	e.Forward(x)
	value := e.Target()
	return value, slices.Clone(e.Grad()), flatSteps(e)
}

// flatSteps counts the steps in which one column is repeated for several.
func flatSteps(e *Exec) int {
	n := 0
	for _, l := range e.target {
		for _, c := range l.calls {
			if slices.ContainsFunc(c.flat, func(f flatStep) bool { return len(f.spread) > 0 }) {
				n++
			}
		}
	}
	return n
}

// Running sums along the second axis of a matrix are its product with a triangle of ones.
func TestCumulativeSumOfRows(t *testing.T) {
	for _, size := range []Shape{{1, 9}, {3, 4}, {40, 6}, {2500, 3}} {
		at := func(product bool) (float64, []float64) {
			b := New("sums")
			x, w := b.Param("x", size), make([]float64, size.Len())
			for i := range w {
				w[i] = math.Sin(float64(5 * i))
			}
			sums := b.must("cumulative_sum", x)
			if product {
				upTo := make([]float64, size[1]*size[1])
				for j := range size[1] {
					for k := range j + 1 {
						upTo[k+j*size[1]] = 1
					}
				}
				sums = b.must("matmul", x, b.Const("up to", Shape{size[1], size[1]}, upTo))
			}
			b.sum("y", b.must("mul", b.Const("w", size, w), b.must("tanh", sums)), 1)
			g, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			at := make([]float64, g.Dim())
			for i := range at {
				at[i] = math.Cos(float64(7 * i))
			}
			e := g.NewExec()
			e.Forward(at)
			return e.Target(), slices.Clone(e.Grad())
		}
		want, slopes := at(true)
		got, by := at(false)
		if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("%v: %v, want %v", size, got, want)
		}
		for i, v := range slopes {
			if !(math.Abs(by[i]-v) <= 1e-11*(1+math.Abs(v))) {
				t.Fatalf("%v: slope %d is %v, want %v", size, i, by[i], v)
			}
		}
	}
}
