package sfvi

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// A faulty Env spoils some densities.
type faulty struct {
	*testmodel.Env
	spoil func(call int, theta [][]float64) bool
	with  float64
	calls int
}

func (f *faulty) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64,
	lp []float64) error {
	f.calls++
	err := f.Env.Density(ctx, theta, coords, grad, lp)
	if f.spoil(f.calls, theta) {
		lp[1] = f.with
		if f.with == 0 { // a finite density with a gradient that is not
			grad[1][0] = math.Inf(1)
		}
	}
	return err
}

func (f *faulty) Cause() density.Cause {
	return density.Cause{Party: "server", Kind: density.TermValue, Name: "y ~ normal(mu, sigma)",
		Value: math.Inf(-1)}
}

func kernelOver(t *testing.T, env density.Env, given map[string]string) *kernel {
	t.Helper()
	s, err := Algorithm().Resolve(stdlib.Augmented, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKernel(env, s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestNonFiniteIterationsChangeNothing(t *testing.T) {
	for _, with := range []float64{math.Inf(-1), math.NaN(), 0} {
		env := &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: with,
			spoil: func(call int, _ [][]float64) bool {
				return call%10 == 0
			}}
		k := kernelOver(t, env, map[string]string{"iterations": "200", "elbo-draws": "100", "draws": "10"})
		if err := k.Init(context.Background()); err != nil {
			t.Fatal(err)
		}
		spoilt := 0
		for range 200 {
			before, bad := k.parties[0].all(phiOf), k.bad
			info, err := k.Step(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			moved := !slices.Equal(before, k.parties[0].all(phiOf))
			if k.phase == ascending && !k.fresh && moved != (k.bad == bad) {
				t.Fatalf("lp %g: iteration %d moved the parameters %t, with %d "+
					"evaluations that were not finite", with, info.Iteration, moved, k.bad-bad)
			}
			if info.NonFinite != k.bad {
				t.Fatalf("%d told, %d counted", info.NonFinite, k.bad)
			}
			spoilt = env.calls / 10
		}
		if k.bad < spoilt-1 || k.bad > spoilt || spoilt < 15 {
			t.Errorf("lp %g: %d evaluations were spoilt, %d counted", with, spoilt, k.bad)
		}
		for _, p := range k.parties {
			for _, v := range p.all(phiOf) {
				if !finite(v) {
					t.Fatalf("lp %g: parameters are not finite", with)
				}
			}
		}
	}
}

func TestStartIsRetriedElsewhere(t *testing.T) {
	env := &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: math.Inf(-1),
		spoil: func(_ int, theta [][]float64) bool {
			return theta[0][0] < 0.7
		}}
	k := kernelOver(t, env, nil)
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	if env.calls < 2 || k.parties[0].mu()[0] < 0.2 {
		t.Errorf("after %d attempts the start is %v", env.calls, k.parties[0].mu())
	}
}

func TestHopelessStartNamesTheTerm(t *testing.T) {
	env := &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: math.NaN(),
		spoil: func(int, [][]float64) bool {
			return true
		}}
	err := kernelOver(t, env, nil).Init(context.Background())
	if err == nil || !strings.Contains(err.Error(), env.Cause().String()) {
		t.Errorf("got %v", err)
	}
}

func TestEndlessNonFiniteIsAnError(t *testing.T) {
	env := &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: math.Inf(-1),
		spoil: func(call int, _ [][]float64) bool {
			return call > 5
		}}
	k := kernelOver(t, env, nil)
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range patience + 10 {
		if _, err := k.Step(context.Background()); err != nil {
			if !strings.Contains(err.Error(), env.Cause().String()) {
				t.Errorf("the error does not name the term: %v", err)
			}
			return
		}
	}
	t.Error("no error")
}

// The response is an input only where the party holds it.
func TestGuideInputsNeedTheResponse(t *testing.T) {
	s, err := Algorithm().Resolve(stdlib.Augmented,
		map[string]string{"guide": "amortized", "guide-inputs": "y"})
	if err != nil {
		t.Fatal(err)
	}
	m := testmodel.Linear(3, 20, []int{2, 2}, 0.8) // a normal response: no label
	if _, err := newKernel(m.Env(1), s); err == nil || !strings.Contains(err.Error(), "client[1]") {
		t.Errorf("got %v", err)
	}
}

// The trace is an unbiased estimate with an honest standard error, and the smoothed ELBO agrees with it. The
// step is small enough that the first point of the trace lies 6 nats, many standard errors, below the last.
func TestTraceAgreesWithTheFinalValue(t *testing.T) {
	k := kernelOver(t, testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1),
		map[string]string{"lr": "2e-3", "iterations": "8000", "tolerance": "0"})
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	var traced []backends.StepInfo
	var info backends.StepInfo
	for !info.Done {
		var err error
		if info, err = k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		if info.Fit.Traced {
			traced = append(traced, info)
		}
	}
	if len(traced) != 16 {
		t.Fatalf("%d points of the trace, want 16", len(traced))
	}
	final, last := info.Fit.Final, traced[15].Fit
	for name, e := range map[string]backends.MonteCarloMean{"trace": last.Trace, "smooth": last.Smooth} {
		// The iterate lies a little below the average that the final value belongs to: 0.3 nat covers Adam's
		// noise.
		if math.Abs(e.Value-final.Value) > 4*math.Hypot(e.SE, final.SE)+0.3 || e.SE <= 0 {
			t.Errorf("%s %+v, final %+v", name, e, final)
		}
	}
	if first := traced[0].Fit.Trace; !(first.Value < final.Value) {
		t.Errorf("the trace begins at %+v and ends at %+v", first, final)
	}
}

// Parties that are apart move and draw before they know that an iteration was sound. Where it was not they go
// back: what they end with is what one process ends with, which does not.
func TestIterationsInVainLeaveNoTrace(t *testing.T) {
	env := func() density.Env {
		return &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: math.NaN(),
			spoil: func(call int, _ [][]float64) bool {
				return call%7 == 0
			}}
	}
	inVain(t, env, map[string]string{"iterations": "150", "elbo-draws": "100", "draws": "10",
		"elbo-every": "40"})
}

func inVain(t *testing.T, env func() density.Env, given map[string]string) {
	t.Helper()
	run := func(k *kernel) {
		if err := k.Init(context.Background()); err != nil {
			t.Error(err)
		}
		for range 150 {
			if _, err := k.Step(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	one := kernelOver(t, env(), given)
	run(one)
	var wait sync.WaitGroup
	var apart []*kernel
	for _, e := range testmodel.Split(env()) {
		k := kernelOver(t, e, given)
		apart = append(apart, k)
		wait.Go(func() { run(k) })
	}
	wait.Wait()
	if one.bad < 15 {
		t.Errorf("only %d evaluations were spoilt", one.bad)
	}
	for b, k := range apart {
		if !slices.Equal(k.parties[0].all(phiOf), one.parties[b].all(phiOf)) || k.bad != one.bad {
			t.Errorf("party %d: parameters %v after %d evaluations in vain, in one process %v after %d", b,
				k.parties[0].all(phiOf), k.bad, one.parties[b].all(phiOf), one.bad)
		}
	}
}
