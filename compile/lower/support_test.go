package lower_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

const supportTables = "id,y,pop,n,k,w\nr1,1,2,3,1,1\nr2,0.5,0,2,2,1\nr3,-1,1,1,4,0\n"

// An observation outside the support of its distribution, and data outside the domain of an argument, are an
// error with row, key and value when data are bound; the expression may compute with data. What is inside, at
// an end that belongs to the support, or of weight 0 is none.
func TestObservationsOutsideTheirSupport(t *testing.T) {
	for _, c := range []struct{ likelihood, want string }{
		{"y ~ gamma(2, rate)", "y is -1 in row 3 (id r3), but a value of gamma is positive"},
		{"y + 1 ~ gamma(2, rate)",
			"y + 1 is 0 in row 3 (id r3), but a value of gamma is positive, and 0 only where alpha is 1"},
		{"y + 1 ~ gamma(1, rate)", ""},
		{"y + 1 ~ exponential(rate)", ""},
		{"y + 1 ~ lognormal(m, 1)", "y + 1 is 0 in row 3 (id r3), but a value of lognormal is positive"},
		{"log(y) ~ normal(m, 1)", "log(y) is NaN in row 3 (id r3), but a value of normal is any real number"},
		{"log(pop) ~ normal(m, 1)",
			"log(pop) is -Inf in row 2 (id r2), but a value of normal is any real number"},
		{"y ~ normal(m, 1)", ""},
		{"y ~ normal(m, pop)", "pop is 0 in row 2 (id r2), but sigma of normal is positive"},
		{"y ~ normal(m, rate * pop)", ""},
		{"y ~ uniform(0, 2)", "y is -1 in row 3 (id r3), but a value of uniform is between 0 and 2"},
		{"y ~ uniform(-1, 1)", ""},
		{"y ~ uniform(-rate, rate)", ""},
		{"pop / 2 ~ beta(2, 2)",
			"pop / 2 is 1 in row 1 (id r1), but a value of beta is between 0 and 1, " +
				"and 1 only where beta is 1"},
		{"pop / 2 ~ beta(1, 1)", ""},
		{"n - 2 ~ poisson_log(m)", "n - 2 is -1 in row 3 (id r3), but a value of poisson_log is 0, 1, 2, …"},
		{"n ~ bernoulli_logit(m)", "n is 3 in row 1 (id r1), but a value of bernoulli_logit is 0 or 1"},
		{"k ~ binomial_logit(n, m)", "k is 4 in row 3 (id r3), but a value of binomial_logit is 0, 1, …, 1"},
		{"k ~ binomial_logit(n, m) weights w", ""},
		{"y ~ gamma(2, rate) weights w", ""},
		{"n ~ poisson_log(m + log(pop))", ""}, // possible where n is 0, which the density decides
		{"y[2:N] ~ gamma(2, rate)", "y[2:N] is -1 (element 2), but a value of gamma is positive"},
		{"sum(y) - 1 ~ exponential(rate)", "sum(y) - 1 is -0.5, but a value of exponential is positive"},
		{"z ~ normal(s, 1)", ""},
		// a size of its own: rows stay in the order of the file
		{"z ~ normal(s, z)", "z is 0 in row 1 (id r2), but sigma of normal is positive"},
		{"param e : real[N] ~ normal(0, pop)\ny ~ normal(e, 1)",
			"pop is 0 in row 2 (id r2), but sigma of normal is positive"},
	} {
		f := fixture{
			Text: `client a
data y : real[N] @ shared
data pop : real[N]
data n : int[N]
data k : count[N]
data w : real[N]
data z : real[M] @ a
param m ~ normal(0, 1)
param rate ~ gamma(2, 1)
param s ~ normal(0, 1) @ a
` + c.likelihood,
			Tables: map[string]string{"server": supportTables, "a": "id,z\nr2,0\nr1,1\nr3,1\n"},
		}
		diags := f.Diagnose(t, check.Options{})
		got := ""
		if diags.HasErrors() {
			got = diags.Shown()[0].Message
			if diags.Shown()[0].Code != diag.OutsideSupport {
				t.Errorf("%s: %s", c.likelihood, got)
			}
			if file := diags.Shown()[0].Data; strings.Contains(got, "row") != strings.Contains(file,
				".csv:") {
				t.Errorf("%s: the place is %q", c.likelihood, file)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.likelihood, got, c.want)
		}
	}
}
