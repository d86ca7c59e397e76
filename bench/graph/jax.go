package main

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

// wideAndTall are the sizes of the logistic regressions that are compared with JAX.
var wideAndTall = [][2]int{{1000, 10}, {10_000, 10}, {100_000, 10}, {1_000_000, 10}, {10_000, 100},
	{10_000, 500}, {10_000, 2000}}

// reading is a task that adds up a matrix as large as X: what memory, or the cache that the matrix is in,
// allows a pass over it.
func reading(n, p int) stopwatch.Task {
	x, sum := make([]float64, n*p), 0.0
	vector.OnHugePages(x)
	for i := range x {
		x[i] = 1
	}
	return stopwatch.Task{Name: "read", Run: func() { sum += vector.Sum(len(x), x) }}
}

// printPeers prints the table against JAX, with X in either order, whichever is faster, and the time of
// reading X alone, as float64: for X of six decimals, as files of data have it, for the same after zscore,
// and for X of all digits.
func printPeers(venv string, least int) error {
	peers, err := jax(venv, 1)
	if err != nil {
		return err
	}
	printHead("JAX")
	fmt.Println("at the end of a line: the time of reading X alone, in the same rounds, and " +
		"vflc's as a multiple of it")
	for _, size := range wideAndTall {
		n, p := size[0], size[1]
		for _, r := range logistics(n, p) {
			r.with = reading
			if err := r.printWanted(peers, least); err != nil {
				return err
			}
		}
	}
	return nil
}

// logistics are the regressions of one size: X has six decimals, as they are or standardised, or all digits.
func logistics(n, p int) []row {
	name := fmt.Sprintf("Bernoulli-logit %d×%d", n, p)
	return []row{
		{name + ", decimals", logistic, func() beside.Tables { return decimals(n, p) }, "logistic", n, p, nil},
		{name + ", standardised", logistic, func() beside.Tables {
			return standardised(n, p)
		}, "logistic", n, p, nil},
		{name + ", all digits", logistic, func() beside.Tables { return regression(n, p) }, "logistic", n, p, nil},
	}
}

// jax starts JAX with X in either order, for so many points at a time.
func jax(venv string, points int) (peers []*beside.Program, err error) {
	for _, layout := range []string{"rows", "columns"} {
		p, err := beside.Start(layout, exec.Command(filepath.Join(venv, "bin", "python"),
			filepath.Join("bench", "peers", "logistic_jax.py"), layout, fmt.Sprint(points)))
		if err != nil {
			return nil, err
		}
		peers = append(peers, p)
	}
	return peers, nil
}
