package graph

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestRowsAlone: what a row gives does not depend, bit for bit, on how many there are, though few are
// computed in other ways than many.
func TestRowsAlone(t *testing.T) {
	const most = 300
	entry := func(i, k int) float64 {
		switch v := float64(i + 1); {
		case i%29 == 5 && k < 2 || i%31 == 7:
			return math.Inf(-1)
		case i%37 == 11 && k == 1:
			return math.Inf(1)
		case i%41 == 13 && k == 0:
			return math.NaN()
		case i%5 == 1:
			return 300 * math.Sin(v*float64(k+2))
		default:
			return 3 * math.Sin(v*float64(3*k+1))
		}
	}
	// rows lists the values and the derivatives of each row.
	rows := func(name string, n, columns int) [][]float64 {
		b := New(name)
		m := b.Param("m", Shape{n, columns})
		b.Output("y", b.must(name, m))
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, g.Dim())
		for at := range x {
			x[at] = entry(at%n, at/n)
		}
		e := g.NewExec()
		e.Forward(x)
		seed := make([]float64, len(e.Output(0)))
		for at := range seed {
			seed[at] = math.Cos(float64(at%n + 2*(at/n)))
		}
		e.Pull([][]float64{seed})
		out := make([][]float64, n)
		for _, v := range [][]float64{e.Output(0), e.Grad()} {
			for at := range v {
				out[at%n] = append(out[at%n], v[at])
			}
		}
		return out
	}
	for _, name := range []string{"log_sum_exp", "softmax", "log_softmax", "cumulative_sum"} {
		for columns := 1; columns <= 9; columns++ {
			t.Run(fmt.Sprint(name, columns), func(t *testing.T) {
				want := rows(name, most, columns)
				for _, n := range []int{1, 3, 5, 8, 10, 16, 17, 25, 33, 64, 65, 129} {
					for i, got := range rows(name, n, columns) {
						if !slices.EqualFunc(got, want[i], same) {
							t.Fatalf("row %d of %d is %v, of %d %v", i, n, got, most, want[i])
						}
					}
				}
			})
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
