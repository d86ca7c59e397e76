package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

// A reference is a program that vflc is compared with, such as the C program built for one instruction set;
// it runs one request at a time.
type reference struct {
	name string
	in   io.Writer
	out  *bufio.Reader
	err  error
}

// startReferences builds and starts the C program for AVX2, and for AVX-512 where vflc uses it.
func startReferences() ([]*reference, error) {
	narrow, err := startReference("AVX2", "-mno-avx512f")
	if err != nil {
		return nil, err
	}
	if vector.Tier() != vector.AVX512 {
		return []*reference{narrow}, nil
	}
	wide, err := startReference("AVX-512", "-mprefer-vector-width=512")
	return []*reference{narrow, wide}, err
}

// startReference builds the program with a flag and starts it.
func startReference(name, flag string) (*reference, error) {
	dir, err := os.MkdirTemp("", "vflc-reference")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a running program keeps its file
	program := filepath.Join(dir, "reference")
	if err := build(program, flag); err != nil {
		return nil, err
	}
	return start(name, exec.Command(program))
}

// build compiles the program. -Ofast is for the elementwise loops only: elsewhere it would undo the reduction
// of the exponential's argument.
func build(program, flag string) error {
	for _, args := range [][]string{
		{"-O3", "-march=native", flag, "-c", "bench/c/reference.c", "-o", program + ".o"},
		{"-O3", "-march=native", flag, "-c", "bench/c/logistic.c", "-o", program + "l.o"},
		{"-Ofast", "-march=native", flag, "-c", "bench/c/elementwise.c", "-o", program + "e.o"},
		{program + ".o", program + "l.o", program + "e.o", "-o", program, "-lmvec", "-lm"},
	} {
		if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("gcc: %w: %s", err, text)
		}
	}
	return nil
}

// run runs a task some times and returns their CPU time.
func (c *reference) run(r *row, runs int) time.Duration {
	var ns float64
	if _, c.err = fmt.Fprintf(c.in, "%s %d %d %d\n", r.task, r.n, r.p, runs); c.err == nil {
		_, c.err = fmt.Fscan(c.out, &ns)
	}
	if c.err != nil {
		return time.Second
	}
	return time.Duration(ns)
}

func (c *reference) task(r *row) stopwatch.Task {
	return stopwatch.Task{Name: c.name, Elsewhere: func(runs int) time.Duration { return c.run(r, runs) }}
}

// fastest is the program with the least time for a row.
func fastest(c []*reference, r *row, least int) *reference {
	var tasks []stopwatch.Task
	for _, p := range c {
		tasks = append(tasks, p.task(r))
	}
	best, times := 0, stopwatch.MeasureSeries(tasks, rounds/3, least)
	for i, t := range times {
		if t.Median < times[best].Median {
			best = i
		}
	}
	return c[best]
}
