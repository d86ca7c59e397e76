package graph_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/fn"
)

// A function of what is looked up by level is computed once a level: the value has the same bits, and the
// gradient is that of each row by itself. A level that no row has, outside the function's domain, changes
// nothing.
func TestFunctionsByLevel(t *testing.T) {
	for _, f := range fn.Elementwise() {
		for _, unmet := range []int{0, 1} {
			var got [2][]float64
			for plain := range got {
				b := graph.New("levels")
				if plain == 1 {
					b.Plain()
				}
				r := rand.New(rand.NewPCG(1, 7))
				const n, levels = 200, 5
				table := b.Param("a", shape{levels + unmet, 2})
				index := make([]float64, n)
				for i := range index {
					index[i] = 1 + float64(i%levels)
				}
				r.Shuffle(n, func(i, j int) { index[i], index[j] = index[j], index[i] })
				y := apply(t, b, f.Name, apply(t, b, "gather", table, b.Const("g", shape{n}, index)))
				y = apply(t, b, "mul", y, b.Const("", shape{n, 2}, normals(r, 2*n)))
				if err := b.Add("sum", y, 1); err != nil {
					t.Fatal(err)
				}
				g := build(t, b)
				byLevel := regexp.MustCompile(`= ` + f.Name + `\(%\d\) \[5 2\]`).MatchString(g.String())
				dear := !f.Light && !f.Linear && f.TakesFactor == ""
				if want := plain == 0 && unmet == 0 && dear; byLevel != want {
					t.Fatalf("%s: by level %v, want %v\n%v", f.Name, byLevel, want, g)
				}
				e := g.NewExec()
				at := make([]float64, 2*(levels+unmet))
				for i := range at {
					if at[i] = 0.1 + 0.08*float64(i%(levels+unmet)); i%(levels+unmet) == levels {
						at[i] = -7
					}
				}
				e.Forward(at)
				got[plain] = append([]float64{e.Target()}, e.Grad()...)
			}
			for i, want := range got[1] {
				if same := math.IsNaN(want) && math.IsNaN(got[0][i]); !same &&
					!(math.Abs(got[0][i]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s, %d levels not met, number %d: %v, want %v", f.Name, unmet, i, got[0][i], want)
				}
			}
		}
	}
}
