package fit

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
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

func (k *interruptingKernel) Step(ctx context.Context) (backends.StepInfo, error) {
	if k.steps.Add(1) == k.at {
		k.interrupt()
	}
	return k.Kernel.Step(ctx)
}

func (k *interruptingKernel) WarmStart(ctx context.Context, r io.Reader) error {
	return k.Kernel.(backends.WarmStarter).WarmStart(ctx, r)
}

// chainsOf prepares a run of three chains of a small regression.
func chainsOf(t *testing.T, b *compile.BoundModel, warmup, draws string) *Prepared {
	t.Helper()
	return prepared(t, b, backend(t, "nuts"), map[string]string{"chains": "3", "warmup": warmup,
		"draws": draws})
}

// prepared is a run of a bound model, with seed 3.
func prepared(t *testing.T, b *compile.BoundModel, a backends.Algorithm, given map[string]string) *Prepared {
	t.Helper()
	s, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	return &Prepared{BoundModel: b, Algorithm: a, Settings: s, options: Options{Seed: 3}.filled()}
}

func small(t *testing.T) *compile.BoundModel {
	t.Helper()
	m := testmodel.Linear(9, 20, []int{2, 1}, 0.7)
	return bindFiles(t, glmText(m), stdlib.Augmented, 0.8, glmFiles(m))
}

func sampled(t *testing.T, p *Prepared, stop <-chan struct{}) *fitted {
	t.Helper()
	f, err := p.sample(t.Context(), stop)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A run that is interrupted, in warm-up or while sampling, and resumed by another process has the draws, the
// transitions and the work of one that was not.
func TestResumedRunIsTheWholeRun(t *testing.T) {
	for _, b := range []*compile.BoundModel{small(t), twoHierarchies(t, stdlib.Augmented)} {
		resumes(t, b)
	}
}

func resumes(t *testing.T, b *compile.BoundModel) {
	t.Helper()
	whole := sampled(t, chainsOf(t, b, "60", "40"), nil)
	for _, at := range []int64{1, 100, 250} {
		m := chainsOf(t, b, "60", "40")
		m.options.Dir = t.TempDir()
		interrupt, cancel := context.WithCancel(context.Background())
		plain := m.Algorithm
		m.Algorithm = interrupting(plain, at, cancel)
		if part := sampled(t, m, interrupt.Done()); !part.interrupted || part.iterations >= whole.iterations {
			t.Fatalf("interrupted at %d: %d transitions, %t", at, part.iterations, part.interrupted)
		}
		m.Algorithm, m.options.Resume = plain, true
		got := sampled(t, m, nil)
		if got.interrupted || got.work != whole.work || got.iterations != whole.iterations {
			t.Errorf("interrupted at %d: work %v, want %v", at, got.work, whole.work)
		}
		for k := range whole.draws.Columns() {
			for c, want := range whole.draws.Column(k) {
				if !sameBits(got.draws.Column(k)[c], want) ||
					!slices.Equal(got.draws.Transitions[c], whole.draws.Transitions[c]) {
					t.Fatalf("interrupted at %d: chain %d has other draws", at, c+1)
				}
			}
		}
	}
}

// An interrupt keeps as many draws as the chains have in common, and leaves out those with few draws.
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

// A warm start uses the metric and step size of an earlier run: without any warm-up its step size is that
// run's, and its chains agree with it.
func TestWarmStart(t *testing.T) {
	b := small(t)
	first := chainsOf(t, b, "500", "500")
	first.options.Dir = t.TempDir()
	before := sampled(t, first, nil)
	second := chainsOf(t, b, "0", "500")
	second.options.From = first.options.Dir
	after := sampled(t, second, nil)
	for c := range after.draws.Transitions {
		got, want := after.draws.Transitions[c][0].StepSize, before.draws.Transitions[c][0].StepSize
		if got != want {
			t.Errorf("chain %d: step size %v, want %v", c+1, got, want)
		}
	}
	if slices.Equal(before.draws.Column(0)[0], after.draws.Column(0)[0]) {
		t.Error("the second run repeats the first")
	}
	second.options.From = t.TempDir()
	if _, err := second.sample(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "not the folder of a run") {
		t.Errorf("a folder without a run: %v", err)
	}
}

// A run whose state cannot be written has all draws, and an error where it is saved; resumed, it has the same
// ones.
func TestRunWithoutAFolderForItsState(t *testing.T) {
	j := &journey{Backends()[0], twoPlaces(t, Backends()[0].Transforms[0])}
	dir := filepath.Join(t.TempDir(), "run")
	p := j.open(t, Options{Dir: dir})
	write(t, filepath.Join(dir, checkpointDir), "a file where the folder should be")
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err == nil {
		t.Error("saved where there is no folder")
	}
	whole := j.sample(t, Options{}, nil).Draws
	sameDraws(t, "a run whose state is not written", whole, r.Draws)
	if err := os.Remove(filepath.Join(dir, checkpointDir)); err != nil {
		t.Fatal(err)
	}
	sameDraws(t, "a run that is resumed where it can be written", whole,
		j.sample(t, Options{Dir: dir, Resume: true}, nil).Draws)
}
