package graph_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// summing builds random sums over the elements of a matrix of n rows and k columns, from parameters of its
// shape, of a row, of a column and of no axis, and from data, most of which are 0.
type summing struct {
	t      *testing.T
	b      *graph.Builder
	r      *rand.Rand
	n, k   int
	leaves []graph.ID
}

func (s *summing) data(zeros float64, of shape) graph.ID {
	v := make([]float64, of.Len())
	for i := range v {
		if s.r.Float64() >= zeros {
			v[i] = s.r.NormFloat64()
		}
	}
	return s.b.Const("data", of, v)
}

// of is a tree of a depth.
func (s *summing) of(depth int) graph.ID {
	if depth == 0 {
		return s.leaves[s.r.IntN(len(s.leaves))]
	}
	op := func(name string, in ...graph.ID) graph.ID { return apply(s.t, s.b, name, in...) }
	whole := shape{s.n, s.k}
	switch a := s.of(depth - 1); s.r.IntN(8) {
	case 0:
		return op("add", a, s.of(depth-1))
	case 1:
		return op("sub", s.of(depth-1), a)
	case 2:
		return op("neg", a)
	case 3:
		return op("mul", s.data(0, whole), a)
	case 4:
		return op("mul", a, s.data(0.9, whole))
	case 5:
		return op("mul", s.data(0, shape{s.k}), op("sin", a))
	case 6:
		return op("exp", op("tanh", op("mul", a, s.of(depth-1))))
	default:
		if s.b.Shape(a).Len() != s.n*s.k {
			a = op("add", a, s.data(0.5, whole))
		}
		return op("transpose", op("sin", op("transpose", a)))
	}
}

// A sum over elements is that of its summands, of which those that several elements share are added up first,
// and few elements are taken alone: value and gradient are those of the sum as it is written.
func TestSummands(t *testing.T) {
	for trial := range 300 {
		var got [2][]float64
		for plain := range got {
			b := graph.New("sums")
			if plain == 1 {
				b.Plain()
			}
			const n, k = 30, 4
			s := &summing{t, b, rand.New(rand.NewPCG(uint64(trial), 3)), n, k, nil}
			column := b.Param("c", shape{n})
			s.leaves = []graph.ID{b.Param("m", shape{n, k}), b.Param("r", shape{k}), b.Param("s", nil),
				apply(t, b, "col", column)}
			if err := b.Add("sum", apply(t, b, "add", s.data(0.5, shape{n, k}), s.of(2+trial%3)),
				0.7); err != nil {
				t.Fatal(err)
			}
			e := build(t, b).NewExec()
			at := make([]float64, n*k+k+1+n)
			for i := range at {
				at[i] = math.Sin(float64(7*i + trial))
			}
			e.Forward(at)
			got[plain] = append([]float64{e.Target()}, e.Grad()...)
		}
		asWritten(t, trial, got)
	}
}

// asWritten compares the value and gradient of a graph with those of the plain one, which are numbers.
func asWritten(t *testing.T, trial int, got [2][]float64) {
	t.Helper()
	scale := 0.0
	for _, v := range got[1] {
		scale = max(scale, math.Abs(v))
	}
	for i, want := range got[1] {
		if !(math.Abs(got[0][i]-want) <= 1e-12*(1+scale)) {
			t.Fatalf("trial %d, number %d: %v, want %v", trial, i, got[0][i], want)
		}
	}
}

// A mask over a matrix leaves its function to the elements that count, and what all rows share to one row.
func TestMasksSaveWork(t *testing.T) {
	const n, k = 100, 8
	b := graph.New("mask")
	r := rand.New(rand.NewPCG(1, 2))
	s := &summing{t, b, r, n, k, nil}
	m, row := b.Param("m", shape{n, k}), b.Param("r", shape{k})
	mask := s.data(0.9, shape{n, k})
	for _, id := range []graph.ID{apply(t, b, "mul", mask, apply(t, b, "sin", apply(t, b, "exp", m))),
		apply(t, b, "mul", s.data(0, shape{n, k}), apply(t, b, "add", apply(t, b, "sin", row), m))} {
		if err := b.Add("sum", id, 1); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(build(t, b).String()) {
		if (strings.Contains(line, "sin(") || strings.Contains(line, "exp(")) &&
			strings.Contains(line, "[100 8]") || strings.Contains(line, "add(") {
			t.Error("computed for all elements: " + line)
		}
	}
}
