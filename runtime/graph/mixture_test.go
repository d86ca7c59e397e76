package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A mixture of many rows, written as operations, has the value and the gradient of its own loop: of one
// weight and of several, of components alike and unlike, whose carriers are inside the sum, with predictors,
// rows far from every component, and shares of 0 and 1.
func TestMixturesByVectors(t *testing.T) {
	const n = 90
	for _, c := range []struct {
		components []string
		weights    []float64 // that are data; nil: parameters
		count      bool
	}{
		{components: []string{"normal", "normal"}},
		{components: []string{"normal", "student_t", "cauchy"}},
		{components: []string{"poisson", "poisson"}, count: true},
		{components: []string{"poisson", "neg_binomial_2"}, count: true},
		{components: []string{"normal", "normal", "normal"}, weights: []float64{0, 0.25, 0.75}},
		{components: []string{"normal", "normal"}, weights: []float64{1}},
	} {
		var of []*def.Dist
		for _, name := range c.components {
			d, _ := stdlib.New().Dist(name)
			of = append(of, d)
		}
		weights := max(len(c.weights), 1)
		if c.weights == nil && len(of) > 2 {
			weights = len(of)
		}
		mixture := stdlib.Mixture(of, weights)
		var got [2][]float64
		for i := range got {
			b := graph.New("mixture")
			if i == 1 {
				b.Plain()
			}
			g, x := mixtureOf(t, b, &mixture, c.weights, weights, c.count, n)
			got[i] = evaluated(g, x)
			e := g.NewExec()
			if n := testing.AllocsPerRun(3, func() { e.Forward(x); e.Target() }); i == 0 && n != 0 {
				t.Errorf("%v: %v allocations", c.components, n)
			}
		}
		for k, want := range got[1] {
			if !(math.Abs(got[0][k]-want) <= 1e-11*max(1, math.Abs(got[1][0]), math.Abs(want))) {
				t.Errorf("%v, weights %v: number %d is %v, want %v", c.components, c.weights, k, got[0][k], want)
			}
		}
	}
}

// mixtureOf has a mixture as a likelihood, whose positive parameters are functions of predictors.
func mixtureOf(t *testing.T, b *graph.Builder, d *def.Dist, data []float64, weights int, count bool,
	n int) (*graph.Graph, []float64) {
	r := rand.New(rand.NewPCG(73, 74))
	var theta []graph.ID
	var x []float64
	for _, p := range d.Params[:len(d.Params)-weights] {
		id := b.Param(p.Name, shape{n})
		for range n {
			x = append(x, 0.5*r.NormFloat64())
		}
		if p.Domain != def.RealLine {
			var err error
			if id, err = b.Apply("exp", graph.Attr{}, id); err != nil {
				t.Fatal(err)
			}
		}
		theta = append(theta, id)
	}
	for k := range weights {
		if data != nil {
			theta = append(theta, b.Scalar(data[k]))
			continue
		}
		theta = append(theta, b.Param("weight", shape{}))
		x = append(x, 0.3)
	}
	y := make([]float64, n)
	for i := range y {
		if y[i] = 3 * r.NormFloat64(); count {
			y[i] = float64(r.IntN(9))
		}
	}
	if y[0] = 200; count {
		y[1] = 0
	}
	if err := b.Likelihood("y", d, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
		t.Fatal(err)
	}
	return build(t, b), x
}

// A share outside of 0 and 1 leaves no density.
func TestSharesOutside(t *testing.T) {
	normal, _ := stdlib.New().Dist("normal")
	for _, w := range [][]float64{{-0.1}, {1.1}, {1.5, 0.25}, {0.25, -0.5}} {
		d := stdlib.Mixture([]*def.Dist{normal, normal}, len(w))
		b := graph.New("shares")
		theta := []graph.ID{b.Scalar(0), b.Scalar(1), b.Scalar(2), b.Scalar(1)}
		for range w {
			theta = append(theta, b.Param("w", shape{}))
		}
		y := make([]float64, 50)
		if err := b.Likelihood("y", &d, b.Const("y", shape{50}, y), theta, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
		e := build(t, b).NewExec()
		if e.Forward(w); e.Target() > math.Inf(-1) {
			t.Errorf("shares %v have the density %v", w, e.Target())
		}
	}
}
