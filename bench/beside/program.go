package beside

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/vflc/vflc/bench/stopwatch"
)

// A Program is one that vflc is compared with, such as the C program built for one instruction set. It reads
// requests, a line each, whose last word says how often a task is run, and answers with the CPU time in
// nanoseconds.
type Program struct {
	Name string
	Err  error // of the last request
	in   io.Writer
	out  *bufio.Reader
}

// Start starts a program.
func Start(name string, cmd *exec.Cmd) (*Program, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	return &Program{Name: name, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// Ask sends a request and reads numbers of the answer.
func (p *Program) Ask(request string, answer ...any) {
	if _, p.Err = fmt.Fprintln(p.in, request); p.Err == nil {
		_, p.Err = fmt.Fscan(p.out, answer...)
	}
}

// Run runs a request some times and returns their CPU time.
func (p *Program) Run(request string, runs int) time.Duration {
	var ns float64
	if p.Ask(fmt.Sprint(request, " ", runs), &ns); p.Err != nil {
		return time.Second
	}
	return time.Duration(ns)
}

// Task is a request as a task that is measured.
func (p *Program) Task(request string) stopwatch.Task {
	return stopwatch.Task{Name: p.Name, Elsewhere: func(runs int) time.Duration {
		return p.Run(request, runs)
	}}
}
