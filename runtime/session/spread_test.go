package session_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/vflc/vflc/runtime/session"
)

// spread evaluates a model with long vectors, or with many clients, by two chains on so many cores, and returns all numbers of the second evaluation of the first chain.
func spread(t *testing.T, transform string, clients, rows, cores int) (out []float64) {
	plan := transformed(t, clients, rows, transform)
	before := runtime.NumGoroutine()
	err := session.RunChains(context.Background(), plan, session.OneLoop, 1, 2, cores, func(ctx context.Context, c *session.Chains) error {
		if n, want := runtime.NumGoroutine(), before+max(0, cores-2); n != want {
			t.Errorf("%s, %d cores: %d goroutines, want %d", transform, cores, n, want)
		}
		return c.Each(ctx, func(ctx context.Context, chain int) error {
			env := c.Envs[chain]
			lp := make([]float64, len(env.Blocks()))
			var theta, grad [][]float64
			for b, block := range env.Blocks() {
				theta, grad = append(theta, make([]float64, block.Dim())), append(grad, make([]float64, block.Dim()))
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
	if n := goroutines(before); n != before {
		t.Errorf("%s, %d cores: %d goroutines after the run, %d before", transform, cores, n, before)
	}
	return out
}

// goroutines counts goroutines until they are so many, for a second at most: one that has said that it is done may still be there for a moment.
func goroutines(want int) (n int) {
	for end := time.Now().Add(time.Second); time.Now().Before(end); runtime.Gosched() {
		if n = runtime.NumGoroutine(); n == want {
			break
		}
	}
	return n
}

// TestCoresChangeNoBit checks that evaluations have the same bits on any number of cores, and that the helpers end with the run.
func TestCoresChangeNoBit(t *testing.T) {
	for _, transform := range []string{"augmented", "exact", "power"} {
		for clients, rows := range map[int]int{2: 30_000, 5: 6_000, 40: 1_500} {
			want := spread(t, transform, clients, rows, 1)
			for _, cores := range []int{2, 3, 4, 6} {
				if got := spread(t, transform, clients, rows, cores); !slices.Equal(got, want) {
					t.Errorf("%s, %d clients, %d cores: %v, on one %v", transform, clients, cores, got, want)
				}
			}
		}
	}
}
