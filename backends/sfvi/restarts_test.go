package sfvi

import (
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// A split Env has a density with two modes in the last party's first parameter, t: that of testmodel, times a
// mixture of normal densities at −3 and 3 with a weight of e^5 on the second.
type split struct {
	*testmodel.Env
	at int // the party
}

func (s split) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64,
	lp []float64) error {
	err := s.Env.Density(ctx, theta, coords, grad, lp)
	const sd = 0.3
	t := theta[s.at][0]
	low, high := -0.5*(t+3)*(t+3)/sd/sd, 5-0.5*(t-3)*(t-3)/sd/sd
	sum := max(low, high) + math.Log1p(math.Exp(-math.Abs(low-high)))
	share := math.Exp(high - sum)
	lp[s.at] += sum
	grad[s.at][0] += ((1-share)*(-3-t) + share*(3-t)) / sd / sd
	return err
}

// Of fits that end in two modes the one in the higher mode is kept, whichever it was; its draws, ELBO and
// ratios are those of that fit.
func TestRestartsKeepTheBestFit(t *testing.T) {
	m := testmodel.Linear(3, 6, []int{2}, 2)
	env := split{m.Env(1), 1}
	s, err := Algorithm().Resolve(m.Transform, map[string]string{"estimator": "sampled", "restarts": "6",
		"iterations": "300", "lr": "0.05", "elbo-draws": "50", "draws": "40"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	run := func(k backends.Kernel) backends.StepInfo {
		if err := k.Init(ctx); err != nil {
			t.Fatal(err)
		}
		last := 0
		for {
			i, err := k.Step(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if i.Phase != backends.Evaluation {
				if i.Iteration <= last {
					t.Fatalf("iteration %d after %d", i.Iteration, last)
				}
				last = i.Iteration
			}
			if i.Done {
				return i
			}
		}
	}
	k, err := newFit(env, s)
	if err != nil {
		t.Fatal(err)
	}
	info := run(k)
	var want []backends.MonteCarloMean
	var fits []backends.Kernel
	best := 0
	for r := range 6 {
		one, err := newFitFrom(env, s, r)
		if err != nil {
			t.Fatal(err)
		}
		want, fits = append(want, run(one).Fit.Final), append(fits, one)
		if want[r].Value > want[best].Value {
			best = r
		}
	}
	got := k.(backends.Restarted).Restarts()
	if !slices.Equal(got, want) {
		t.Fatalf("ELBOs %v, of single fits %v", got, want)
	}
	values := func(e []backends.MonteCarloMean) (out []float64) {
		for _, v := range e {
			out = append(out, v.Value)
		}
		return out
	}(want)
	if spread := slices.Max(values) - slices.Min(values); spread < 3 || spread > 7 {
		t.Errorf("the fits end at %v: all in one mode, or not in modes", values)
	}
	if info.Fit.Final != want[best] || !slices.Equal(k.(backends.Weighted).Ratios(),
		fits[best].(backends.Weighted).Ratios()) {
		t.Errorf("kept %v, the best is %v", info.Fit.Final, want[best])
	}
	a, b := [][]float64{make([]float64, 1), make([]float64, 2)},
		[][]float64{make([]float64, 1), make([]float64, 2)}
	for id := range 40 {
		k.Draw(id, a)
		fits[best].Draw(id, b)
		if !slices.Equal(a[1], b[1]) {
			t.Fatalf("draw %d is %v, of the best fit %v", id, a, b)
		}
	}
	if a[1][0] < 1 {
		t.Errorf("a draw is %v: not of the higher mode", a[1][0])
	}
}

// A score that is not finite is below every one that is, whatever it is of.
func TestScoresThatAreNotFiniteAreLowest(t *testing.T) {
	for _, score := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, f := range map[string]backends.VariationalFit{
			"ELBO":     {Final: backends.MonteCarloMean{Value: score, N: 10}},
			"held out": {Final: backends.MonteCarloMean{Value: 3, N: 10}, BestAt: 4, HeldOut: score},
		} {
			if got := height(&f); !math.IsInf(got, -1) {
				t.Errorf("%s of %v: %v", name, score, got)
			}
		}
	}
	if got := height(&backends.VariationalFit{Final: backends.MonteCarloMean{Value: -math.MaxFloat64,
		N: 10}}); got !=
		-math.MaxFloat64 {
		t.Error(got)
	}
}

// A fit is saved without a copy of its state, which has numbers for each row.
func TestSavingHoldsNoCopy(t *testing.T) {
	const rows = 20000
	m := testmodel.Linear(3, rows, []int{2}, 2)
	m.Transform, m.Rho = stdlib.Augmented, 0.8
	s, err := Algorithm().Resolve(m.Transform, map[string]string{"estimator": "sampled", "restarts": "2"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := newFit(m.Env(1), s)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := k.Save(io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*rows {
		t.Errorf("%d bytes", bytes)
	}
}
