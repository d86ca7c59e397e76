package sfvi

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/contract"
	"github.com/vflc/vflc/tests/testmodel"
)

// parts divides n rows into windows, unevenly and out of order.
func parts(n, windows int) [][]int {
	order := vector.NewGenerator(vector.SharedKey(5), "rows").Rand().Perm(n)
	var out [][]int
	for k := range windows {
		out = append(out, order[k*n/windows:(k+1)*n/windows])
		slices.Sort(out[k])
	}
	return out
}

// binary is a model of a 0/1 response.
func binary(rows int, transform def.Transform, curved bool) testmodel.GLM {
	m := testmodel.Linear(2, rows, []int{2, 1, 3}, 0.7)
	for i := range m.Y {
		m.Y[i] = float64(i * i % 3 % 2)
	}
	m.Sigma, m.Transform, m.Rho, m.Scale, m.Curve = 0, transform, 0.8, curved, curved
	return m
}

// At the same point, parameters and noise the mean over the windows of a pass of the gradient is the gradient
// over all rows: of q(θ), and of the guide's parameters, each counted in the one window that moves it. So is
// the mean of the integrands.
func TestMeanOverWindowsIsTheWhole(t *testing.T) {
	type variant struct {
		transform def.Transform
		curved    bool
		given     map[string]string
	}
	var variants []variant
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for _, form := range guideNames() {
			for _, curved := range []bool{false, true} {
				variants = append(variants, variant{transform, curved, map[string]string{"guide": form}})
			}
		}
	}
	variants = append(variants,
		variant{stdlib.Augmented, false,
			map[string]string{"guide": "amortized", "guide-inputs": "y"}},
		variant{stdlib.Augmented, false, map[string]string{"theta-guide": "meanfield"}},
		variant{stdlib.NoTransform, false, map[string]string{}})
	for _, v := range variants {
		m := binary(11, v.transform, v.curved)
		s, err := Algorithm().Resolve(v.transform, with(v.given, "minibatch", "3"))
		if err != nil {
			t.Fatal(err)
		}
		k, err := newKernel(m.Divided(4, parts(11, 4), nil), s)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere(k)
		checkMean(t, fmt.Sprint(v), k)
	}
}

func checkMean(t *testing.T, name string, k *kernel) {
	t.Helper()
	k.selectView(allRows)
	const round = 6
	want := evaluated(t, k, round)
	own, guides := make([][]float64, len(k.parties)), make([][]float64, len(k.parties))
	whole := make([][]float64, len(k.parties)) // noise
	for b, p := range k.parties {
		own[b], guides[b] = slices.Clone(p.own.grad), slices.Clone(p.whole.vars.grad)
		if p.guide != nil {
			whole[b] = slices.Clone(p.guide.noise())
		}
	}
	mean, n := 0.0, float64(len(k.windows))
	for w := range k.windows {
		k.selectView(w)
		for b, p := range k.parties {
			for i, at := range p.place {
				p.guide.noise()[i] = whole[b][at]
			}
			p.noisy, p.round, p.turned = true, round/2, false
		}
		mean += evaluated(t, k, round) / n
		for b, p := range k.parties {
			subtract(own[b], p.own.grad, n)
			subtractGuide(guides[b], p, n)
		}
	}
	if math.Abs(mean-want) > 1e-10*math.Abs(want) {
		t.Errorf("%s: mean of the integrands %.15g, over all rows %.15g", name, mean, want)
	}
	for b, p := range k.parties {
		for i, d := range append(own[b], guides[b]...) {
			if math.Abs(d) > 1e-10 {
				t.Errorf("%s: party %d, parameter %d (%d are of q(θ)): the gradients differ by %g", name, b,
					i, p.theta.size(), d)
			}
		}
	}
}

func evaluated(t *testing.T, k *kernel, round uint64) float64 {
	t.Helper()
	ratio, ok, err := k.evaluate(context.Background(), fitting, round)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return ratio
}

func subtract(from, v []float64, n float64) {
	for i, x := range v {
		from[i] -= x / n
	}
}

// subtractGuide takes what a window gives to the guide's gradient from that over all rows.
func subtractGuide(from []float64, p *party, n float64) {
	if p.guide == nil {
		return
	}
	if p.guide.each() == 0 {
		subtract(from, p.vars.grad, n)
		return
	}
	for c := range p.guide.each() {
		for i, at := range p.place {
			from[c*p.whole.block.AuxLen()+at] -= p.vars.grad[c*len(p.place)+i] / n
		}
	}
}

// The parameters of the guide of all rows are those of the windows, row by row.
func TestWindowsAreGathered(t *testing.T) {
	for _, form := range []string{"structured", "noncentered", "meanfield"} {
		k := divided(t, binary(11, stdlib.Augmented, false), 4, map[string]string{"guide": form})
		for _, p := range k.parties[1:] {
			for w, h := range p.windows {
				for c := range h.guide.each() {
					for i := range h.place {
						h.vars.phi[c*len(h.place)+i] = float64(1000*c + parts(11, 4)[w][i])
					}
				}
			}
			p.selectView(allRows)
			for i, v := range p.vars.phi {
				if want := float64(1000*(i/11) + i%11); v != want {
					t.Fatalf("%s: parameter %d is %v, want %v", form, i, v, want)
				}
			}
		}
	}
}

func divided(t *testing.T, m testmodel.GLM, windows int, given map[string]string) *kernel {
	t.Helper()
	s, err := Algorithm().Resolve(m.Transform, with(given, "minibatch", "1"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKernel(m.Divided(4, parts(len(m.Y), windows), nil), s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// In a pass every window is visited once, in another order each time, and draws of opposite noise are of one
// window.
func TestPasses(t *testing.T) {
	k := divided(t, binary(20, stdlib.Augmented, false), 5, nil)
	var orders [][]int
	for pass := range 6 {
		var seen []int
		for v := range 5 {
			seen = append(seen, k.windowOf(2*(5*pass+v)))
		}
		orders = append(orders, seen)
		if sorted := slices.Sorted(slices.Values(seen)); !slices.Equal(sorted, []int{0, 1, 2, 3, 4}) {
			t.Errorf("pass %d visits %v", pass, seen)
		}
	}
	if again := k.windowOf(0); again != orders[0][0] || slices.Equal(orders[0], orders[1]) &&
		slices.Equal(orders[1], orders[2]) {
		t.Errorf("the orders %v", orders)
	}
	for pair := range 20 {
		if a, b := k.windowOf(2*pair), k.windowOf(2*pair+1); a != b {
			t.Errorf("the pair %d is of windows %d and %d", pair, a, b)
		}
	}
}

// The optimiser of a window's guide moves, and counts its steps, when the window is visited and not else.
func TestOnlyTheVisitedWindowMoves(t *testing.T) {
	k := divided(t, binary(20, stdlib.Augmented, false), 5, map[string]string{"guide": "noncentered"})
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	steps := make([]float64, 5)
	for i := range 27 {
		at := k.windowOf(i)
		before := make([][]float64, 5)
		for w, h := range k.parties[1].windows {
			before[w] = slices.Clone(h.vars.phi)
		}
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		steps[at]++
		for w, h := range k.parties[1].windows {
			if moved := !slices.Equal(before[w], h.vars.phi); moved != (w == at) {
				t.Errorf("iteration %d is of window %d; window %d moved %t", i, at, w, moved)
			}
			if want := math.Pow(beta1, steps[w]); math.Abs(h.vars.opt.decay1-want) > 1e-12 {
				t.Errorf("iteration %d: window %d has a decay of %v, want %v", i, w, h.vars.opt.decay1, want)
			}
		}
	}
	if want := math.Pow(beta1, 27); math.Abs(k.parties[1].own.opt.decay1-want) > 1e-12 {
		t.Errorf("q(θ) has a decay of %v, want %v", k.parties[1].own.opt.decay1, want)
	}
}

// With a step size that goes to 0 a fit by minibatches ends where one over all rows does, in closed form: the
// ELBO within 0.1 nat and three standard errors, means within 0.05 posterior sds, sds within 4 % (see near).
func TestMinibatchesReachTheOptimum(t *testing.T) {
	guides := map[string]testmodel.Guide{"structured": testmodel.Structured,
		"noncentered": testmodel.Noncentered, "meanfield": testmodel.MeanField}
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for name, guide := range guides {
			m := testmodel.Linear(3, 40, []int{2, 3}, 0.8)
			m.Transform = transform
			t.Run(transform.Name+" "+name, func(t *testing.T) {
				given := map[string]string{"guide": name, "schedule": "cosine", "lr": "2e-2",
					"iterations": "30000", "draws": "10"}
				k := divided(t, m, 4, given)
				if err := k.Init(context.Background()); err != nil {
					t.Fatal(err)
				}
				run, err := contract.Follow(context.Background(), k.env, k, contract.Run{})
				if err != nil {
					t.Fatal(err)
				}
				var mean, sd []float64
				for _, p := range k.parties {
					a, b := p.theta.moments(p.own.phi)
					mean, sd = append(mean, a...), append(sd, b...)
				}
				near(t, run, mean, sd, m.Optimum(guide))
			})
		}
	}
}

// Iterations over windows allocate nothing, whatever the guide.
func TestIterationsOverWindowsAllocateNothing(t *testing.T) {
	for _, form := range guideNames() {
		k := divided(t, binary(20, stdlib.Power, false), 5,
			map[string]string{"guide": form, "elbo-every": "7"})
		if err := k.Init(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(50, func() {
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations an iteration", form, n)
		}
	}
}

// A kernel that goes on from a checkpoint ends with the same bits.
func TestWindowsAreResumed(t *testing.T) {
	for _, form := range guideNames() {
		given := map[string]string{"guide": form, "iterations": "60", "elbo-every": "13", "elbo-draws": "70"}
		one := divided(t, binary(20, stdlib.Augmented, false), 5, given)
		two := divided(t, binary(20, stdlib.Augmented, false), 5, given)
		if err := one.Init(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range 62 {
			if i == 23 {
				var saved bytes.Buffer
				if err := one.Save(&saved); err != nil {
					t.Fatal(err)
				}
				if err := two.Load(&saved); err != nil {
					t.Fatal(err)
				}
			}
			for _, k := range []*kernel{one, two} {
				if k == two && i < 23 {
					continue
				}
				if _, err := k.Step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for b, p := range one.parties {
			if !slices.Equal(p.all(phiOf), two.parties[b].all(phiOf)) ||
				!slices.Equal(one.ratios, two.ratios) {
				t.Errorf("%s: party %d is elsewhere after a checkpoint", form, b)
			}
		}
	}
}

// Parties that are apart visit the same windows, and go back in the right one: see
// TestIterationsInVainLeaveNoTrace.
func TestIterationsInVainOverWindows(t *testing.T) {
	for _, form := range []string{"structured", "amortized"} {
		inVain(t, func() density.Env { return faultyWindows(7) }, map[string]string{
			"iterations": "150", "elbo-draws": "100", "draws": "10", "elbo-every": "40",
			"minibatch": "5", "guide": form,
		})
	}
}

// faultyWindows spoils one density in so many, whichever window it is of.
func faultyWindows(every int) density.Env {
	var lock sync.Mutex
	calls := 0
	spoil := func(int, [][]float64) bool {
		lock.Lock()
		defer lock.Unlock()
		calls++
		return calls%every == 0
	}
	return testmodel.Linear(3, 20, []int{2, 2}, 0.8).Divided(1, parts(20, 4),
		func(e *testmodel.Env) density.Env {
			return &faulty{Env: e, with: math.NaN(), spoil: spoil}
		})
}

// A kernel that is asked for minibatches needs an Env that has them.
func TestMinibatchesNeedWindows(t *testing.T) {
	s, err := Algorithm().Resolve(stdlib.Augmented, map[string]string{"minibatch": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newKernel(testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), s); err == nil {
		t.Error("no error")
	}
	for _, text := range []string{"-1", "1.5", "all"} {
		if _, err := Algorithm().Resolve(stdlib.Augmented,
			map[string]string{"minibatch": text}); err == nil {
			t.Errorf("minibatches of %s rows are accepted", text)
		}
	}
}
