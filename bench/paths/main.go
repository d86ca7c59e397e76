// Command paths compares value and gradient of compiled models of many kinds with JAX, in CPU time, in turn:
//
//	go run ./bench/paths -jax VENV [-runs N] [NAME…]
//
// NAME selects the rows whose names contain it. VENV is a Python environment that has jax and numpy. Both
// have the same data, in float64, and gradients that agree (bench/paths/paths_jax.py). A ratio is the median
// over rounds, with quartiles. Without -jax only the times of vflc are printed.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

const rounds = 41

// A row is one line of the table.
type row struct {
	name string
	task string // the function of paths_jax.py
	text string // the model
	data beside.Tables
}

func main() {
	venv := flag.String("jax", "", "compare with JAX in this Python `environment`")
	least := flag.Int("runs", 1, "evaluate each at least `N` times before the next one's turn")
	flag.Parse()
	if err := run(*venv, *least); err != nil {
		fmt.Fprintln(os.Stderr, "paths:", err)
		os.Exit(1)
	}
}

func run(venv string, least int) error {
	dir, err := os.MkdirTemp("", "vflc-paths")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var jax *beside.Program
	if venv != "" {
		if jax, err = beside.Start("JAX", exec.Command(filepath.Join(venv, "bin", "python"),
			filepath.Join("bench", "paths", "paths_jax.py"))); err != nil {
			return err
		}
	}
	fmt.Printf("instruction set: %v\n%-44s %12s %12s %s\n", vector.Tier(), "value and gradient", "vflc µs",
		"JAX µs", "JAX / vflc (quartiles)")
	for k, r := range slices.Concat(mixtures(), recursions(), tails(), processes()) {
		if !wanted(r.name) {
			continue
		}
		if err := r.print(jax, filepath.Join(dir, fmt.Sprint(k)), least); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// wanted reports whether a name is selected.
func wanted(name string) bool {
	return flag.NArg() == 0 || slices.ContainsFunc(flag.Args(), func(part string) bool {
		return strings.Contains(name, part)
	})
}

// print measures a row, whose data JAX reads from a file.
func (r *row) print(jax *beside.Program, file string, least int) error {
	g, err := beside.Load(r.text, r.data)
	if err != nil {
		return err
	}
	e, x := g.NewExec(), beside.Point(g.Dim())
	ours := stopwatch.Task{Name: "vflc", Run: func() { e.Forward(x); e.Target() }}
	if jax == nil {
		t := stopwatch.MeasureSeries([]stopwatch.Task{ours}, rounds, least)
		fmt.Printf("%-44s %12.1f\n", r.name, t[0].Median/1000)
		return nil
	}
	text, err := json.Marshal(map[string]any{"point": x, "data": r.data})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	request := r.task + " " + file
	if err := agree(e, x, jax, request); err != nil {
		return err
	}
	t := stopwatch.MeasureSeries([]stopwatch.Task{ours, jax.Task(request)}, rounds, least)
	fmt.Printf("%-44s %12.1f %12.1f %.2f (%.2f-%.2f)\n", r.name, t[0].Median/1000, t[1].Median/1000,
		t[1].Ratio, t[1].Low, t[1].High)
	return jax.Err
}

// agree is an error where the gradients differ. Their densities may differ by constants.
func agree(e *graph.Exec, x []float64, jax *beside.Program, request string) error {
	theirs := make([]float64, len(x))
	answer := make([]any, len(x))
	for i := range theirs {
		answer[i] = &theirs[i]
	}
	if jax.Ask(request+" 0", answer...); jax.Err != nil {
		return jax.Err
	}
	e.Forward(x)
	e.Target()
	ours, largest := e.Grad(), 0.0
	for _, d := range ours {
		largest = max(largest, math.Abs(d))
	}
	for i, d := range theirs {
		if !(math.Abs(d-ours[i]) <= 1e-8*max(1, largest)) {
			return fmt.Errorf("slope %d of %d is %v, JAX's %v", i, len(x), ours[i], d)
		}
	}
	return nil
}
