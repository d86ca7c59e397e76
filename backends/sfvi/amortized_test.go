package sfvi

import (
	"bytes"
	"context"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// subsampled returns a fit with amortized guides and windows of at most 256 rows, in its iterations.
func subsampled(t *testing.T, n int) *kernel {
	t.Helper()
	m := binary(n, stdlib.Power, false)
	s, err := Algorithm().Resolve(m.Transform, map[string]string{"guide": "amortized", "minibatch": "256",
		"elbo-every": "1000000000", "iterations": "1000000000"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKernel(m.Divided(4, parts(n, (n+255)/256), nil), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return k
}

// With minibatches of B rows an iteration puts at most B elements through a guide's net, allocates nothing,
// and what a fit keeps of its guides, in memory from one iteration to the next and in a checkpoint, is the
// same whatever the number of rows.
func TestAmortizedFitsDoNotGrowWithTheRows(t *testing.T) {
	type kept struct {
		parameters, activations, working, checkpoint int
	}
	var first kept
	for _, n := range []int{1000, 20000} {
		k := subsampled(t, n)
		var got kept
		for _, p := range k.parties[1:] {
			q := p.whole.guide.(*amortized)
			got.parameters += q.size()
			for _, net := range q.nets {
				got.activations += len(net.first) + len(net.second)
			}
			arrays := map[*float64]bool{} // of windows: those of equally many rows share them
			for _, w := range p.windows {
				v := w.guide.(*amortized)
				if w.vars != p.whole.vars {
					t.Fatalf("%d rows: a window has parameters of its own", n)
				}
				if first := &v.nets[0].first[0]; !arrays[first] {
					arrays[first] = true
					got.working = max(got.working, len(v.nets[0].first))
				}
			}
			if len(arrays) > 2 {
				t.Errorf("%d rows: windows work in %d sets of arrays; with at most two sizes there are two",
					n, len(arrays))
			}
		}
		var saved bytes.Buffer
		if err := k.Save(&saved); err != nil {
			t.Fatal(err)
		}
		got.checkpoint = saved.Len()
		for range 20 {
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
			for _, p := range k.parties[1:] {
				q := p.shard.guide.(*amortized)
				if m := q.nets[0].n; m > 256 || m < 250 || len(q.eps) != m {
					t.Fatalf("%d rows: an iteration has %d elements", n, m)
				}
			}
		}
		if a := testing.AllocsPerRun(10, func() {
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}); a != 0 {
			t.Errorf("%d rows: %v allocations an iteration", n, a)
		}
		if got.working > 256*width {
			t.Errorf("%d rows: a window's activations are %d numbers", n, got.working)
		}
		got.working = 0 // 250 rows or 256
		if n == 1000 {
			first = got
		} else if got != first {
			t.Errorf("%d rows: %+v, with 1000 rows %+v", n, got, first)
		}
	}
}
