package sfvi

import (
	"context"
	"math"
	"testing"

	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/contract"
	"github.com/vflc/vflc/tests/testmodel"
)

// fit runs a fit to its end and returns what it ended with and the exact moments of q(θ), party after party.
func fit(t *testing.T, m testmodel.GLM, seed uint64, given map[string]string) (run contract.Run, mean,
	sd []float64) {
	t.Helper()
	s, err := Algorithm().Resolve(m.Transform, given)
	if err != nil {
		t.Fatal(err)
	}
	env := m.Env(seed)
	k, err := newKernel(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	if run, err = contract.Follow(context.Background(), env, k, contract.Run{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range k.parties {
		a, b := p.theta.moments(p.own.phi)
		mean, sd = append(mean, a...), append(sd, b...)
	}
	return run, mean, sd
}

// near holds a fit against the closed form: ELBO within 0.1 nat and 3 standard errors and never above the log
// evidence, means within 0.05 posterior sds, sds within 4 %.
func near(t *testing.T, run contract.Run, mean, sd []float64, want testmodel.Fit) {
	t.Helper()
	e := run.Last.Fit.Final
	if math.Abs(e.Value-want.ELBO) > 0.1+3*e.SE || e.Value > want.LogZ+3*e.SE {
		t.Errorf("ELBO %.3f ± %.3f, optimum %.3f, log evidence %.3f", e.Value, e.SE, want.ELBO, want.LogZ)
	}
	for i := range mean {
		if math.Abs(mean[i]-want.Mean[i]) > 0.05*want.Exact[i] || math.Abs(sd[i]/want.SD[i]-1) > 0.04 {
			t.Errorf("parameter %d: mean %.4f sd %.4f, optimum %.4f and %.4f (posterior sd %.4f)", i, mean[i],
				sd[i], want.Mean[i], want.SD[i], want.Exact[i])
		}
	}
}

// moments returns the mean and the sd of each random coordinate.
func (q *gaussian) moments(phi []float64) (mean, sd []float64) {
	mean, sd = make([]float64, q.dim), make([]float64, q.dim)
	for i := range mean {
		mean[i] = phi[q.coordinate(i)]
	}
	q.sds(phi, sd)
	return mean, sd
}

// annealed leaves few draws to be taken: what is held against closed forms are the moments of q(θ) and the
// final ELBO of 4000 draws.
var annealed = map[string]string{"schedule": "cosine", "lr": "1e-2", "iterations": "10000",
	"draws": "10"}

func with(given map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for k, v := range given {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// Normal likelihood: every Gaussian guide reaches its closed-form optimum in both transforms.
func TestGaussianOptimum(t *testing.T) {
	guides := map[string]testmodel.Guide{"structured": testmodel.Structured,
		"noncentered": testmodel.Noncentered, "meanfield": testmodel.MeanField}
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for name, guide := range guides {
			for rho, seed := range map[float64]uint64{0.4: 1, 1.2: 2} {
				m := testmodel.Linear(3, 40, []int{2, 3}, 0.8)
				m.Transform, m.Rho = transform, rho
				t.Run(transform.Name+" "+name, func(t *testing.T) {
					run, mean, sd := fit(t, m, seed, with(annealed, "guide", name))
					near(t, run, mean, sd, m.Optimum(guide))
					if f := run.Last.Fit; !f.Converged {
						t.Errorf("not converged: mean gradient %.2f of its errors, at most %.2f; %d sds "+
							"drift; the ELBO rose by %v", f.Gradient, f.GradientBound, f.Drifting, f.Drift)
					}
				})
			}
		}
	}
}

// Under exact each party has a Gaussian of its own, over θ_j or over (b, γ), and nothing else: means are
// those of the true posterior, and the covariance of party j is (P_jj)⁻¹, P the precision of the true
// posterior.
func TestGaussianOptimumOfExact(t *testing.T) {
	for _, columns := range [][]int{{2, 3}, {4}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}} {
		m := testmodel.Linear(3, 40, columns, 0.8)
		m.Transform = stdlib.Exact
		want := m.Optimum(testmodel.Structured)
		m.Transform = stdlib.NoTransform
		for i, v := range m.Optimum(testmodel.Structured).Mean {
			if math.Abs(v-want.Mean[i]) > 1e-9 {
				t.Fatalf("mean %d of the oracle is %v, that of the true posterior %v", i, want.Mean[i], v)
			}
		}
		m.Transform = stdlib.Exact
		run, mean, sd := fit(t, m, 1, annealed)
		near(t, run, mean, sd, want)
		if f := run.Last.Fit; !f.Converged {
			t.Errorf("%v: not converged: %+v", columns, f)
		}
	}
}

func TestManyClients(t *testing.T) {
	m := testmodel.Linear(3, 20, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0.8)
	m.Transform, m.Rho = stdlib.Power, 0.7
	run, mean, sd := fit(t, m, 1, annealed)
	near(t, run, mean, sd, m.Optimum(testmodel.Structured))
}

func TestIndependentTheta(t *testing.T) {
	m := testmodel.Linear(3, 30, []int{2, 3}, 0.8)
	run, mean, sd := fit(t, m, 1, with(annealed, "guide", "noncentered", "theta-guide", "meanfield"))
	near(t, run, mean, sd, m.Optimum(testmodel.Independent))
}

// Without a transform the family holds the posterior: the ELBO is the log evidence, with no variance, and the
// fit ends early.
func TestPooledPosterior(t *testing.T) {
	m := testmodel.Linear(3, 40, []int{2, 3}, 0.8)
	m.Transform = stdlib.NoTransform
	run, mean, sd := fit(t, m, 1, map[string]string{"lr": "1e-2", "draws": "10"})
	near(t, run, mean, sd, m.Optimum(testmodel.Structured))
	if e := run.Last.Fit.Final; math.Abs(e.Value-m.Optimum(testmodel.Structured).LogZ) > 0.01 {
		t.Errorf("ELBO %.4f, log evidence %.4f", e.Value, m.Optimum(testmodel.Structured).LogZ)
	}
	if !run.Last.Fit.Converged {
		t.Errorf("not converged: drift %+v", run.Last.Fit.Drift)
	}
	if run.Steps < earliest || run.Steps > 20000 {
		t.Errorf("%d steps, of 50000 allowed", run.Steps)
	}
}

// Power with one client is the true model. The columns are centred, so that b and the slopes are independent
// in the posterior and it does not matter that they belong to two parties.
func TestPowerWithOneClient(t *testing.T) {
	m := testmodel.Linear(8, 30, []int{3}, 0.8)
	for c := range 3 {
		col, mean := m.X[0][c*30:][:30], 0.0
		for _, v := range col {
			mean += v / 30
		}
		for i := range col {
			col[i] -= mean
		}
	}
	m.Transform = stdlib.NoTransform
	want := m.Optimum(testmodel.Structured)
	for _, guide := range []string{"structured", "noncentered"} {
		m.Transform = stdlib.Power
		run, mean, sd := fit(t, m, 1, with(annealed, "guide", guide))
		near(t, run, mean, sd, want)
	}
}

// A small logistic panel against the exact optimum of its guide.
func TestLogisticPanel(t *testing.T) {
	const data = "../../tests/reference"
	m, err := testmodel.Logistic(data, 2)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := testmodel.ReadReferences(data)
	if err != nil {
		t.Fatal(err)
	}
	m.Transform, m.Rho = stdlib.Augmented, 1
	run, mean, sd := fit(t, m, 1, with(annealed, "iterations", "8000"))
	want := testmodel.Select(refs.Optimum, m.Transform.Name, 2, 1, "slope")[0]
	exact := testmodel.Select(refs.Exact, m.Transform.Name, 2, 1, "")[0]
	near(t, run, mean, sd, testmodel.Fit{ELBO: want.ELBO, LogZ: exact.LogZ, Mean: want.Mean, SD: want.SD,
		Exact: exact.SD})
}

// Renaming and reordering the clients changes noise, and nothing else.
func TestClientsMayBePermuted(t *testing.T) {
	m := testmodel.Linear(21, 40, []int{2, 1, 2}, 0.8)
	for i := range m.Y {
		m.Y[i] = float64(i % 2)
	}
	m.Sigma = 0
	_, mean, sd := fit(t, m, 1, annealed)
	m.X[0], m.X[2] = m.X[2], m.X[0]
	_, other, _ := fit(t, m, 2, annealed)
	for i, j := range []int{0, 4, 5, 3, 1, 2} {
		if math.Abs(mean[i]-other[j]) > 0.05*sd[i] {
			t.Errorf("parameter %d: mean %.4f, after permuting %.4f (sd %.4f)", i, mean[i], other[j], sd[i])
		}
	}
}
