package session_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/tests/await"
)

// spread evaluates a model with long vectors, or with many clients, by two chains on so many cores, and
// returns all numbers of the second evaluation of the first chain. There are so many goroutines before it as
// after it.
func spread(t *testing.T, before int, transform string, clients, rows, cores int) (out []float64) {
	plan := transformed(t, clients, rows, transform)
	err := session.RunChains(context.Background(), plan, session.OneLoop, 1, 2, cores,
		func(ctx context.Context, c *session.Chains) error {
			want := before + max(0, cores-2)
			if !await.Until(func() bool { return runtime.NumGoroutine() == want }) {
				t.Errorf("%s, %d cores: %d goroutines, want %d", transform, cores, runtime.NumGoroutine(),
					want)
			}
			return c.Each(ctx, func(ctx context.Context, chain int) error {
				env := c.Envs[chain]
				lp := make([]float64, len(env.Blocks()))
				var theta, grad [][]float64
				for b, block := range env.Blocks() {
					theta, grad = append(theta, make([]float64, block.Dim())),
						append(grad, make([]float64, block.Dim()))
					for i := range theta[b] {
						theta[b][i] = 0.1 * float64(1+b+i)
					}
				}
				for range 2 {
					if err := env.Density(ctx, theta, noNoise{}, grad, lp); err != nil {
						return err
					}
				}
				if chain == 0 {
					out = slices.Concat(lp, slices.Concat(grad...))
				}
				return nil
			})
		})
	if err != nil {
		t.Fatal(err)
	}
	// one that has said that it is done may still be there for a moment
	if !await.Until(func() bool { return runtime.NumGoroutine() == before }) {
		t.Errorf("%s, %d cores: %d goroutines after the run, %d before", transform, cores,
			runtime.NumGoroutine(), before)
	}
	return out
}

// TestCoresChangeNoBit checks that evaluations have the same bits on any number of cores, and that the
// helpers end with the run.
func TestCoresChangeNoBit(t *testing.T) {
	before := await.Goroutines()
	for _, transform := range []string{"augmented", "exact", "power"} {
		for clients, rows := range map[int]int{2: 30_000, 5: 6_000, 40: 1_500} {
			want := spread(t, before, transform, clients, rows, 1)
			for _, cores := range []int{2, 3, 4, 6} {
				if got := spread(t, before, transform, clients, rows, cores); !slices.Equal(got, want) {
					t.Errorf("%s, %d clients, %d cores: %v, on one %v", transform, clients, cores, got, want)
				}
			}
		}
	}
}
