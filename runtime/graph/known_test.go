package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	factors "github.com/vflc/vflc/stdlib/linear"
)

// scatters are data for a normal distribution of vectors of k numbers: a covariance matrix, a Cholesky factor
// or a precision matrix, of a condition that the exponent decides.
func scatters(k int, exponent float64) map[string][]float64 {
	r := rand.New(rand.NewPCG(uint64(k), 7))
	l := make([]float64, k*k)
	for j := range k {
		for i := j; i < k; i++ {
			l[j*k+i] = 0.3 * r.NormFloat64()
		}
		l[j*k+j] = math.Exp(-exponent * float64(j) / float64(k))
	}
	sigma := make([]float64, k*k)
	factors.TimesOwnTranspose(sigma, l, k)
	return map[string][]float64{"multi_normal": sigma, "multi_normal_cholesky": l, "multi_normal_prec": sigma}
}

// Normal densities of vectors whose scatter is data, or data times numbers, are those that solve with the
// scatter at each evaluation, with the same gradient, and solve nothing; where that would lose digits they do
// solve.
func TestKnownScatter(t *testing.T) {
	const k, n = 6, 5
	for exponent, known := range map[float64]bool{1: true, 40: false} {
		for name, scatter := range scatters(k, exponent) {
			for form := range 16 {
				several, scaled, mean, divided := form&1 > 0, form&2 > 0, form&4 > 0, form&8 > 0
				if !known && name == "multi_normal_prec" {
					continue // nothing is inverted there
				}
				var got [2][]float64
				for plain := range got {
					b := graph.New("known")
					if plain == 1 {
						b.Plain()
					}
					of, mu := graph.Shape{k}, b.Scalar(0.2)
					if several {
						of = graph.Shape{n, k}
					}
					x := b.Param("x", of)
					if mean {
						mu = b.Param("mu", graph.Shape{k})
					}
					theta := b.Const("scatter", graph.Shape{k, k}, scatter)
					if scaled {
						number := func(name string) graph.ID { return apply(t, b, "exp", b.Param(name, nil)) }
						theta = apply(t, b, "mul", number("q"),
							apply(t, b, "mul", theta, apply(t, b, "square", number("s"))))
						if divided {
							theta = apply(t, b, "div", apply(t, b, "div", theta, number("t")), number("r"))
						}
					}
					if err := b.Density("x", dist(t, name), x, []graph.ID{mu, theta}, graph.NoID,
						0.7); err != nil {
						t.Fatal(err)
					}
					g := build(t, b)
					if solves := strings.Contains(g.String(), "events."); solves != (plain == 1 || !known) {
						t.Errorf("%s, form %d, exponent %v: a system is solved: %v", name, form, exponent, solves)
					}
					e := g.NewExec()
					at := make([]float64, g.Dim())
					for i := range at {
						at[i] = math.Sin(float64(3*i + 1))
					}
					e.Forward(at)
					got[plain] = append([]float64{e.Target()}, e.Grad()...)
				}
				for i, want := range got[1] {
					if !near(got[0][i], want, 1e-9) {
						t.Errorf("%s, form %d, number %d: %v, want %v", name, form, i, got[0][i], want)
					}
				}
			}
		}
	}
}

// The Cholesky factor of a number times data is the number's root times a factor that is found once.
func TestFactorOfAMultiple(t *testing.T) {
	const k = 5
	sigma := scatters(k, 1)["multi_normal"]
	var got [2][]float64
	for i := range got {
		b := graph.New(fmt.Sprint("multiple ", i))
		s := apply(t, b, "exp", b.Param("s", nil))
		c := apply(t, b, "mul", s, b.Const("", graph.Shape{k, k}, sigma))
		if i == 1 { // what is not seen to be one
			zeros := b.Const("", graph.Shape{k, k}, make([]float64, k*k))
			c = apply(t, b, "add", c, apply(t, b, "mul", s, zeros))
		}
		l := apply(t, b, "cholesky", c)
		number, factor, ok := b.Multiple(l)
		if ok != (i == 0) || ok && (number == graph.NoID || factor == nil) {
			t.Errorf("form %d: seen as a multiple: %v", i, ok)
		}
		b.Report("l", l)
		if err := b.Add("", apply(t, b, "sin", l), 1); err != nil {
			t.Fatal(err)
		}
		e := build(t, b).NewExec()
		e.Forward([]float64{0.3})
		got[i] = append(append([]float64{e.Target()}, e.Grad()...), e.Report(0)...)
	}
	for i, want := range got[1] {
		if !near(got[0][i], want, 1e-12) {
			t.Errorf("number %d: %v, want %v", i, got[0][i], want)
		}
	}
}
