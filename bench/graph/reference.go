package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

// startReferences builds and starts the C program for AVX2, and for AVX-512 where vflc uses it.
func startReferences() ([]*beside.Program, error) {
	narrow, err := startReference("AVX2", "-mno-avx512f")
	if err != nil {
		return nil, err
	}
	if vector.Tier() != vector.AVX512 {
		return []*beside.Program{narrow}, nil
	}
	wide, err := startReference("AVX-512", "-mprefer-vector-width=512")
	return []*beside.Program{narrow, wide}, err
}

// startReference builds the program with a flag and starts it.
func startReference(name, flag string) (*beside.Program, error) {
	dir, err := os.MkdirTemp("", "vflc-reference")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a running program keeps its file
	program := filepath.Join(dir, "reference")
	if err := build(program, flag); err != nil {
		return nil, err
	}
	return beside.Start(name, exec.Command(program))
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

// request is what a program is asked to run.
func (r *row) request() string { return fmt.Sprintf("%s %d %d", r.task, r.n, r.p) }

// fastest is the program with the least time for a row.
func fastest(c []*beside.Program, r *row, least int) *beside.Program {
	var tasks []stopwatch.Task
	for _, p := range c {
		tasks = append(tasks, p.Task(r.request()))
	}
	best, times := 0, stopwatch.MeasureSeries(tasks, rounds/3, least)
	for i, t := range times {
		if t.Median < times[best].Median {
			best = i
		}
	}
	return c[best]
}
