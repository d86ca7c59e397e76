package session_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// manyRows make the clients' data more than a second cache holds, so that chains on one core pass over them
// together.
const manyRows = 30_000

// passing is a plan of two clients whose loops are such passes.
func passing(t *testing.T, transform string) *model.Plan {
	plan := transformed(t, 2, manyRows, transform)
	if !plan.Parties[1].Graph.NewExec().Passes() {
		t.Fatal("chains would not pass over these data together")
	}
	return plan
}

// wander evaluates an Env at some points of the chain's own, and returns all numbers.
func wander(ctx context.Context, env density.Env, chain, evaluations int) (out []float64, err error) {
	lp := make([]float64, len(env.Blocks()))
	var theta, grad [][]float64
	for _, block := range env.Blocks() {
		theta, grad = append(theta, make([]float64, block.Dim())), append(grad, make([]float64, block.Dim()))
	}
	for round := range evaluations {
		for b, block := range env.Blocks() {
			for i := range theta[b] {
				theta[b][i] = 0.01 * float64(1+block.Index()+i+5*chain+round)
			}
		}
		if err := env.Density(ctx, theta, noNoise{}, grad, lp); err != nil {
			return nil, err
		}
		out = append(out, lp...)
		out = append(out, slices.Concat(grad...)...)
	}
	return out, nil
}

// chainsOn evaluates a plan by chains on so many cores, some of them less often than others.
func chainsOn(t *testing.T, plan *model.Plan, chains, cores int) [][]float64 {
	t.Helper()
	out := make([][]float64, chains)
	err := session.RunChains(t.Context(), plan, session.OneLoop, 1, chains, cores,
		func(ctx context.Context, c *session.Chains) error {
			for range 2 { // chains that have ended begin again
				err := c.Each(ctx, func(ctx context.Context, k int) error {
					numbers, err := wander(ctx, c.Envs[k], k, 1+k)
					out[k] = append(out[k], numbers...)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestChainsOnOneCore checks that chains have the same bits on fewer cores than there are chains, where they
// pass over their data together, as with a core each.
func TestChainsOnOneCore(t *testing.T) {
	for _, transform := range []string{"augmented", "exact", "power"} {
		plan := passing(t, transform)
		const chains = 3
		want := chainsOn(t, plan, chains, chains)
		for cores := 1; cores < chains; cores++ {
			for k, got := range chainsOn(t, plan, chains, cores) {
				if !slices.Equal(got, want[k]) {
					t.Errorf("%s, %d cores: chain %d is not what it is on a core of its own", transform,
						cores, k)
				}
			}
		}
	}
}

// TestChainsOfPartiesOnOneCore checks the same of parties that are apart, whose chains also wait for
// messages.
func TestChainsOfPartiesOnOneCore(t *testing.T) {
	for _, transform := range []string{"augmented", "exact", "power"} {
		plan := passing(t, transform)
		const chains = 3
		apart := func(cores int) map[string][][]float64 {
			out, lock := map[string][][]float64{}, sync.Mutex{}
			keys, err := session.SimulatedKeys(1, plan.Names).WithMasks(plan)
			must(t, err)
			var wait sync.WaitGroup
			for i, end := range transport.NewMem(plan.Names) {
				own := make([][]float64, chains)
				out[plan.Names[i]] = own
				wait.Go(func() {
					defer end.Close()
					c, err := session.RemoteChains(plan.Only(i), i, end, keys.Only(plan.Names[i]), chains)
					if err == nil {
						c.Spread(cores)
						defer c.Close()
						err = c.Each(t.Context(), func(ctx context.Context, k int) (err error) {
							own[k], err = wander(ctx, c.Envs[k], k, 1+k)
							return err
						})
					}
					lock.Lock()
					defer lock.Unlock()
					if err != nil {
						t.Errorf("%s, %d cores: %s: %v", transform, cores, plan.Names[i], err)
					}
				})
			}
			wait.Wait()
			return out
		}
		want := apart(chains)
		for name, own := range apart(1) {
			for k := range own {
				if len(own[k]) == 0 || !slices.Equal(own[k], want[name][k]) {
					t.Errorf("%s: chain %d of %s is not what it is on a core of its own", transform, k, name)
				}
			}
		}
	}
}

// TestAChainThatFailsHoldsNobodyUp checks that the others end, whatever pass they wait at.
func TestAChainThatFailsHoldsNobodyUp(t *testing.T) {
	plan := passing(t, "exact")
	failed := errors.New("failed")
	for _, mode := range []string{"an error", "the context"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := session.RunChains(ctx, plan, session.OneLoop, 1, 4, 1,
			func(ctx context.Context, c *session.Chains) error {
				return c.Each(ctx, func(ctx context.Context, k int) error {
					if k == 2 {
						_, err := wander(ctx, c.Envs[k], k, 2)
						switch {
						case err != nil:
							return err
						case mode == "an error":
							return failed
						}
						cancel(failed)
					}
					for { // until the context ends
						if _, err := wander(ctx, c.Envs[k], k, 1); err != nil {
							return err
						}
					}
				})
			})
		if !errors.Is(err, failed) {
			t.Errorf("%s: %v", mode, err)
		}
		cancel(nil)
	}
}
