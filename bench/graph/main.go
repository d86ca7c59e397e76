// Command graph compares value and gradient of compiled models with C loops written for each model, in CPU
// time, all in turn:
//
//	go run ./bench/graph [-jax VENV] [-runs N] [-chains N] [NAME…]
//
// NAME selects the rows whose names contain it. With -jax, logistic regressions of other sizes, wide and tall
// ones, are compared with JAX instead, in a Python environment that has jax and numpy
// (bench/peers/logistic_jax.py). With -chains too, gradients of so many chains on one core are, of matrices
// that the second cache cannot hold: with JAX's loop over one chain, and over all of them by vmap. It needs
// gcc for the C side and leaves it out where there is none. C is built with AVX2, and with AVX-512 where vflc
// uses it; the faster of the two is compared. A ratio is the median over rounds, with quartiles.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/vector"
)

const rounds = 41

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "graph:", err)
		os.Exit(1)
	}
}

func run() error {
	venv := flag.String("jax", "", "compare with JAX in this Python `environment`")
	least := flag.Int("runs", 1, "evaluate each at least `N` times before the next one's turn")
	chains := flag.Int("chains", 1, "with -jax, gradients of so many chains on one core")
	flag.Parse()
	switch {
	case *venv != "" && *chains > 1:
		return printChains(*venv, *least, *chains)
	case *venv != "":
		return printPeers(*venv, *least)
	}
	c, err := startReferences()
	if err != nil {
		fmt.Printf("without C: %v\n", err)
	}
	printHead("C")
	for _, r := range rows() {
		if err := r.printWanted(c, *least); err != nil {
			return err
		}
	}
	if flag.NArg() > 0 {
		return nil
	}
	return printLoad()
}

func printHead(peer string) {
	fmt.Printf("instruction set: %v\n%-48s %12s %12s %-7s %s\n", vector.Tier(), "value and gradient",
		"vflc ns", peer+" ns", "", "ratio to "+peer+" (quartiles)")
}

// printWanted measures a row if it is selected. A turn of a program has least evaluations: with several, a
// matrix comes from the cache that can hold it, as it does in a sampler.
func (r *row) printWanted(peers []*beside.Program, least int) error {
	if !wanted(r.name) {
		return nil
	}
	if err := r.print(peers, least); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// wanted reports whether a name is selected.
func wanted(name string) bool {
	return flag.NArg() == 0 || slices.ContainsFunc(flag.Args(), func(part string) bool {
		return strings.Contains(name, part)
	})
}

// A row is one line of the table: a model with data, and what it is compared with.
type row struct {
	name string
	text string
	data func() beside.Tables
	task string // of reference.c, "" for the logistic regression of 512×20
	n, p int
	// with, where set, returns one more task that is measured in turn.
	with func(n, p int) stopwatch.Task
}

// print measures a row.
func (r *row) print(c []*beside.Program, least int) error {
	g, err := beside.Load(r.text, r.data())
	if err != nil {
		return err
	}
	e, x := g.NewExec(), beside.Point(g.Dim())
	ours := stopwatch.Task{Name: "vflc", Run: func() { e.Forward(x); e.Target() }}
	if len(c) == 0 {
		t := stopwatch.MeasureSeries([]stopwatch.Task{ours}, rounds, least)
		fmt.Printf("%-48s %12.0f\n", r.name, t[0].Median)
		return nil
	}
	best := fastest(c, r, least)
	tasks := []stopwatch.Task{best.Task(r.request()), ours}
	if r.with != nil {
		tasks = append(tasks, r.with(r.n, r.p))
	}
	t := stopwatch.MeasureSeries(tasks, rounds, least)
	fmt.Printf("%-48s %12.0f %12.0f %-7s %.2f (%.2f-%.2f)", r.name, t[1].Median, t[0].Median, best.Name,
		t[1].Ratio, t[1].Low, t[1].High)
	for _, other := range t[2:] {
		fmt.Printf(" %12.0f %.2f", other.Median, t[1].Median/other.Median)
	}
	fmt.Println()
	return best.Err
}

// printLoad times a logistic regression from its text, with data in memory, to the first gradient.
func printLoad() error {
	text, err := os.ReadFile(filepath.Join("examples", "logistic.vfl"))
	if err != nil {
		return err
	}
	values := regression(500, 20)
	var took []time.Duration
	for range rounds {
		runtime.GC()
		begin := time.Now()
		if _, diags := parser.Parse(source.New("logistic.vfl", string(text))); diags.HasErrors() {
			return beside.Failure(diags)
		}
		g, err := beside.Load(logistic, values)
		if err != nil {
			return err
		}
		e := g.NewExec()
		e.Forward(make([]float64, g.Dim()))
		e.Target()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	fmt.Printf("load of a logistic regression of 500×20, text to first gradient: %.2f ms\n",
		float64(took[len(took)/2])/1e6)
	return nil
}
