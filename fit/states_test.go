package fit_test

import (
	"fmt"
	"math"
	"testing"
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
