package lower_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

// Values of distributions of vectors and matrices, and data among their arguments, are checked when data are
// bound.
func TestVectorsOutsideTheirSupport(t *testing.T) {
	for _, c := range []struct{ likelihood, want string }{
		{"k ~ categorical_logit(eta)",
			"k is 4 in row 3 (id r3), but a value of categorical_logit is a category from 1 to 3"},
		{"k - 1 ~ categorical_logit(eta)",
			"k - 1 is 0 in row 1 (id r1), but a value of categorical_logit is a category from 1 to 3"},
		{"k - 1 ~ categorical_logit(eta) weights w", ""},
		{"k ~ ordered_logistic(0.5, c)", ""},
		{"k ~ ordered_logistic(0.5, [1, 1, 2])",
			"[1, 1, 2]: cutpoints of ordered_logistic is a vector that increases, and these do not"},
		{"k ~ categorical([0.1, 0.2, 0.3, 0.3])",
			"theta of categorical is a vector of probabilities that sum to 1, and these sum to 0.9"},
		{"P ~ dirichlet(eta2)",
			"P (value 2): a value of dirichlet is a vector of probabilities that sum to " +
				"1, and these sum to 0.7"},
		{"P ~ multi_normal(eta2, [[1, 2], [2, 1]])",
			"Sigma of multi_normal is a covariance matrix: symmetric and positive definite, and this one " +
				"is not positive definite"},
		{"P ~ multi_normal(eta2, [[1, 0.5], [0.2, 1]])", "and this one is not symmetric"},
		{"P ~ multi_normal_cholesky(eta2, [[1, 0.5], [0, 1]])", "and this one is not"},
		{"P ~ multi_normal(eta2, [[1, 0.5], [0.5, 1]])", ""},
		{"param S : cov_matrix[2] ~ wishart(1, [[1, 0], [0, 1]])\nP ~ multi_normal(0, S)",
			"nu is 1, but for 2×2 matrices it is above 1"},
		{"param q : simplex[3] ~ dirichlet([1, 0, 2])\nk ~ categorical_logit(eta)",
			"alpha of dirichlet is positive"},
	} {
		f := fixture{
			Text: `data k : int[N]
data P : real[N, 2] from p, q
data w : real[N]
param eta : real[3] ~ normal(0, 1)
param eta2 : real[2] ~ lognormal(0, 1)
param c : ordered[3] ~ normal(0, 1)
` + c.likelihood,
			Tables: map[string]string{"server": "id,k,p,q,w\nr1,1,0.5,0.5,0\nr2,3,0.4,0.3,1\nr3,4,0.2,0.8,1\n"},
		}
		var got []string
		for _, d := range f.Diagnose(t, check.Options{}) {
			if d.Severity == diag.Error {
				got = append(got, d.Message)
			}
		}
		text := strings.Join(got, "; ")
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.likelihood, text, c.want)
		}
	}
}
