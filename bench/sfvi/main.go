// Command sfvi times one iteration of SFVI on the compiled logistic regressions of examples/, and on one with
// more rows, all parties in one thread, and, where a Python with JAX is given, the same iteration in JAX, in
// turn and in CPU time:
//
//	go run ./bench/sfvi [VENV]
//
// VENV is a Python environment that has jax and numpy.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
)

const (
	rounds = 21
	batch  = 200 // iterations of one round
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sfvi:", err)
		os.Exit(1)
	}
}

func run() error {
	fmt.Printf("instruction set: %v; microseconds an iteration, medians of %d rounds\n", vector.Tier(),
		rounds)
	fmt.Println("guide        n    J      vflc   JAX, noise in pairs: ratio (quartiles)   JAX, fresh " +
		"noise: ratio (quartiles)")
	folder, err := os.MkdirTemp("", "vflc-sfvi")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	long, err := simulate(folder, 5000, 5, 4)
	if err != nil {
		return err
	}
	for _, m := range []struct {
		rows, clients int
		path          string
	}{{500, 2, filepath.Join("examples", "logistic.vfl")},
		{500, 10, filepath.Join("examples", "logistic_family.vfl")}, {5000, 5, long}} {
		if err := compare(m.rows, m.clients, m.path); err != nil {
			return err
		}
	}
	return nil
}

// compare prints the lines of one model.
func compare(rows, clients int, path string) error {
	var jax *peer
	if len(os.Args) > 1 {
		b, err := load(path)
		if err != nil {
			return err
		}
		if jax, err = startPeer(os.Args[1], b.Data.Sources); err != nil {
			return err
		}
		defer jax.stop()
	}
	for _, guide := range []string{"noncentered", "structured", "amortized"} {
		k, err := fitting(path, guide)
		if err != nil {
			return err
		}
		var failed error
		tasks := []stopwatch.Task{{Name: "vflc", Run: func() {
			for range batch {
				if _, err := k.Step(context.Background()); err != nil {
					failed = err
				}
			}
		}}}
		if jax != nil {
			tasks = append(tasks, jax.task(guide, "pairs"), jax.task(guide, "fresh"))
		}
		times := stopwatch.Measure(tasks, rounds)
		fmt.Printf("%-12s %4d %-2d %8.1f", guide, rows, clients, times[0].Median/1000/batch)
		for _, t := range times[1:] {
			fmt.Printf("   %8.1f: %.2f (%.2f-%.2f)", t.Median/1000/batch, t.Ratio, t.Low, t.High)
		}
		fmt.Println()
		if jax != nil && failed == nil {
			failed = jax.err
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// fitting returns a fit of a model that has started its iterations and does not end.
func fitting(path, guide string) (backends.Kernel, error) {
	b, err := load(path)
	if err != nil {
		return nil, err
	}
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		return nil, err
	}
	a := sfvi.Algorithm()
	s, err := a.Resolve(stdlib.Augmented, map[string]string{"guide": guide, "iterations": "100000000",
		"elbo-every": "100000000"})
	if err != nil {
		return nil, err
	}
	k, err := a.New(env, s)
	if err != nil {
		return nil, err
	}
	return k, k.Init(context.Background())
}

// A peer is sfvi_jax.py; it runs one request at a time.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err error
}

// startPeer starts it with the tables of a model: the response, then the covariates of every client.
func startPeer(venv string, sources data.Sources) (*peer, error) {
	args := []string{filepath.Join("bench", "peers", "sfvi_jax.py")}
	for _, s := range sources {
		args = append(args, s.Files...)
	}
	cmd := exec.Command(filepath.Join(venv, "bin", "python"), args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

func (p *peer) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// task returns a batch of its iterations as a task.
func (p *peer) task(guide, noise string) stopwatch.Task {
	return stopwatch.Task{Name: noise, Elsewhere: func(runs int) time.Duration {
		var ns, value float64
		if _, p.err = fmt.Fprintf(p.in, "%s %s %d\n", guide, noise, runs*batch); p.err == nil {
			_, p.err = fmt.Fscan(p.out, &ns, &value)
		}
		if p.err != nil {
			return time.Second
		}
		return time.Duration(ns)
	}}
}
