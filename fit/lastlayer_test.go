package fit

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/runtime/session"
	vec "github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// networked makes the contribution of the second client of a regression a network with one hidden layer.
func networked(text string) string {
	text = strings.Replace(text, "param t2 : real[P2]",
		"param W : real[P2, 3] ~ normal(0, 1) @ c2\nparam c : real[3] ~ normal(0, 1) "+
			"@ c2\nparam t2 : real[3]", 1)
	return strings.Replace(text, "X2 * t2", "tanh(X2 * W + row(c)) * t2", 1)
}

// lastLayer runs a fit of last layers to its end and returns the draws by party, each with its parameters in
// their order.
func lastLayer(t *testing.T, b *compile.BoundModel, given map[string]string) (draws [][][]float64) {
	t.Helper()
	given["estimator"] = "last-layer"
	settings, err := backend(t, "sfvi").Resolve(stdlib.Exact, given)
	if err != nil {
		t.Fatal(err)
	}
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	k, err := backend(t, "sfvi").New(env, settings)
	if err == nil {
		err = k.Init(t.Context())
	}
	var info backends.StepInfo
	for err == nil && !info.Done {
		info, err = k.Step(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if !info.Fit.Converged {
		t.Error("not converged")
	}
	zeros := func() (out [][]float64) {
		for _, block := range env.Blocks() {
			out = append(out, make([]float64, block.Dim()))
		}
		return out
	}
	for id := range info.Draws {
		draws = append(draws, zeros())
		k.Draw(id, draws[id])
	}
	return draws
}

// Where the likelihood is normal, the last layer and all other parameters have, given the features, the
// posterior of a linear regression, which is known in closed form. Hidden layers are the same in all draws,
// and where they are the density of y with all others at their mode, times the volume of the last layer's
// posterior, has its maximum, by differences.
func TestLastLayerIsTheRegressionOnItsFeatures(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	draws, n := lastLayer(t, bindFiles(t, networked(glmText(m)), stdlib.Exact, 0, glmFiles(m)),
		map[string]string{"tolerance": "1e-9", "draws": "2000"}), len(m.Y)
	hidden := draws[0][2][:12]
	at := func(d [][]float64) []float64 { return slices.Concat(d[0], d[1], d[2][12:], d[3]) }
	mean := make([]float64, len(at(draws[0])))
	for id, d := range draws {
		for k, v := range at(d) {
			mean[k] += v / float64(len(draws))
		}
		if !slices.Equal(d[2][:12], hidden) {
			t.Fatalf("draw %d has other hidden layers", id)
		}
	}
	design := func(features [][]float64) [][]float64 {
		columns := [][]float64{slices.Repeat([]float64{1}, n), m.X[0][:n], m.X[0][n:]}
		return append(append(columns, features...), m.X[2])
	}
	wantMean, wantSD, _, _ := regression(design(layerOf(m.X[1], hidden, n)), m.Y, m.Sigma)
	for k, want := range wantMean {
		square := 0.0
		for _, d := range draws {
			square += (at(d)[k] - want) * (at(d)[k] - want) / float64(len(draws))
		}
		if off := (mean[k] - want) / wantSD[k]; !(math.Abs(off) < 1e-3) {
			t.Errorf("mean %d is %.2g sds off", k, off)
		}
		// every other draw is a reflection
		if off := math.Sqrt(square)/wantSD[k] - 1; !(math.Abs(off) < 4.5/math.Sqrt(float64(len(draws)))) {
			t.Errorf("sd %d is %.2g off", k, off)
		}
	}
	maximised := func(hidden []float64) float64 {
		features := layerOf(m.X[1], hidden, n)
		_, _, density, _ := regression(design(features), m.Y, m.Sigma)
		_, _, _, volume := regression(features, m.Y, m.Sigma)
		return density + volume - 0.5*vec.Dot(len(hidden), hidden, hidden)
	}
	for i := range hidden {
		const step = 1e-4
		above, below := slices.Clone(hidden), slices.Clone(hidden)
		above[i], below[i] = above[i]+step, below[i]-step
		if slope := (maximised(above) - maximised(below)) / (2 * step); !(math.Abs(slope) < 0.02) {
			t.Errorf("the slope by element %d of the hidden layer is %.3g", i, slope)
		}
	}
}

// layerOf are three features of three columns.
func layerOf(x, hidden []float64, n int) [][]float64 {
	out := make([][]float64, 3)
	for k := range out {
		for i := range n {
			h := hidden[9+k]
			for j := range 3 {
				h += x[j*n+i] * hidden[3*k+j]
			}
			out[k] = append(out[k], math.Tanh(h))
		}
	}
	return out
}

// regression is the posterior of a linear regression with standard normal priors: also the log density at its
// mode, and the logarithm of its volume, both but for constants.
func regression(columns [][]float64, y []float64, sigma float64) (mean, sd []float64, density,
	volume float64) {
	d := len(columns)
	f := algebra.NewFactor(d)
	for i, a := range columns {
		mean = append(mean, vec.Dot(len(y), a, y)/(sigma*sigma))
		for j, b := range columns {
			f.Matrix[i*d+j] = vec.Dot(len(y), a, b) / (sigma * sigma)
		}
		f.Matrix[i*d+i]++
	}
	f.Definite()
	by := slices.Clone(mean)
	f.Solve(mean)
	for i := range d {
		unit := make([]float64, d)
		unit[i] = 1
		f.Solve(unit)
		sd = append(sd, math.Sqrt(unit[i]))
	}
	return mean, sd, 0.5 * vec.Dot(d, by, mean), -0.5 * f.LogDet()
}

// What crosses is what the audit lists, masked or not.
func TestAuditOfLastLayers(t *testing.T) {
	m := testmodel.Linear(9, 12, []int{2, 3, 1}, 0.7)
	b := bindFiles(t, networked(glmText(m)), stdlib.Exact, 0, glmFiles(m))
	parts, diags := b.Bundle()
	good(t, diags, nil)
	for _, masks := range []string{"off", "on"} {
		given := map[string]string{"estimator": "last-layer", "secure-sum": masks, "draws": "20"}
		list, err := Audit(parts, backend(t, "sfvi"), given)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, b, list, follow(t, b, backend(t, "sfvi"), given))
	}
}

// The server has the clients' contributions exactly, row by row, and under masks their sum: nothing of a
// network hides it. Chains do not begin at draws that have no spread.
func TestServerKnowsContributionsOfNetworks(t *testing.T) {
	m := testmodel.Linear(9, 60, []int{2, 3, 2}, 0.7)
	b := bindFiles(t, networked(glmText(m)), stdlib.Exact, 0, glmFiles(m))
	dir, found := attacked(t, b, "sfvi", map[string]string{"estimator": "last-layer", "draws": "100"})
	for _, c := range found.Cuts {
		if r := float64(c.Correlation); !c.Sum && !(r > 0.999) { // of the mean over 100 draws
			t.Errorf("%s: correlation %v", c.Name, r)
		}
	}
	if len(found.Cuts) < 3 {
		t.Errorf("%d cuts", len(found.Cuts))
	}
	p, diags, err := OpenBound(b,
		Options{Algorithm: backend(t, "nuts"), Settings: map[string]string{"init": dir}, Seed: 1})
	good(t, diags, err)
	if _, err := p.Sample(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "parameters at a mode") {
		t.Errorf("chains that begin at such draws: %v", err)
	}
	attackMasked(t,
		wired(t, b, map[string]string{"backend": "sfvi", "estimator": "last-layer", "draws": "100"},
			map[string]string{"secure-sum": "on"}), 1)
}

// What does not suit is refused by name, with the reason.
func TestLastLayersAreRefused(t *testing.T) {
	m := testmodel.Linear(9, 12, []int{2, 3}, 0.7)
	linear := glmText(m)
	network := networked(linear)
	for want, c := range map[string]struct {
		text  string
		given map[string]string
	}{
		"no client's contribution has hidden layers": {linear, nil},
		"c2: it has weights": {strings.Replace(network,
			"param W : real[P2, 3] ~ normal(0, 1)", "weight W : real[P2, 3] init he_normal", 1), nil},
		"the prior of its last layer depends on other parameters": {strings.Replace(network,
			"param t2 : real[3] ~ normal(0, 1)",
			"param s ~ half_normal(1) @ c2\nparam t2 : real[3] ~ normal(0, s)", 1), nil},
		"c2: c enters a predictor by itself": {strings.Replace(network, "* t2",
			"* t2 + c[1] * c[2]", 1), nil},
		"has a flat prior": {strings.Replace(network,
			"param c : real[3] ~ normal(0, 1)", "param c : real[3] ~ flat()", 1), nil},
		"parties share parameters": {strings.Replace(network,
			"param W : real[P2, 3] ~ normal(0, 1)",
			"param mu ~ normal(0, 1) @ shared\nparam W : real[P2, 3] ~ normal(mu, 1)", 1), nil},
		"--minibatch 4": {network,
			map[string]string{"minibatch": "4"}},
		"--lr concerns draws": {network, map[string]string{"lr": "0.1"}},
	} {
		given := map[string]string{"estimator": "last-layer", "draws": "20"}
		maps.Copy(given, c.given)
		_, err := sampledWith(t, bindFiles(t, c.text, stdlib.Exact, 0, glmFiles(m)), given)
		if err == nil || !strings.Contains(err.Error(), "--estimator last-layer: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}

func sampledWith(t *testing.T, b *compile.BoundModel, given map[string]string) (*Result, error) {
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 1})
	good(t, diags, err)
	return p.Sample(t.Context(), nil)
}
