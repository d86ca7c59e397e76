package fit

import (
	"context"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// warming returns a chain of a compiled model in its warm-up, whose length is given, and the Taker of its
// draws.
func warming(t *testing.T, path string, transform def.Transform, warmup string) (backends.Kernel, *Taker) {
	t.Helper()
	v := bindModel(t, path, transform)
	env, err := session.NewLocal(v.Plan, session.SimulatedKeys(1, v.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	s, err := nuts.Algorithm().Resolve(transform, map[string]string{"warmup": warmup, "draws": "100000000"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := nuts.Algorithm().New(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return k, NewTaker(env, transform != stdlib.NoTransform)
}

// Over compiled models neither a step during or after warm-up nor a Take of its draw allocates.
func TestNUTSAllocatesNothing(t *testing.T) {
	for _, path := range []string{"../examples/logistic.vfl", "../examples/logistic_family.vfl"} {
		for _, transform := range stdlib.Transforms() {
			for phase, warmup := range map[string]string{"warm-up": "1000000", "sampling": "40"} {
				k, draws := warming(t, path, transform, warmup)
				steps := func() { // as many before the count as in it
					for range 40 {
						if _, err := k.Step(context.Background()); err != nil {
							t.Fatal(err)
						}
						if _, err := draws.Take(context.Background(), k, 0); err != nil {
							t.Fatal(err)
						}
					}
				}
				// over three runs: one allocation elsewhere in the process is not the sampler's
				if n := testing.AllocsPerRun(3, steps); n != 0 {
					t.Errorf("%s %s: %v allocations in 40 steps of %s", path, transform, n, phase)
				}
			}
		}
	}
}
