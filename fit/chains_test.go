package fit

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/testmodel"
)

// interrupting is an algorithm whose kernels together call interrupt at a given step.
func interrupting(a backends.Algorithm, at int64, interrupt func()) backends.Algorithm {
	var steps atomic.Int64
	make := a.New
	a.New = func(env density.Env, s backends.Settings) (backends.Kernel, error) {
		k, err := make(env, s)
		return &interruptingKernel{k, &steps, at, interrupt}, err
	}
	return a
}

type interruptingKernel struct {
	backends.Kernel
	steps     *atomic.Int64
	at        int64
	interrupt func()
}

func (k *interruptingKernel) Step(ctx context.Context) (backends.Info, error) {
	if k.steps.Add(1) == k.at {
		k.interrupt()
	}
	return k.Kernel.Step(ctx)
}

func (k *interruptingKernel) WarmStart(ctx context.Context, r io.Reader) error {
	return k.Kernel.(backends.WarmStarter).WarmStart(ctx, r)
}

// chainsOf prepares a run of three chains of a small regression.
func chainsOf(t *testing.T, plan *model.Plan, warmup, draws string) markov {
	t.Helper()
	a, err := algorithm("nuts")
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Resolve(transforms.Augmented, map[string]string{"chains": "3", "warmup": warmup, "draws": draws})
	if err != nil {
		t.Fatal(err)
	}
	return markov{plan: plan, algorithm: a, settings: s, seed: 3, progress: newChainProgress(newProgress(io.Discard, true), 3, s.Int("warmup"), s.Int("draws"))}
}

func smallPlan(t *testing.T) *model.Plan {
	t.Helper()
	m := testmodel.Linear(9, 20, []int{2, 1}, 0.7)
	return bindFiles(t, glmText(m), transforms.Augmented, 0.8, glmFiles(m)).plan
}

func sampled(t *testing.T, m markov, interrupt context.Context) *fitted {
	t.Helper()
	f, err := m.until(context.Background(), interrupt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A run that is interrupted, in warm-up or while sampling, and resumed by another process has the draws, the transitions and the work of one that was not.
func TestResumedRunIsTheWholeRun(t *testing.T) {
	plan := smallPlan(t)
	whole := sampled(t, chainsOf(t, plan, "60", "40"), context.Background())
	for _, at := range []int64{1, 100, 250} {
		m := chainsOf(t, plan, "60", "40")
		m.dir = t.TempDir()
		interrupt, cancel := context.WithCancel(context.Background())
		plain := m.algorithm
		m.algorithm = interrupting(plain, at, cancel)
		if part := sampled(t, m, interrupt); !part.interrupted || part.iterations >= whole.iterations {
			t.Fatalf("interrupted at %d: %d transitions, %t", at, part.iterations, part.interrupted)
		}
		m.algorithm, m.resumed = plain, true
		m.progress = chainsOf(t, plan, "60", "40").progress
		got := sampled(t, m, context.Background())
		if got.interrupted || got.work != whole.work || got.iterations != whole.iterations {
			t.Errorf("interrupted at %d: work %v, want %v", at, got.work, whole.work)
		}
		for k := range whole.draws.Columns() {
			for c, want := range whole.draws.Column(k) {
				if !sameBits(got.draws.Column(k)[c], want) || !slices.Equal(got.draws.Transitions[c], whole.draws.Transitions[c]) {
					t.Fatalf("interrupted at %d: chain %d has other draws", at, c+1)
				}
			}
		}
	}
}

// An interrupt keeps as many draws as the chains have in common, and leaves out those that have hardly begun.
func TestInterruptedChainsAreCutToOneLength(t *testing.T) {
	row := func(n int) [][]float64 { return make([][]float64, n) }
	var chains []*chain
	for _, n := range []int{10, 7, 3, 0, 5} {
		chains = append(chains, &chain{rows: row(n), transitions: make([]backends.Transition, n)})
	}
	f := gather(nil, chains)
	if len(f.chains) != 3 || f.left != 2 || len(f.draws.Transitions[0]) != 5 || !f.interrupted {
		t.Errorf("%d chains of %d draws, %d left out", len(f.chains), len(f.draws.Transitions[0]), f.left)
	}
}

// A warm start takes the metric and step size of an earlier run: without any warm-up its step size is that run's, and its chains agree with it.
func TestWarmStart(t *testing.T) {
	plan := smallPlan(t)
	first := chainsOf(t, plan, "500", "500")
	first.dir = t.TempDir()
	before := sampled(t, first, context.Background())
	second := chainsOf(t, plan, "0", "500")
	second.from = first.dir
	after := sampled(t, second, context.Background())
	for c := range after.draws.Transitions {
		got, want := after.draws.Transitions[c][0].StepSize, before.draws.Transitions[c][0].StepSize
		if got != want {
			t.Errorf("chain %d: step size %v, want %v", c+1, got, want)
		}
	}
	if slices.Equal(before.draws.Column(0)[0], after.draws.Column(0)[0]) {
		t.Error("the second run repeats the first")
	}
	second.from = t.TempDir()
	if _, err := second.until(context.Background(), context.Background()); err == nil || !strings.Contains(err.Error(), "no folder of a run") {
		t.Errorf("a folder without a run: %v", err)
	}
}
