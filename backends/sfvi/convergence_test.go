package sfvi

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/tests/testmodel"
)

// restOf is the judgement of gradients N(shift, 1) and a q(θ) whose log sds grow by growth between the
// halves.
func restOf(shift, growth float64) (scalars [verdicts]float64) {
	q := newGaussian(20, nil, true)
	r, random := newRest(q), rand.New(rand.NewPCG(7, 1))
	phi := make([]float64, q.size())
	for i := range 600 {
		for k := range r.slope {
			r.slope[k] = shift + random.NormFloat64()
		}
		half := i / 300
		for k := range q.dim {
			phi[q.dim+k] = growth * float64(half)
		}
		r.average(phi, half)
		r.add(i%12 == 11)
	}
	r.judge(&q, scalars[:])
	return scalars
}

// Of gradients with mean 0 the statistic has the mean 1 per term; with the mean m after n iterations of
// variance 1 it has 1 + nm².
func TestMeanGradientIsComparedWithItsError(t *testing.T) {
	for _, shift := range []float64{0, 0.1} {
		got := restOf(shift, 0)
		if terms := 230.0; got[1] != terms {
			t.Fatalf("%v terms, want %v", got[1], terms)
		}
		// For Student's t with 49 degrees of freedom and the noncentrality δ² = nm² the variance of a term is
		// near 2(1 + 2δ²).
		want, sd := 1+600*shift*shift, math.Sqrt(2*(1+2*600*shift*shift)/got[1])
		if math.Abs(got[0]/got[1]-want) > 4*sd {
			t.Errorf("shift %v: %v per term, want %v ± %.2g", shift, got[0]/got[1], want, sd)
		}
	}
	for growth, want := range map[float64]float64{0.04: 0, 0.06: 20, -0.06: 20} {
		if got := restOf(0, growth)[2]; got != want {
			t.Errorf("log sds that change by %v: %v counted, want %v", growth, got, want)
		}
	}
}

// What convergence is judged by is saved with a fit that stops within the last iterations, and is the same
// for one that does not stop.
func TestJudgementIsSaved(t *testing.T) {
	m := testmodel.Linear(3, 20, []int{2, 2}, 0.8)
	given := map[string]string{"iterations": "600", "elbo-every": "100", "elbo-draws": "100", "draws": "10",
		"lr": "0.02"}
	finish := func(k *kernel) [verdicts]float64 {
		for k.phase != done {
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		return k.verdict
	}
	whole := kernelOver(t, m.Env(1), given)
	if err := whole.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := finish(whole)
	if want[1] == 0 {
		t.Fatal("no judgement")
	}
	for _, at := range []int{471, 555} {
		first, second := kernelOver(t, m.Env(1), given), kernelOver(t, m.Env(1), given)
		if err := first.Init(context.Background()); err != nil {
			t.Fatal(err)
		}
		for range at {
			if _, err := first.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		var saved bytes.Buffer
		if err := first.Save(&saved); err != nil {
			t.Fatal(err)
		}
		if err := second.Load(&saved); err != nil {
			t.Fatal(err)
		}
		if got := finish(second); got != want {
			t.Errorf("saved at iteration %d: %v, want %v", at, got, want)
		}
	}
}

// The steps at the end, in which convergence is judged, allocate nothing.
func TestTheLastStepsAllocateNothing(t *testing.T) {
	k := kernelOver(t, testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1),
		map[string]string{"iterations": "600", "elbo-draws": "500"})
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	step := func() {
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for k.iter < 590 {
		step()
	}
	if n := testing.AllocsPerRun(11, step); n > 0 || k.evaluated == 0 {
		t.Errorf("%v allocations in a step, %d draws evaluated", n, k.evaluated)
	}
}
