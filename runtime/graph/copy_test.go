package graph_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
)

// A copied node computes what it does in its own graph, with what stands for the known nodes in their place;
// so does its reverse. A constrained value, a constant and a function of both are copied, and the parameter x
// is 2x + 1 in the copy.
func TestCopy(t *testing.T) {
	zero := 0.0
	from := graph.New("from")
	s, x := from.Param("s", nil), from.Param("x", shape{3})
	scale := from.Bijector(stdlib.New().For(&zero, nil), s, 0, math.Inf(1))
	value := apply(t, from, "add", from.Const("c", shape{3}, []float64{1, 2, 3}),
		apply(t, from, "mul", scale, x))
	to := graph.New("to")
	known := to.CopyParams(from)
	known[x] = apply(t, to, "add", apply(t, to, "mul", to.Scalar(2), known[x]), to.Scalar(1))
	to.Output("value", to.Copy(from, value, known))
	e := build(t, to).NewExec()
	at := []float64{0.3, -1, 0.5, 2}
	e.Forward(at)
	e.Pull([][]float64{{1, 1, 1}})
	sum := 0.0
	for i, got := range e.Output(0) {
		x := 2*at[1+i] + 1
		sum += x
		if want := float64(i+1) + math.Exp(at[0])*x; math.Abs(got-want) > 1e-14*math.Abs(want) {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
		if got, want := e.Grad()[1+i], 2*math.Exp(at[0]); math.Abs(got-want) > 1e-14*want {
			t.Errorf("derivative by element %d is %v, want %v", i, got, want)
		}
	}
	if got, want := e.Grad()[0], math.Exp(at[0])*sum; math.Abs(got-want) > 1e-13*math.Abs(want) {
		t.Errorf("derivative by s is %v, want %v", got, want)
	}
	if offset, ok := from.Coordinates(x); !ok || offset != 1 {
		t.Errorf("x has the offset %d, %v", offset, ok)
	}
	if _, ok := from.Coordinates(value); ok {
		t.Error("a value is taken for a parameter")
	}
}

// A leaf that nothing stands for cannot be copied: what depends on an input is known by Received.
func TestCopyOfAnInput(t *testing.T) {
	from := graph.New("from")
	x, in := from.Param("x", nil), from.Input("in", nil)
	both := apply(t, from, "add", x, in)
	if from.Received(x) || !from.Received(both) {
		t.Error("a node that depends on no input is received, or the other way round")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	to := graph.New("to")
	to.Copy(from, both, to.CopyParams(from))
}
