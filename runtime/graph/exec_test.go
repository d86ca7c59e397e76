package graph_test

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
)

// client is a party with every kind of node: a constrained scale, a gathered vector, data, a received value,
// two outputs (one a parameter) and terms on both sides of the cut.
func client(tb testing.TB) *graph.Graph {
	const n = 300
	d := newLogisticData(n, 3)
	b := graph.New("client")
	zero := 0.0
	normal := dist(tb, "normal")
	group := make([]float64, n)
	for i := range group {
		group[i] = float64(1 + i%4)
	}
	raw, beta, eta := b.Param("tau", shape{}), b.Param("beta", shape{3}), b.Param("eta", shape{4})
	shared, total := b.Input("mu", shape{}), b.Input("total", shape{n})
	tau := b.Bijector(stdlib.New().For(&zero, nil), raw, 0, math.Inf(1))
	a := apply(tb, b, "add", shared, apply(tb, b, "mul", tau, eta))
	x := b.Const("X", shape{n, 3}, d.columns)
	g := apply(tb, b, "add", apply(tb, b, "matmul", x, beta),
		apply(tb, b, "gather", a, b.Const("g", shape{n}, group)))
	for _, term := range []struct {
		name string
		x    graph.ID
	}{{"tau", tau}, {"beta", beta}, {"eta", eta}} {
		if err := b.Density(term.name, normal, term.x, []graph.ID{b.Scalar(0), b.Scalar(1)}, graph.NoID,
			1); err != nil {
			tb.Fatal(err)
		}
	}
	b.Output("g", g)
	b.Output("beta", beta)
	y := b.Const("y", shape{n}, d.y)
	if err := b.Density("y", dist(tb, "bernoulli_logit"), y, []graph.ID{apply(tb, b, "add", g, total)},
		graph.NoID, 0.5); err != nil {
		tb.Fatal(err)
	}
	b.Report("tau", tau)
	b.Report("a", a)
	return build(tb, b)
}

// fill returns a position and sets the inputs of client, different for each k.
func fill(e *graph.Exec, g *graph.Graph, k float64) []float64 {
	x := make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.3 * math.Sin(k+float64(i))
	}
	for j := range g.Inputs() {
		for i := range e.Input(j) {
			e.Input(j)[i] = math.Cos(k*float64(j+1) + float64(i))
		}
	}
	return x
}

// sweepAll runs every entry point once and returns all results.
func sweepAll(e *graph.Exec, g *graph.Graph, k float64) []float64 {
	e.Forward(fill(e, g, k))
	out := []float64{e.Target()}
	seeds := make([][]float64, len(g.Outputs()))
	seeds[0] = e.Own(0)
	e.Pull(seeds)
	out = append(out, e.Grad()...)
	for j := range g.Inputs() {
		out = append(out, e.InputAdjoint(j)...)
	}
	for j := range g.Outputs() {
		out = append(append(out, e.Output(j)...), e.Own(j)...)
	}
	for j := range g.Reports() {
		out = append(out, e.Report(j)...)
	}
	return append(out, e.TermValues()...)
}

func TestPorts(t *testing.T) {
	g := client(t)
	if g.Dim() != 8 {
		t.Errorf("dimension %d, want 8", g.Dim())
	}
	for i, want := range []graph.Port{{Name: "tau", Shape: shape{}, Len: 1},
		{Name: "beta", Shape: shape{3}, Offset: 1, Len: 3}, {Name: "eta", Shape: shape{4}, Offset: 4,
			Len: 4}} {
		if p := g.Params()[i]; p.Name != want.Name || p.Offset != want.Offset || p.Len != want.Len {
			t.Errorf("parameter %d is %+v, want %+v", i, p, want)
		}
	}
	if in := g.Inputs(); !in[0].Early || in[1].Early {
		t.Errorf("early inputs: mu %v, total %v; want mu alone", in[0].Early, in[1].Early)
	}
	if out := g.Outputs(); out[0].Affine || !out[1].Affine {
		t.Errorf("affine outputs: g %v, beta %v; want beta alone, since g has tau·eta", out[0].Affine,
			out[1].Affine)
	}
	if got, want := strings.Join(g.Terms(), ", "), "jacobian of tau, tau, beta, eta, y"; got != want {
		t.Errorf("terms %s, want %s", got, want)
	}
}

// TestAffine checks the degree of the result of each way of combining values.
func TestAffine(t *testing.T) {
	b := graph.New("affine")
	p, q, z := b.Param("p", shape{3}), b.Param("q", shape{3}), b.Input("z", shape{3})
	x := b.Const("X", shape{2, 3}, make([]float64, 6))
	cond := b.Const("c", shape{3}, []float64{1, 0, 1})
	a := func(op string, in ...graph.ID) graph.ID { return apply(t, b, op, in...) }
	for _, c := range []struct {
		id   graph.ID
		want bool
	}{
		{p, true}, {a("add", p, q), true}, {a("mul", p, z), true}, {a("mul", p, q), false},
		{a("div", p, z), true}, {a("div", z, p), false}, {a("matmul", x, p), true},
		{a("exp", p), false}, {a("exp", z), true}, {a("mean", a("sub", p, z)), true},
		{a("where", cond, p, z), true}, {a("cumulative_sum", a("neg", p)), true}, {a("dot", p, q), false},
		{a("where", a("gt", p, z), p, z), false}, {a("sd", p), false},
	} {
		b.Output("o", c.id)
		g := build(t, b)
		if out := g.Outputs(); out[len(out)-1].Affine != c.want {
			t.Errorf("output %d: affine is %v, want %v\n%s", len(out)-1, !c.want, c.want, g)
		}
	}
}

// TestNoAllocations checks that no method allocates.
func TestNoAllocations(t *testing.T) {
	g := client(t)
	e := g.NewExec()
	x := fill(e, g, 1)
	seeds := [][]float64{e.Own(0), nil}
	if n := testing.AllocsPerRun(20, func() {
		e.Forward(x)
		e.Target()
		e.Pull(seeds)
		e.Report(0)
		e.Report(1)
		e.Grad()
		e.InputAdjoint(0)
		e.TermValues()
	}); n != 0 {
		t.Errorf("%v allocations per evaluation, want 0", n)
	}
}

// TestConcurrentExecs runs two goroutines on one graph at different points and compares with sequential runs,
// bit for bit.
func TestConcurrentExecs(t *testing.T) {
	g := client(t)
	var alone, together [2][]float64
	for k := range alone {
		alone[k] = sweepAll(g.NewExec(), g, float64(k))
	}
	var wait sync.WaitGroup
	for k := range together {
		wait.Go(func() {
			e := g.NewExec()
			for range 50 {
				together[k] = sweepAll(e, g, float64(k))
			}
		})
	}
	wait.Wait()
	for k := range alone {
		if !slices.Equal(alone[k], together[k]) {
			t.Errorf("evaluation %d differs when another runs beside it", k)
		}
	}
}

// TestTargetAgain checks that a second Target after one Forward, with other late inputs, does not depend on
// the first.
func TestTargetAgain(t *testing.T) {
	g := client(t)
	e := g.NewExec()
	want := sweepAll(e, g, 3)
	e.Forward(fill(e, g, 3))
	late := slices.Clone(e.Input(1))
	clear(e.Input(1))
	e.Target()
	e.Pull([][]float64{e.Own(0), nil})
	copy(e.Input(1), late)
	got := []float64{e.Target()}
	e.Pull([][]float64{e.Own(0), nil})
	got = append(got, e.Grad()...)
	if !slices.Equal(got, want[:len(got)]) {
		t.Errorf("after a first Target: %v, alone: %v", got, want[:len(got)])
	}
}

// TestPullAlone compares Pull without Target with finite differences of the outputs, and checks that two
// Pulls add.
func TestPullAlone(t *testing.T) {
	g := client(t)
	e := g.NewExec()
	x := fill(e, g, 2)
	seed := [][]float64{make([]float64, 300), {1, 2, 3}}
	for i := range seed[0] {
		seed[0][i] = math.Sin(float64(i))
	}
	value := func() float64 {
		e.Forward(x)
		s := 0.0
		for k := range seed {
			for i, v := range e.Output(k) {
				s += v * seed[k][i]
			}
		}
		return s
	}
	value()
	e.Pull(seed)
	grad := slices.Clone(e.Grad())
	e.Pull(seed)
	for i, v := range e.Grad() {
		if !near(v, 2*grad[i], 1e-14) {
			t.Errorf("pulled twice, derivative %d is %v, want %v", i, v, 2*grad[i])
		}
	}
	for i := range x {
		const h = 1e-5
		at := x[i]
		x[i] = at + h
		up := value()
		x[i] = at - h
		down := value()
		x[i] = at
		if want := (up - down) / (2 * h); !near(grad[i], want, 1e-7) {
			t.Errorf("derivative %d is %v, want %v", i, grad[i], want)
		}
	}
}

// TestOutputTwice checks that a value marked twice is two outputs, and that its derivative is counted once.
func TestOutputTwice(t *testing.T) {
	b := graph.New("twice")
	p := b.Param("p", shape{2})
	b.Output("a", p)
	b.Output("b", p)
	if err := b.Add("t", p, 3); err != nil {
		t.Fatal(err)
	}
	e := build(t, b).NewExec()
	e.Forward([]float64{1, 2})
	e.Target()
	if !slices.Equal(e.Output(0), e.Output(1)) || e.Own(0)[0]+e.Own(1)[0] != 3 {
		t.Errorf("outputs %v, %v; own %v, %v", e.Output(0), e.Output(1), e.Own(0), e.Own(1))
	}
	e.Pull([][]float64{{1, 0}, {10, 100}})
	if want := []float64{11, 100}; !slices.Equal(e.Grad(), want) {
		t.Errorf("gradient %v, want %v", e.Grad(), want)
	}
}

// TestEmpty checks that a graph without rows, parameters and terms evaluates to zero.
func TestEmpty(t *testing.T) {
	b := graph.New("empty")
	p := b.Param("p", shape{0, 2})
	if err := b.Density("t", dist(t, "normal"), p, []graph.ID{b.Scalar(0), b.Scalar(1)}, graph.NoID,
		1); err != nil {
		t.Fatal(err)
	}
	b.Output("sum", apply(t, b, "sum", p))
	e := build(t, b).NewExec()
	e.Forward(nil)
	if v := e.Target(); v != 0 || e.Output(0)[0] != 0 {
		t.Errorf("target %v, sum %v; want 0, 0", v, e.Output(0))
	}
}

// TestMisuse checks that misuse by the calling program panics with the package's name.
func TestMisuse(t *testing.T) {
	g := client(t)
	b := graph.New("misuse")
	for name, f := range map[string]func(){
		"values":    func() { b.Const("c", shape{3}, []float64{1}) },
		"node":      func() { b.Shape(7) },
		"dimension": func() { b.Param("p", shape{1, 1, 1, 1}) },
		"negative":  func() { b.Input("p", shape{-1}) },
		"x":         func() { g.NewExec().Forward(nil) },
		"seeds":     func() { g.NewExec().Pull(nil) },
		"theta":     func() { _ = b.Density("t", dist(t, "normal"), b.Scalar(1), nil, graph.NoID, 1) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "graph: ") {
					t.Errorf("%s: panic %q, want one that begins with \"graph: \"", name, s)
				}
			}()
			f()
		}()
	}
}

// TestOwnIsWithOutputHeld compares the derivatives by an output, and by what is received beside it, with
// those of a graph that receives the output too. In some cases they are equal and stored once, in others they
// are nearly so.
func TestOwnIsWithOutputHeld(t *testing.T) {
	const n = 300
	d := newLogisticData(n, 3)
	type nodes struct{ b, g, z graph.ID }
	for name, c := range map[string]struct {
		eta func(b *graph.Builder, in nodes) graph.ID
		and func(b *graph.Builder, in nodes) // more of the density
	}{
		"a sum": {eta: func(b *graph.Builder, in nodes) graph.ID {
			return apply(t, b, "add", in.b, apply(t, b, "add", in.g, in.z))
		}},
		"a sum the other way round": {eta: func(b *graph.Builder, in nodes) graph.ID {
			return apply(t, b, "add", apply(t, b, "add", in.z, in.b), in.g)
		}},
		"a difference": {eta: func(b *graph.Builder, in nodes) graph.ID {
			return apply(t, b, "add", in.b, apply(t, b, "sub", in.z, in.g))
		}},
		"the output twice": {eta: func(b *graph.Builder, in nodes) graph.ID {
			return apply(t, b, "add", in.g, apply(t, b, "add", in.g, in.z))
		}},
		"the output in another density": {
			eta: func(b *graph.Builder, in nodes) graph.ID { return apply(t, b, "add", in.g, in.z) },
			and: func(b *graph.Builder, in nodes) {
				density(t, b, "more", "normal", in.g, b.Scalar(0), b.Scalar(2))
			},
		},
		"what is received in another density": {
			eta: func(b *graph.Builder, in nodes) graph.ID { return apply(t, b, "add", in.g, in.z) },
			and: func(b *graph.Builder, in nodes) {
				density(t, b, "more", "normal", in.z, b.Scalar(0), b.Scalar(2))
			},
		},
		"the sum in another density": {
			eta: func(b *graph.Builder, in nodes) graph.ID { return apply(t, b, "add", in.g, in.z) },
			and: func(b *graph.Builder, in nodes) {
				density(t, b, "more", "normal", apply(t, b, "add", in.g, in.z), b.Scalar(0), b.Scalar(2))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			exec := func(received bool) *graph.Exec {
				b := graph.New("held")
				beta := b.Param("beta", shape{3})
				in := nodes{b: b.Input("b", shape{}), z: b.Input("z", shape{n})}
				if received {
					in.g = b.Input("g", shape{n})
				} else {
					in.g = apply(t, b, "matmul", b.Const("X", shape{n, 3}, d.columns), beta)
					b.Output("g", in.g)
				}
				density(t, b, "beta", "normal", beta, b.Scalar(0), b.Scalar(1))
				density(t, b, "y", "bernoulli_logit", b.Const("y", shape{n}, d.y), c.eta(b, in))
				if c.and != nil {
					c.and(b, in)
				}
				return build(t, b).NewExec()
			}
			own, held := exec(false), exec(true)
			for k := range 3 {
				x := []float64{0.3, float64(k), -1}
				own.Forward(x)
				held.Forward(x)
				copy(held.Input(2), own.Output(0))
				for _, e := range []*graph.Exec{own, held} {
					e.Input(0)[0] = 0.2
					for i := range e.Input(1) {
						e.Input(1)[i] = math.Sin(float64(i + k))
					}
				}
				if got, want := own.Target(), held.Target(); !near(got, want, 1e-13) {
					t.Errorf("log density %v, want %v", got, want)
				}
				for what, v := range map[string][2][]float64{"the output": {own.Own(0), held.InputAdjoint(2)},
					"b": {own.InputAdjoint(0), held.InputAdjoint(0)},
					"z": {own.InputAdjoint(1), held.InputAdjoint(1)}, "beta": {own.Grad(), held.Grad()}} {
					for i, want := range v[1] {
						if !near(v[0][i], want, 1e-13) {
							t.Fatalf("derivative by %s, element %d: %v, want %v", what, i, v[0][i], want)
						}
					}
				}
			}
		})
	}
}
