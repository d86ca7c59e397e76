package fit

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// imputedText has missing cells of a covariate, times a slope.
const imputedText = `client a
data y : real[N]
data x : real[N] @ a missing impute ~ normal(0.5, 2)
param b ~ normal(0, 1)
param h ~ normal(0, 1) @ a
y ~ normal(b + SLOPE + h, 1)
`

func imputedNormal(t *testing.T, slope string) *compile.BoundModel {
	return bindFiles(t, strings.Replace(imputedText, "SLOPE", slope, 1), stdlib.Augmented, 0.3,
		map[string]string{
			"server.csv": "id,y\n1,1\n2,2\n3,0.5\n4,-1\n", "a.csv": "id,x\n1,1\n2,\n3,-1\n4,\n",
		})
}

// A client's private module, and missing cells that enter linearly, are within reach of quadrature: where all
// is normal the fit is the posterior, so that log p − log q is the same at every draw.
func TestQuadratureOfModulesAndMissingCells(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3}, 0.7)
	m.Transform, m.Rho = stdlib.Augmented, 0.8
	for name, b := range map[string]*compile.BoundModel{"module": concealed(t, m),
		"missing cells": imputedNormal(t, "x")} {
		k, _, _ := quadratureFit(t, b, map[string]string{"draws": "400"})
		ratios := k.(backends.Weighted).Ratios()
		if spread := slices.Max(ratios) - slices.Min(ratios); !(spread < 1e-8) {
			t.Errorf("%s: log p − log q differs by %.3g", name, spread)
		}
	}
}

// Weights, and missing cells times a parameter, are out of its reach: auto samples and prints why, and
// quadrature by name is refused with the same reason.
func TestQuadratureIsRefused(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3}, 0.7)
	m.Transform, m.Rho = stdlib.Augmented, 0.8
	for want, b := range map[string]*compile.BoundModel{"it has weights": weighted(t, m),
		"is not affine in the parameters": imputedNormal(t, "x * h")} {
		a := backend(t, "sfvi")
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{}
		auto, err := a.Resolve(stdlib.Augmented, given)
		if err != nil {
			t.Fatal(err)
		}
		if chosen, why, _ := Chosen(a, auto, env.Blocks()); chosen.Text("estimator") != "sampled" ||
			!strings.Contains(why, want) {
			t.Errorf("auto chose %s: %s, want …%s…", chosen.Text("estimator"), why, want)
		}
		given["estimator"] = "quadrature"
		named, err := a.Resolve(stdlib.Augmented, given)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.New(env, named); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}

// Steps of a fit with weights allocate nothing.
func TestStepsWithWeightsAllocateNothing(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3}, 0.7)
	m.Transform, m.Rho = stdlib.Augmented, 0.8
	b := weighted(t, m)
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	a := backend(t, "sfvi")
	s, err := a.Resolve(m.Transform, map[string]string{"iterations": "1000000"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.New(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	step := func() {
		if _, err := k.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// Draws are those of the approximation, as for a run whose weights are not reliable, until those are wanted
// that are weighed: three of four pairs of these are further from the mean or nearer, by the factor of a t
// with 5 degrees of freedom and the scale of the approximation, so that their squared distances are 5/3 times
// as large on average.
func TestProposedDrawsHaveLongerTails(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	k, env, _ := quadratureFit(t, bindFiles(t, scaled(glmText(m)), stdlib.Exact, 0, glmFiles(m)),
		map[string]string{})
	w := k.(backends.Weighted)
	take := func(id int) (out []float64) {
		theta := make([][]float64, len(env.Blocks()))
		for b, block := range env.Blocks() {
			theta[b] = make([]float64, block.Dim())
		}
		k.Draw(id, theta)
		return slices.Concat(theta...)
	}
	n, tails, squares := len(w.Ratios()), 0.0, 0.0
	for id := 0; id < n; id += 2 {
		w.Propose(false)
		plain, opposite := take(id), take(id+1)
		w.Propose(true)
		proposed := take(id)
		factor := 0.0
		for i, v := range plain {
			mean := (v + opposite[i]) / 2
			by := (proposed[i] - mean) / (v - mean)
			if i > 0 && math.Abs(by-factor) > 1e-6*(1+factor)*(1+math.Abs(mean)/math.Abs(v-mean)) {
				t.Fatalf("draw %d: factors %g and %g", id, factor, by)
			}
			if i == 0 {
				factor = by
			}
		}
		if own := id%8 == 0; own != (math.Abs(factor-1) < 1e-9) {
			t.Fatalf("draw %d: %g times as far from the mean", id, factor)
		}
		if id%8 != 0 {
			tails, squares = tails+1, squares+factor*factor
		}
	}
	if mean := squares / tails; math.Abs(mean-5/3.0) > 0.35 { // the standard error is 0.1
		t.Errorf("squared distances are %g times as large", mean)
	}
}

// Of a party whose parameters over its rows are too many for quadrature, auto says so without a number for
// each of these: its matrices are not made to be refused.
func TestLargeMatricesAreNotMadeToBeRefused(t *testing.T) {
	const rows, levels = 3000, 1200
	server, a := strings.Builder{}, strings.Builder{}
	server.WriteString("id,y\n")
	a.WriteString("id,g\n")
	for i := range rows {
		fmt.Fprintf(&server, "%d,%d\n", i, i%2)
		fmt.Fprintf(&a, "%d,g%d\n", i, i%levels)
	}
	const text = "client a\ndata y : binary[N]\ndata g : level(C)[N] @ a\nparam u : real[C] ~ " +
		"normal(0, 1) @ a\ny ~ bernoulli_logit(u[g])\n"
	b := bindFiles(t, text, stdlib.Exact, 0,
		map[string]string{"server.csv": server.String(), "a.csv": a.String()})
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	algorithm := backend(t, "sfvi")
	auto, err := algorithm.Resolve(stdlib.Exact, nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, why, _ := Chosen(algorithm, auto, env.Blocks())
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*rows*levels/10 {
		t.Errorf("%d bytes", bytes)
	}
	if !strings.Contains(why, "1200 parameters over 3000 rows take long to solve for") {
		t.Error(why)
	}
}
