package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// shared are the sizes of the logistic regressions whose chains share a core.
var shared = [][2]int{{10_000, 50}, {10_000, 100}, {10_000, 500}, {10_000, 2000}, {100_000, 20},
	{100_000, 50}}

// A crew is some chains on one core, each a goroutine.
type crew struct {
	execs []*graph.Exec
	at    [][]float64
	alone bool // each evaluates as if there were no others
}

func newCrew(g *graph.Graph, chains int, alone bool) *crew {
	c := &crew{alone: alone}
	for k := range chains {
		x := beside.Point(g.Dim())
		for i := range x {
			x[i] *= 1 + 0.01*float64(k)
		}
		c.execs, c.at = append(c.execs, g.NewExec()), append(c.at, x)
	}
	return c
}

// run has every chain make some evaluations, and returns the CPU time of the process.
func (c *crew) run(evaluations int) time.Duration {
	var convoy *vector.Convoy
	if !c.alone {
		convoy = vector.NewConvoy(len(c.execs), 1)
	}
	begin := stopwatch.Process()
	var wait sync.WaitGroup
	for k, e := range c.execs {
		e.Use(convoy.Group(k))
		convoy.Begin(k)
	}
	for k, e := range c.execs {
		wait.Go(func() {
			defer convoy.End(k)
			for range evaluations {
				e.Forward(c.at[k])
				e.Target()
			}
		})
	}
	wait.Wait()
	return stopwatch.Process() - begin
}

// printChains prints, for some chains on one core, the time of one gradient of one of them: in JAX's loop
// over one chain, and over all, in vflc for each by itself, and together.
func printChains(venv string, least, chains int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, err := jax(venv, 1)
	if err != nil {
		return err
	}
	all, err := jax(venv, chains)
	if err != nil {
		return err
	}
	fmt.Printf("one gradient of %d chains on one core, ns; ratios are medians of rounds with quartiles, "+
		"JAX's loop over one chain to the others\n", chains)
	fmt.Printf("%-40s %10s %10s %10s %10s  %-18s %-18s %-18s %s\n", "", "JAX", "vmap", "vflc alone",
		"together", "JAX / together", "vmap / together", "alone / together", "JAX's X by")
	for _, size := range shared {
		n, p := size[0], size[1]
		for _, r := range logistics(n, p) {
			if !wanted(r.name) {
				continue
			}
			if err := r.printChains(one, all, least, chains); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return nil
}

// printChains measures a row. A run of every task is a gradient of each chain.
func (r *row) printChains(one, all []*beside.Program, least, chains int) error {
	g, err := beside.Load(r.text, r.data())
	if err != nil {
		return err
	}
	alone, together := newCrew(g, chains, true), newCrew(g, chains, false)
	single, mapped := fastest(one, r, least), fastest(all, r, least)
	tasks := []stopwatch.Task{
		{Name: "together", Elsewhere: together.run},
		{Name: "JAX", Elsewhere: func(runs int) time.Duration { return single.Run(r.request(), runs*chains) }},
		{Name: "vmap", Elsewhere: func(runs int) time.Duration { return mapped.Run(r.request(), runs) }},
		{Name: "alone", Elsewhere: alone.run},
	}
	t := stopwatch.MeasureSeries(tasks, rounds, least)
	each := func(k int) float64 { return t[k].Median / float64(chains) }
	ratio := func(k int) string { return fmt.Sprintf("%.2f (%.2f-%.2f)", t[k].Ratio, t[k].Low, t[k].High) }
	fmt.Printf("%-40s %10.0f %10.0f %10.0f %10.0f  %-18s %-18s %-18s %s, %s\n", r.name, each(1), each(2),
		each(3), each(0), ratio(1), ratio(2), ratio(3), single.Name, mapped.Name)
	if single.Err != nil {
		return single.Err
	}
	return mapped.Err
}
