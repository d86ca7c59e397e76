package fit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// Discrete parameters of rows whose predictors lie at two clients.
const latentStates = `server registry
client a, b
data y  : binary[N] @ shared
data XA : real[N, 2] @ a
data XB : real[N, 2] @ b
param m ~ normal(0, 1)
param w : simplex[3] ~ dirichlet(3)
param ba : real[2] ~ normal(0, 1) @ a
param bb : real[2] ~ normal(0, 1) @ b
param k : level(3)[N] ~ categorical(w)
%s
let eta = m + XA * ba + XB * bb + w[k]
y ~ bernoulli_logit(%s)
generate p = k.probability
generate looked = w[k]
`

// Given a draw of all else a state has the probabilities that the draw shows, wherever the rows are
// evaluated, and what it looks up is its own.
func TestStatesFollowTheirProbabilities(t *testing.T) {
	for _, c := range []struct{ more, predictor, transform string }{
		{"", "eta", "none"}, {"", "eta", "exact"}, {"", "eta", "augmented"}, {"", "eta", "power"},
		{"param z : binary[N] ~ bernoulli(w[k])", "eta - 3 * z", "exact"},
	} {
		r := generatedRun(t, fmt.Sprintf(latentStates, c.more, c.predictor), c.transform)
		d := r.Draws
		get := func(format string, args ...any) []float64 {
			return column(t, d, fmt.Sprintf(format, args...))
		}
		var over, variance float64
		for row := 1; row <= 15; row++ {
			for i, state := range get("k[%d]", row) {
				p := get("p[%d,2]", row)[i]
				over, variance = over+truth(state == 2)-p, variance+p*(1-p)
				if want := get("w[%d]", int(state))[i]; get("looked[%d]", row)[i] != want {
					t.Fatalf("state %v looks up %v, want %v", state, get("looked[%d]", row)[i], want)
				}
			}
		}
		if !(math.Abs(over) < 4*math.Sqrt(variance)) {
			t.Errorf("%v: %v more states are 2 than expected, standard deviation %v", c, over,
				math.Sqrt(variance))
		}
	}
}

// A state that is certain, or all but certain, is no finding: it does not vary, and noise does not move it.
func TestCertainStatesAreNoFinding(t *testing.T) {
	apart := regressed("real", "param w : simplex[2] ~ dirichlet(2)\nparam mu : ordered[2] ~ normal(0, 5)\n"+
		"param k : level(2)[N] ~ categorical(w)", "normal(mu[k] + ETA, 0.5)", 60,
		func(r *rand.Rand, eta float64) float64 {
			return eta + float64(2.4*truth(r.Float64() < 0.3)) + float64(0.5*r.NormFloat64())
		})
	for _, f := range fitOf(t, apart, stdlib.Augmented, 0.03).Diagnose() {
		if strings.HasPrefix(f.Parameter, "k[") {
			t.Errorf("%s: %s", f.Check, f.Text)
		}
	}
}
