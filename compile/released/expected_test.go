package released

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/stdlib/dist"
)

// made is a release of 4,000 rows of two parties' columns, one of them rare, and of a response.
func made(t *testing.T, family string, epsilon float64) *release.Moments {
	r := rand.New(rand.NewPCG(1, 2))
	binary := family == dist.BernoulliLogit().Name
	columns := []release.BoundedColumn{{Name: "x", Owner: "a", Lower: -3, Upper: 3},
		{Name: "g", Owner: "b", Lower: 0, Upper: 1, Binary: true},
		{Name: "y", Owner: "s", Lower: -8, Upper: 8, Binary: binary}}
	if binary {
		columns[2].Lower, columns[2].Upper = 0, 1
	}
	values := make([][]float64, 3)
	for range 4000 {
		x, g := max(-3, min(3, r.NormFloat64())), 0.0
		if r.Float64() < .05 {
			g = 1
		}
		y := .5 + x - g + r.NormFloat64()
		if binary && y > .5 {
			y = 1
		} else if binary {
			y = 0
		}
		for k, v := range []float64{x, g, max(-8, min(8, y))} {
			values[k] = append(values[k], v)
		}
	}
	d := &Design{Family: family}
	m, err := d.Release(columns, values, release.Promise(epsilon, 1e-6, 0, false, columns))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The expected score is 0 at no distance, has the table's derivative there, and elsewhere the derivative that
// its differences have.
func TestExpectedScores(t *testing.T) {
	for _, family := range []string{dist.Normal().Name, dist.BernoulliLogit().Name} {
		w := &where{Moments: made(t, family, 3)}
		last := w.Gradients.Steps[len(w.Gradients.Steps)-1]
		s, first := w.shrunk(last), 1.0
		const bent = 1.7
		if w.normal() {
			first = math.Sqrt(2 / math.Pi / bent)
		}
		e := w.expected(last, s.Curvature)
		sum, slope := e.at(make([]float64, 3), bent)
		for i, row := range slope {
			if math.Abs(sum[i]) > 1e-9 {
				t.Errorf("%s: %g is expected where the score was taken", family, sum[i])
			}
			for j, v := range row {
				if want := first * s.Curvature[i][j]; math.Abs(v-want) > 1e-8*s.Curvature[0][0] {
					t.Errorf("%s: derivative %d, %d is %g, and that of the table %g", family, i, j, v, want)
				}
			}
		}
		at := []float64{.4, -.7, .9}
		_, slope = e.at(at, bent)
		for j := range at {
			const h = 1e-5
			up, down := append([]float64{}, at...), append([]float64{}, at...)
			up[j] += h
			down[j] -= h
			above, _ := e.at(up, bent)
			below, _ := e.at(down, bent)
			for i := range at {
				if d := (above[i] - below[i]) / (2 * h); math.Abs(d-slope[i][j]) > 1e-6*s.Curvature[0][0] {
					t.Errorf("%s: derivative %d, %d is %g, and differences say %g", family, i, j, slope[i][j], d)
				}
			}
		}
	}
}

// What holds a part of a residual makes a bias: where noise is large too, no part is held nearer than four of
// its root mean squares.
func TestResidualsAreNotHeld(t *testing.T) {
	for _, epsilon := range []float64{.5, 1, 3, 8} {
		m := made(t, dist.Normal().Name, epsilon)
		for k, s := range m.Gradients.Steps {
			if far := m.Within(s); far < 4 && s.Shape < 4 {
				t.Errorf("epsilon %g: score %d holds parts of residuals at %.1f root mean squares, and its shape is %g",
					epsilon, k, far, s.Shape)
			}
		}
		last := m.Gradients.Steps[len(m.Gradients.Steps)-1]
		if most := 1 / last.Scale; last.Reach["s"] < min(most, 4) {
			t.Errorf("epsilon %g: a response is held at %.1f of its scales", epsilon, last.Reach["s"])
		}
	}
}
