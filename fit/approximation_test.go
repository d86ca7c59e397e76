package fit

import (
	"context"
	"testing"

	"github.com/vflc/vflc/backends"
)

// endless is an algorithm that is never done; it interrupts itself in a given iteration.
type endless struct {
	backends.Kernel
	at        int
	interrupt func()
	iteration int
}

func (k *endless) Step(ctx context.Context) (backends.Info, error) {
	if k.iteration++; k.iteration == k.at {
		k.interrupt()
	}
	return backends.Info{Phase: "fit", Iteration: k.iteration, Iterations: 1 << 40}, ctx.Err()
}

// An interrupt ends a fit between two steps, without an error but with a message.
func TestInterruptKeepsTheFit(t *testing.T) {
	interrupt, cancel := context.WithCancel(context.Background())
	k := &endless{at: 7, interrupt: cancel}
	f := &fitted{}
	if err := f.steps(context.Background(), interrupt.Done(), k, Quiet{}); err != nil {
		t.Fatal(err)
	}
	if !f.interrupted || f.iterations != 7 {
		t.Errorf("interrupted %v after %d iterations, want true after 7", f.interrupted, f.iterations)
	}
	if f.converged() {
		t.Error("an interrupted fit reports that it has converged")
	}
}
