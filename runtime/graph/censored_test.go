package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A censored density over many rows, whose flags divide them, has the value and the gradient of its own loop,
// for every distribution that can be censored: rows known to be greater, known to be less, and known.
func TestCensoredForms(t *testing.T) {
	const n = 90
	u := stdlib.New()
	forms := 0
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.LogCDF == nil {
			continue
		}
		c := stdlib.Censored(d, []stdlib.Censoring{stdlib.RightFlag, stdlib.LeftFlag})
		r := rand.New(rand.NewPCG(71, 72))
		values, real := make([]float64, len(d.Params)), 0
		for k, p := range d.Params {
			values[k] = domainDraw(r, p)
			if d.Support == def.Interval || d.Support == def.WholeInterval {
				values[k] = float64(9 * k)
			}
			if !p.Integral {
				real++
			}
		}
		if real == 0 {
			continue
		}
		y, right, left := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i] = d.Sample(r, values)
			right[i], left[i] = float64(i%3/2), float64(i%4/3)
		}
		var got [2][]float64
		var written [2]string
		for i := range got {
			b := graph.New("censored")
			if i == 1 {
				b.Plain()
			}
			var theta []graph.ID
			var x []float64
			for k, p := range d.Params {
				switch {
				case p.Integral:
					theta = append(theta, b.Scalar(values[k]))
				case k%2 == 0:
					theta = append(theta, b.Param(p.Name, shape{n}))
					for range n {
						x = append(x, values[k])
					}
				default:
					theta = append(theta, b.Param(p.Name, shape{}))
					x = append(x, values[k])
				}
			}
			theta = append(theta, b.Const("right", shape{n}, right), b.Const("left", shape{n}, left))
			if err := b.Density("y", &c, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			g := build(t, b)
			got[i], written[i] = evaluated(g, x), g.String()
		}
		for k, want := range got[1] {
			if !(math.Abs(got[0][k]-want) <= 1e-10*max(1, math.Abs(want))) &&
				!(math.IsInf(want, -1) && math.IsInf(got[0][0], -1)) {
				t.Errorf("%s: number %d is %v, want %v", name, k, got[0][k], want)
				break
			}
		}
		if written[0] != written[1] {
			forms++
		}
	}
	if forms < 20 {
		t.Errorf("%d distributions have a censored form", forms)
	}
}
