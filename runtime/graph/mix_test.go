package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// mixes has each form of a mix, with shares of rows, of columns and of all, and what is not one.
func mixes(tb testing.TB, b *graph.Builder) {
	const n, columns = 40, 3
	a := func(op string, in ...graph.ID) graph.ID { return apply(tb, b, op, in...) }
	row := func(rate float64) []float64 {
		v := make([]float64, n*columns)
		for i := range v {
			v[i] = math.Sin(rate * float64(i+1))
		}
		return v
	}
	x, y := b.Const("x", shape{n, columns}, row(1)), b.Const("y", shape{n, columns}, row(2))
	p, w, v := b.Param("p", shape{}), b.Param("w", shape{n}), b.Param("v", shape{columns})
	one := b.Scalar(1)
	u, m := a("inv_logit", w), a("inv_logit", a("mul", x, v))
	s := a("inv_logit", p)
	z := b.Const("z", shape{n}, row(3)[:n])
	rest := a("sub", one, u)
	add := func(id graph.ID) {
		if err := b.Add("y", a("tanh", id), 1); err != nil {
			tb.Fatal(err)
		}
	}
	add(a("add", a("mul", u, z), a("mul", rest, w)))                     // of rows
	add(a("add", a("mul", w, rest), a("mul", z, u)))                     // in another order
	add(a("add", u, a("mul", rest, a("square", z))))                     // a floor
	add(a("add", w, a("mul", u, a("sub", z, w))))                        // a step of learning
	add(a("add", a("mul", m, x), a("mul", a("sub", one, m), y)))         // of matrices
	add(a("add", a("mul", s, x), a("mul", a("sub", one, s), m)))         // one share
	add(a("add", a("mul", m, v), a("mul", a("sub", one, m), p)))         // of a value by column, and one
	add(a("add", a("mul", u, u), a("mul", rest, w)))                     // of itself
	add(a("add", a("mul", u, z), a("mul", rest, u)))                     // and of it the rest
	add(a("add", a("mul", u, z), a("mul", a("sub", one, w), w)))         // another share
	add(a("add", a("mul", u, z), a("mul", a("sub", b.Scalar(2), u), w))) // not the rest
}

// What is a mix is one operation, and computes what its operations compute.
func TestMixes(t *testing.T) {
	g, x := made(t, mixes, false)
	if mix, step := strings.Count(g.String(), "= mix("), strings.Count(g.String(), "= step("); mix != 6 ||
		step != 1 {
		t.Errorf("%d mixes and %d steps:\n%s", mix, step, g)
	}
	plain, _ := made(t, mixes, true)
	e, f := g.NewExec(), plain.NewExec()
	e.Forward(x)
	f.Forward(x)
	if math.Abs(e.Target()-f.Target()) > 1e-14*math.Abs(f.Target()) {
		t.Errorf("target %v, want %v", e.Target(), f.Target())
	}
	for i, want := range f.Grad() {
		if got := e.Grad()[i]; math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %v, want %v", i, got, want)
		}
	}
}

// A step of a large rate between values that are near each other is rounded as it is written.
func TestStepsBetweenNearValues(t *testing.T) {
	const n, rate = 20, 0x1p40
	b := graph.New("near")
	a, r, v := b.Param("a", shape{n}), b.Param("r", shape{n}), b.Param("v", shape{n})
	step := apply(t, b, "add", v, apply(t, b, "mul", a, apply(t, b, "sub", r, v)))
	if err := b.Add("y", step, 1); err != nil {
		t.Fatal(err)
	}
	g := build(t, b)
	x, want := make([]float64, 3*n), 0.0
	for i := range n {
		x[i], x[n+i], x[2*n+i] = rate, 1+0x1p-50*float64(i), 1
		want += 1 + 0x1p-10*float64(i)
	}
	e := g.NewExec()
	if e.Forward(x); !strings.Contains(g.String(), "= step(") || math.Abs(e.Target()-want) > 1e-14*want {
		t.Errorf("target %v, want %v:\n%s", e.Target(), want, g)
	}
}

// Lookups in one table that are joined are one.
func TestJoinedLookups(t *testing.T) {
	model := func(tb testing.TB, b *graph.Builder) {
		v, m := b.Param("v", shape{5}), b.Param("m", shape{4, 2})
		index := func(at ...float64) graph.ID { return b.Const("i", shape{len(at)}, at) }
		a := func(op string, in ...graph.ID) graph.ID { return apply(tb, b, op, in...) }
		elements := a("append", a("gather", v, index(1, 5, 5)), a("gather", v, index(2)), a("gather", v, index(4, 1)))
		entries := a("append", a("gather", m, index(1, 4), index(2, 1)), a("gather", m, index(3), index(2)))
		rows := a("append", a("gather", m, index(4, 4)), a("gather", m, index(1)))
		for k, id := range []graph.ID{elements, entries, rows} {
			if err := b.Add("y", a("exp", a("mul", b.Scalar(float64(k+1)), id)), 1); err != nil {
				tb.Fatal(err)
			}
		}
	}
	g, x := made(t, model, false)
	if got := strings.Count(g.String(), "= gather("); got != 3 {
		t.Errorf("%d lookups:\n%s", got, g)
	}
	plain, _ := made(t, model, true)
	sameWithLess(t, "lookups", [2]*graph.Graph{g, plain}, x, true)
}

// A share next to 1 keeps the part of the other: 1 - a is not rounded to the places of 1.
func TestMixesOfSmallParts(t *testing.T) {
	b := graph.New("small")
	const n = 20
	zero := b.Const("zero", shape{n}, make([]float64, n))
	u, w := b.Param("u", shape{n}), b.Param("w", shape{n})
	rest := apply(t, b, "sub", b.Scalar(1), u)
	y := apply(t, b, "add", apply(t, b, "mul", u, zero), apply(t, b, "mul", rest, w))
	if err := b.Add("y", apply(t, b, "log", y), 1); err != nil {
		t.Fatal(err)
	}
	g := build(t, b)
	x := make([]float64, 2*n)
	want := 0.0
	for i := range n {
		x[i], x[n+i] = 1-0x1p-40*float64(i+1), float64(i+1)/3
		want += math.Log((1 - x[i]) * x[n+i])
	}
	e := g.NewExec()
	e.Forward(x)
	if math.Abs(e.Target()-want) > 1e-14*math.Abs(want) {
		t.Errorf("target %v, want %v", e.Target(), want)
	}
}
