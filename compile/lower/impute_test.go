package lower_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/stdlib"
)

func normalDensity(x, mu, sigma float64) float64 {
	z := (x - mu) / sigma
	return -0.5*z*z - math.Log(sigma) - 0.5*math.Log(2*math.Pi)
}

const gaps = "id,y,x,t\np1,0.5,1,2\np2,-1,,\np3,2,3,0.5\np4,0.25,,\n"

// All cells have the distribution, the missing ones as parameters in the order of the rows; a missing cell of
// a positive column moves on the logarithmic scale.
func TestImputedDensity(t *testing.T) {
	f := fixture{Text: `client a
data y : real[N] @ shared
data x : real[N] @ a missing impute ~ normal(m, 2)
data t : real<lower=0>[N] @ a missing impute ~ lognormal(0.5, s)
param m ~ normal(0, 3) @ a
param s ~ half_normal(1) @ a
param b ~ normal(0, 1)
y ~ normal(b + m * x + t, 1.5)
`, Tables: map[string]string{"a": gaps}}
	plan := f.Bind(t, check.Options{Transform: stdlib.Exact}).Plan
	spec := plan.Parties[1]
	var names []string
	for _, p := range spec.Params {
		names = append(names, p.Name)
	}
	if want := []string{"m", "s", "x.missing", "t.missing"}; !slices.Equal(names, want) {
		t.Fatalf("the client has %v, want %v", names, want)
	}
	m, logS, b := 0.4, -0.3, 0.7
	xMissing, logT := []float64{0.9, -1.1}, []float64{0.2, -0.6}
	j := newJoint(t, plan, 0)
	copy(j.theta[0], []float64{b})
	copy(j.theta[1], slices.Concat([]float64{m, logS}, xMissing, logT))
	got := j.value(t)

	s := math.Exp(logS)
	x := []float64{1, xMissing[0], 3, xMissing[1]}
	times := []float64{2, math.Exp(logT[0]), 0.5, math.Exp(logT[1])}
	want := normalDensity(b, 0, 1) + normalDensity(m, 0, 3) + math.Ln2 + normalDensity(s, 0, 1) + logS +
		logT[0] + logT[1]
	for i, y := range []float64{0.5, -1, 2, 0.25} {
		want += normalDensity(x[i], m, 2) + normalDensity(math.Log(times[i]), 0.5, s) - math.Log(times[i]) +
			normalDensity(y, b+m*x[i]+times[i], 1.5)
	}
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("the log density is %v, want %v", got, want)
	}
	checkGradient(t, plan)
}

// The cells of a row may depend on one another: a multivariate distribution of the rows of a matrix.
func TestImputedRows(t *testing.T) {
	f := fixture{Text: `data X : real[N, 2] from x, t missing impute ~ multi_normal(mu, [[2, 0.5], [0.5, 1]])
param mu : real[2] ~ normal(0, 1)
`, Tables: map[string]string{"server": gaps}}
	plan := f.Bind(t, check.Options{}).Plan
	mu, missing := []float64{0.3, -0.2}, []float64{0.9, -1.1, 0.6, 1.4}
	j := newJoint(t, plan, 0)
	copy(j.theta[0], slices.Concat(mu, missing))
	got := j.value(t)
	want := normalDensity(mu[0], 0, 1) + normalDensity(mu[1], 0, 1)
	for _, row := range [][2]float64{{1, 2}, {missing[0], missing[2]}, {3, 0.5}, {missing[1], missing[3]}} {
		x, z := row[0], row[1] // z given x is normal with the regression of 0.5 / 2
		want += normalDensity(x, mu[0], math.Sqrt(2)) + normalDensity(z, mu[1]+0.25*(x-mu[0]),
			math.Sqrt(1-0.125))
	}
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("the log density is %v, want %v", got, want)
	}
	checkGradient(t, plan)
}

// Missing cells are named by the key of their row and by their column, and belong to the party that has them.
func TestImputedLabels(t *testing.T) {
	f := fixture{Text: `client a
data y : real[N] @ shared
data X : real[N, P] @ a from zscore(x), log(t) missing impute ~ normal(0, 1)
param b : real[P] ~ normal(0, 1) @ a
y ~ normal(X * b, 1)
`, Tables: map[string]string{"a": gaps}}
	labels := f.Bind(t, check.Options{Transform: stdlib.Exact}).Labels()
	want := []string{"id=p2, zscore(x)", "id=p4, zscore(x)", "id=p2, log(t)", "id=p4, log(t)"}
	if got := labels["a"]["X.missing"]; len(got) != 1 || !slices.Equal(got[0], want) {
		t.Errorf("the missing cells are called %q, want %q", got, want)
	}
	if len(labels["server"]) > 0 {
		t.Errorf("the server has the names %v", labels["server"])
	}
}

// Without likelihoods the density is that of the priors, and of missing cells given their parameters;
// observed cells say nothing.
func TestPriorOnly(t *testing.T) {
	f := fixture{Text: `client a
data y : real[N] @ shared
data x : real[N] @ a missing impute ~ normal(m, 2)
param m ~ normal(0, 3) @ a
param b ~ normal(0, 1)
generate twice = 2 * b
y ~ normal(b + m * x, 1.5)
factor -b ^ 2
`, Tables: map[string]string{"a": gaps}}
	plan := f.Bind(t, check.Options{Transform: stdlib.NoTransform, PriorOnly: true}).Plan
	m, b, missing := 0.4, 0.7, []float64{0.9, -1.1}
	j := newJoint(t, plan, 0)
	copy(j.theta[0], slices.Concat([]float64{m, b}, missing))
	want := normalDensity(m, 0, 3) + normalDensity(b, 0, 1) + normalDensity(missing[0], m, 2) +
		normalDensity(missing[1], m, 2)
	if got := j.value(t); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("the log density is %v, want %v", got, want)
	}
	checkGradient(t, plan)
}
