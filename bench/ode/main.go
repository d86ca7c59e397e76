// Command ode times density and gradient of Lotka and Volterra's equations over 20 years, as a graph computes
// them and as a program written by hand for these equations alone does, with the same method and control:
//
//	go run ./bench/ode
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/tape"
)

const (
	years     = 20
	tolerance = 1e-6
	rounds    = 41
)

// arguments are alpha, beta, gamma, delta, and the first numbers of hares and lynxes.
var arguments = [6]float64{0.55, 0.028, 0.8, 0.024, 34, 6}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ode:", err)
		os.Exit(1)
	}
}

func run() error {
	g, err := lynxes()
	if err != nil {
		return err
	}
	e := g.NewExec()
	value := 0.0
	ours := func() { e.Forward(arguments[:]); value = e.Target() }
	var other float64
	var slope [6]float64
	byHand := func() { other, slope = written(arguments) }
	ours()
	byHand()
	worst := math.Abs(value/other - 1)
	for k, s := range slope {
		worst = max(worst, math.Abs(e.Grad()[k]/s-1))
	}
	if !(worst < 1e-9) {
		return fmt.Errorf("the two differ by %g: %v and %v", worst, e.Grad(), slope)
	}
	tasks := []stopwatch.Task{{Name: "by hand", Run: byHand}, {Name: "graph", Run: ours}}
	times := stopwatch.Measure(tasks, rounds)
	fmt.Printf("largest relative difference %.1g\n\n| program | us a gradient | times by hand (quartiles) |\n"+
		"| --- | --- | --- |\n", worst)
	for _, t := range times {
		fmt.Printf("| %s | %.1f | %.2f (%.2f-%.2f) |\n", t.Name, t.Median/1000, t.Ratio, t.Low, t.High)
	}
	return nil
}

// lynxes is half the sum of squares of the solution, as a graph.
func lynxes() (*graph.Graph, error) {
	body := graph.New("z")
	body.Plain()
	z, p := body.Input("z", graph.Shape{2}), body.Input("p", graph.Shape{6})
	var err error
	apply := func(b *graph.Builder, name string, a graph.Attr, in ...graph.ID) graph.ID {
		id, fault := b.Apply(name, a, in...)
		if fault != nil && err == nil {
			err = fault
		}
		return id
	}
	of := func(a graph.ID, lo, hi int) graph.ID {
		return apply(body, "slice", graph.Attr{Slices: []graph.Slice{{Lo: lo, Hi: hi, Drop: hi == lo+1}}}, a)
	}
	do := func(name string, in ...graph.ID) graph.ID { return apply(body, name, graph.Attr{}, in...) }
	hares := do("mul", do("sub", of(p, 0, 1), do("mul", of(p, 1, 2), of(z, 1, 2))), of(z, 0, 1))
	lynx := do("mul", do("sub", do("mul", of(p, 3, 4), of(z, 0, 1)), of(p, 2, 3)), of(z, 1, 2))
	for _, id := range []graph.ID{do("append", hares, lynx), of(p, 4, 6), body.Scalar(0)} {
		body.Output("z", id)
	}
	if err != nil {
		return nil, err
	}
	s := &graph.System{Name: "z", State: graph.Shape{2},
		Control: tape.Control{Relative: tolerance, Absolute: tolerance, Steps: 10000},
		Reads:   []graph.Read{{Kind: graph.ReadState}, {Kind: graph.ReadWhole}}}
	if s.Body, err = body.Build(); err != nil {
		return nil, err
	}
	b := graph.New("lynxes")
	x, times := b.Param("p", graph.Shape{6}), make([]float64, years)
	for i := range times {
		times[i] = float64(i + 1)
	}
	y, err := b.Ode(s, b.Const("times", graph.Shape{years}, times), []graph.ID{x})
	if err != nil {
		return nil, err
	}
	sum := apply(b, "sum", graph.Attr{}, apply(b, "mul", graph.Attr{}, y, y))
	if err == nil {
		err = b.Add("y", sum, 0.5)
	}
	if err != nil {
		return nil, err
	}
	return b.Build()
}
