package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// log Σ exp of columns that begin or end alike is made of that of fewer: value and gradient are those of each
// by itself, for a list of vectors and for a matrix, in any order, and with columns that are -∞.
func TestNestedSums(t *testing.T) {
	for trial := range 200 {
		var got [2][]float64
		for plain := range got {
			b := graph.New("spans")
			if plain == 1 {
				b.Plain()
			}
			r := rand.New(rand.NewPCG(uint64(trial), 6))
			n, k := 1+r.IntN(30), 2+r.IntN(25)
			m := b.Param("m", shape{n, k})
			if trial%2 == 0 {
				var all []graph.ID
				for j := range k {
					v := apply(t, b, "sin", cut(t, b, m, n, j, j+1, true))
					if r.IntN(10) == 0 {
						v = apply(t, b, "add", v, b.Scalar(math.Inf(-1)))
					}
					all = append(all, v)
				}
				var err error
				if m, err = b.Apply("reshape", graph.Attr{Shape: shape{n, k}},
					apply(t, b, "append", all...)); err != nil {
					t.Fatal(err)
				}
			}
			for range 1 + r.IntN(12) {
				lo, hi := r.IntN(k), k
				if r.IntN(3) == 0 {
					lo, hi = 0, 1+r.IntN(k)
				}
				sum := apply(t, b, "log_sum_exp", cut(t, b, m, n, lo, hi, false))
				if err := b.Add("sum", apply(t, b, "tanh", sum), r.NormFloat64()); err != nil {
					t.Fatal(err)
				}
				b.Report("sum", sum)
			}
			e := build(t, b).NewExec()
			at := make([]float64, n*k)
			for i := range at {
				at[i] = 3 * math.Sin(float64(7*i+trial))
			}
			e.Forward(at)
			got[plain] = append([]float64{e.Target()}, e.Grad()...)
		}
		for i, want := range got[1] {
			if !(math.Abs(got[0][i]-want) <= 1e-12*(1+math.Abs(want))) {
				t.Fatalf("trial %d, number %d: %v, want %v", trial, i, got[0][i], want)
			}
		}
	}
}

// cut is some columns of a matrix of n rows, or one of them as a vector.
func cut(t *testing.T, b *graph.Builder, m graph.ID, n, lo, hi int, drop bool) graph.ID {
	id, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Hi: n}, {Lo: lo, Hi: hi, Drop: drop}}}, m)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// The sums of all ends of a row take one step each.
func TestNestedSumsSaveWork(t *testing.T) {
	const n, k = 50, 9
	b := graph.New("ends")
	m := b.Param("m", shape{n, k})
	for j := range k - 1 {
		if err := b.Add("sum", apply(t, b, "log_sum_exp", cut(t, b, m, n, j, k, false)), 1); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(fmt.Sprint(build(t, b))) {
		if strings.Contains(line, "log_sum_exp") && strings.Count(line, ",") != 1 {
			t.Error("more than two summands: " + line)
		}
	}
}
