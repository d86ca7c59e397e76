package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// general replaces the narrow forms of an Exec's steps by the general ones, and returns how many there were.
func (e *Exec) general() (narrow int) {
	for _, p := range []struct {
		spec  *program
		loops []loop
	}{{&e.g.forward, e.forward}, {&e.g.target, e.target}, {&e.g.pull, e.pull}} {
		for i, l := range p.loops {
			for j := range l.calls {
				c, v := &l.calls[j], p.spec.loops[i].calls[j].verb
				if v == doClear || c.narrowForm(v) == nil || l.rows > shortRows {
					continue
				}
				narrow++
				if c.run = c.node.op.forward; v == doReverse {
					c.run = c.node.op.vjp
				}
			}
		}
	}
	return narrow
}

// narrowModel is a hierarchy of n effects, with arithmetic and functions of its scales, and an output.
func narrowModel(t *testing.T, n int) *Graph {
	t.Helper()
	library := stdlib.New()
	b := New("narrow")
	apply := func(name string, in ...ID) ID {
		id, err := b.Apply(name, Attr{}, in...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	density := func(term, name string, x ID, theta ...ID) {
		d, ok := library.Dist(name)
		if !ok {
			t.Fatal(name)
		}
		if err := b.Density(term, d, x, theta, NoID, 1.25); err != nil {
			t.Fatal(err)
		}
	}
	zero, one := 0.0, 1.0
	positive := func(name string) ID {
		return b.Bijector(library.For(&zero, nil), b.Param(name, Shape{}), 0, math.Inf(1))
	}
	v := func(size float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = size * math.Sin(float64(5*i+1))
		}
		return out
	}
	scales := v(0.3)
	for i := range scales {
		scales[i]++
	}
	mu, tau, sd := b.Param("mu", Shape{}), positive("tau"), positive("sd")
	share := b.Bijector(library.For(&zero, &one), b.Param("share", Shape{}), 0, 1)
	raw, other := b.Param("raw", Shape{n}), b.Param("other", Shape{n})
	scale := apply("mul", apply("sqrt", apply("div", tau, apply("add", sd, b.Scalar(1)))),
		apply("exp", apply("sub", share, apply("mul", mu, mu))))
	theta := apply("add", mu, apply("mul", scale, raw))
	y := b.Const("y", Shape{n}, v(2))
	density("mu", "normal", mu, b.Scalar(0.2), b.Scalar(5))
	density("tau", "half_cauchy", tau, b.Scalar(2))
	density("sd", "gamma", sd, b.Scalar(2), tau)
	density("raw", "normal", raw, b.Scalar(0.1), b.Scalar(1.5))
	density("other", "normal", other, raw, b.Const("scales", Shape{n}, scales))
	density("y", "normal", y, theta, b.Const("scales", Shape{n}, scales))
	b.Output("scale", scale)
	b.Output("tau", tau)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestNarrowSteps compares the narrow forms of steps with the general ones, bit for bit, with log-Jacobians
// and without.
func TestNarrowSteps(t *testing.T) {
	for n := 1; n <= shortRows+1; n++ {
		for _, jacobian := range []bool{true, false} {
			g := narrowModel(t, n)
			x := make([]float64, g.Dim())
			for i := range x {
				x[i] = 0.7 * math.Sin(float64(3*i+2))
			}
			results := func(e *Exec) []float64 {
				e.Jacobian(jacobian)
				e.Forward(x)
				out := append([]float64{e.Target()}, e.TermValues()...)
				for k := range g.Outputs() {
					out = append(append(out, e.Output(k)...), e.Own(k)...)
				}
				e.Pull([][]float64{e.Own(0), {0.3}})
				return append(out, e.Grad()...)
			}
			narrow, general := g.NewExec(), g.NewExec()
			steps, fewest := general.general(), 20
			if n > shortRows {
				fewest = 15
			}
			if steps < fewest {
				t.Errorf("%d rows: %d steps have narrow forms", n, steps)
			}
			got, want := results(narrow), results(general)
			if !slices.Equal(got, want) || slices.ContainsFunc(want, math.IsNaN) {
				t.Errorf("%d rows, log-Jacobians %v:\n%v in narrow forms,\n%v in general ones\n%s", n,
					jacobian, got, want, g)
			}
		}
	}
}
