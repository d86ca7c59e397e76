package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// terms builds vectors of which all share parts, and each has multiples of others and data of its own,
// written in an order and with operations that chance chooses.
type terms struct {
	t               *testing.T
	b               *graph.Builder
	r               *rand.Rand
	rows            int
	shared          []graph.ID
	once, own, each graph.ID // a vector, a matrix, and a number
	counts          []float64
}

func (s *terms) op(name string, in ...graph.ID) graph.ID { return apply(s.t, s.b, name, in...) }

// of is term k, whose multiples are k times as large.
func (s *terms) of(k int) graph.ID {
	number := float64(k)
	constant := s.b.Const("", shape{s.rows}, normals(s.r, s.rows))
	less := make([]float64, len(s.counts))
	for i, c := range s.counts {
		less[i] = number - c
	}
	own := s.op("mul", s.own, s.b.Const("", shape{s.rows, 2}, less))
	if s.r.IntN(2) == 0 {
		on := make([]float64, len(less))
		for i := range on {
			on[i] = 1
			if i%(k+2) == k+1 && k < 6 {
				on[i] = 0
			}
		}
		own = s.op("where", s.b.Const("", shape{s.rows, 2}, on), own, s.b.Scalar(math.Inf(-1)))
	}
	parts := append([]graph.ID{constant, s.op("mul", s.once, s.b.Scalar(number)), s.op("row_sums", own),
		s.op("neg", s.op("mul", s.b.Scalar(2*number), s.each))}, s.shared...)
	if s.r.IntN(2) == 0 {
		parts[1] = s.op("mul", s.b.Const("", shape{s.rows}, repeated(number, s.rows)), s.once)
	}
	s.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	sum := parts[0]
	for _, p := range parts[1:] {
		if s.r.IntN(3) == 0 {
			sum = s.op("sub", sum, s.op("neg", p))
		} else {
			sum = s.op("add", p, sum)
		}
	}
	return sum
}

func normals(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

// log_sum_exp of vectors that differ by data and by multiples of the same is that of lines: value and
// gradient are those of the sum as it is written, for lists and for several operands, and where some are -∞.
func TestLines(t *testing.T) {
	for trial := range 200 {
		var got [2][]float64
		for plain := range got {
			b := graph.New("terms")
			if plain == 1 {
				b.Plain()
			}
			s := &terms{t: t, b: b, r: rand.New(rand.NewPCG(uint64(trial), 5)), rows: 1 + trial%40}
			if trial%50 == 7 {
				s.rows = 1500
			}
			s.once, s.own = b.Param("x", shape{s.rows}), b.Param("m", shape{s.rows, 2})
			s.each = b.Param("e", nil)
			for range 2 * s.rows {
				s.counts = append(s.counts, float64(s.r.IntN(5)))
			}
			s.shared = []graph.ID{s.op("sin", s.once), s.op("mul", s.b.Const("", shape{s.rows},
				normals(s.r, s.rows)), s.op("exp", s.once)), s.op("tanh", s.each)}
			var all []graph.ID
			for k := range 7 + trial%9 {
				all = append(all, s.of(k))
			}
			if trial%2 == 0 {
				list, err := b.Apply("reshape", graph.Attr{Shape: shape{s.rows, len(all)}}, s.op("append", all...))
				if err != nil {
					t.Fatal(err)
				}
				all = []graph.ID{list}
			}
			if err := b.Add("sum", s.op("log_sum_exp", all...), 0.7); err != nil {
				t.Fatal(err)
			}
			g := build(t, b)
			if strings.Contains(fmt.Sprint(g), "of lines") != (plain == 0) {
				t.Fatalf("trial %d: plain %d\n%v", trial, plain, g)
			}
			e := g.NewExec()
			at := make([]float64, 3*s.rows+1)
			for i := range at {
				at[i] = math.Sin(float64(7*i + trial))
			}
			e.Forward(at)
			got[plain] = append([]float64{e.Target()}, e.Grad()...)
		}
		asWritten(t, trial, got)
	}
}

// What is multiplied by 0 in every term stays where it may be outside the domain of a function: the sum is no
// number there, and is one elsewhere.
func TestLinesKeepWhatIsOutsideADomain(t *testing.T) {
	const rows = 3
	for _, v := range []float64{-1, 2} {
		b := graph.New("terms")
		x, v0 := b.Param("x", shape{rows}), b.Param("v", shape{rows})
		none := apply(t, b, "mul", b.Const("", shape{rows}, make([]float64, rows)), apply(t, b, "log", v0))
		var all []graph.ID
		for k := range 6 {
			all = append(all, apply(t, b, "add", apply(t, b, "mul", b.Scalar(float64(k)), x), none))
		}
		if err := b.Add("sum", apply(t, b, "log_sum_exp", all...), 1); err != nil {
			t.Fatal(err)
		}
		e := build(t, b).NewExec()
		e.Forward([]float64{1, 2, 3, v, v, v})
		if got := e.Target(); math.IsNaN(got) != (v < 0) {
			t.Errorf("log(%v) times 0 in every term: %v", v, got)
		}
	}
}
