package fit

import (
	"context"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// endless is an algorithm that is never done; it interrupts itself in a given iteration.
type endless struct {
	backends.Kernel
	at        int
	interrupt func()
	iteration int
}

func (k *endless) Step(ctx context.Context) (backends.StepInfo, error) {
	if k.iteration++; k.iteration == k.at {
		k.interrupt()
	}
	return backends.StepInfo{Phase: "fit", Iteration: k.iteration, Iterations: 1 << 40}, ctx.Err()
}

// worked is an Env that nobody evaluates: only its counts are read.
type worked struct {
	density.Env
	work density.Work
}

func (e *worked) Work() *density.Work { return &e.work }

// An interrupt ends a fit between two steps, without an error.
func TestInterruptKeepsTheFit(t *testing.T) {
	interrupt, cancel := context.WithCancel(context.Background())
	k := &endless{at: 7, interrupt: cancel}
	m := &sampling{Prepared: &Prepared{options: Options{}.filled()}}
	c := &chain{number: 1, kernel: k}
	if err := m.ascend(context.Background(), interrupt.Done(), &worked{}, c); err != nil {
		t.Fatal(err)
	}
	if c.info.Done || c.iterations != 7 {
		t.Errorf("done %v after %d iterations, want false after 7", c.info.Done, c.iterations)
	}
	if f := (&fitted{info: c.info}); f.converged() {
		t.Error("an interrupted fit reports that it has converged")
	}
}
