package fit

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// TestChainsThatShareACore checks that chains which pass over long data together have the draws that they
// have with a core each, also where they are interrupted and resumed, and that a run which is cancelled ends.
func TestChainsThatShareACore(t *testing.T) {
	m := testmodel.Linear(9, 27_000, []int{10, 2}, 0.7)
	b := bindFiles(t, glmText(m), stdlib.Exact, 1, glmFiles(m))
	if !slices.ContainsFunc(b.Plan.Parties[1:], func(s *model.Spec) bool {
		return s.Graph.NewExec().Passes()
	}) {
		t.Fatal("no party has so many data that chains pass over them together")
	}
	run := func(ctx context.Context, p *Prepared, cores int, stop <-chan struct{}) (*fitted, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return p.sample(ctx, stop)
	}
	same := func(what string, got, want *fitted) {
		t.Helper()
		for k := range want.draws.Columns() {
			for c, w := range want.draws.Column(k) {
				if !sameBits(got.draws.Column(k)[c], w) ||
					!slices.Equal(got.draws.Transitions[c], want.draws.Transitions[c]) {
					t.Fatalf("%s: chain %d has other draws", what, c+1)
				}
			}
		}
	}
	want, err := run(t.Context(), chainsOf(t, b, "10", "6"), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for cores := 1; cores < 3; cores++ {
		got, err := run(t.Context(), chainsOf(t, b, "10", "6"), cores, nil)
		if err != nil {
			t.Fatal(err)
		}
		same("on fewer cores", got, want)
	}
	p := chainsOf(t, b, "10", "6")
	p.options.Dir = t.TempDir()
	interrupt, cancel := context.WithCancel(context.Background())
	plain := p.Algorithm
	p.Algorithm = interrupting(plain, 20, cancel)
	if _, err := run(t.Context(), p, 1, interrupt.Done()); err != nil {
		t.Fatal(err)
	}
	p.Algorithm, p.options.Resume = plain, true
	resumed, err := run(t.Context(), p, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	same("resumed", resumed, want)
	ctx, cancel := context.WithCancel(t.Context())
	p = chainsOf(t, b, "10", "6")
	p.Algorithm = interrupting(plain, 20, cancel)
	if f, err := run(ctx, p, 1, nil); err == nil {
		t.Errorf("a cancelled run has %d chains", len(f.chains))
	}
}
