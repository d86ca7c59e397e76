package leak_test

import (
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/compiletest"
)

// Hierarchies over clients, with parameters that are shared in priors alone or over sums of rows, pass.
func TestHierarchiesOverClients(t *testing.T) {
	for _, text := range []string{
		`client a, b
data ya : binary[N] @ a
data Xa : real[N, P] @ a
data yb : count[M] @ b
data g : level(G)[M] @ b
param mu ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ shared
param alpha_a ~ normal(mu, tau) @ a
param beta : real[P] ~ normal(0, 1) @ a
param theta : real[G] ~ normal(mu, tau) @ b
ya ~ bernoulli_logit(alpha_a + Xa * beta)
yb ~ poisson_log(theta[g])
`, `client lab[J]
data y : real[N] @ lab
data X : real[N, P] @ lab
param mu : real[P] ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ shared
param beta : real[P] ~ normal(mu, tau) @ lab
param sigma ~ half_normal(1) @ lab
y ~ normal(X * beta, sigma)
`, `client a
data y : real[N] @ a
data g : level(G)[N] @ a
param mu ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ shared
param sigma ~ half_normal(1) @ shared
param theta : real[G] ~ normal(mu, tau) noncentered @ a
y ~ normal(theta[g], sigma)
`, `client a
data y : real[N] @ shared
data x : real[N] @ a missing impute ~ normal(mu, 1)
param mu ~ normal(0, 1) @ shared
param m ~ normal(0, 1)
param b ~ normal(0, 1) @ a
y ~ normal(m + x * b, 1)
`,
	} {
		if _, diags := compiletest.Try(t, source.New("m.vfl", text), check.Options{}); diags.HasErrors() {
			t.Errorf("%s %s\n%s", diags.Shown()[0].Code, diags.Shown()[0].Message, text)
		}
	}
}

// What is refused of a client's own likelihoods, one statement each behind the declarations, and what is
// not.
func TestOwnLikelihoods(t *testing.T) {
	const declared = `client a
data t : real[N] @ shared
data sel : real[M] @ shared
data S : real[M, M] @ shared
data i : level(M)[M] @ shared
data y : real[M] @ a
data yb : binary[M] @ a
data x : real[M] @ a
data X : real[M, P] @ a
data g : level(G)[M] @ a
data h : level(H)[M] @ a
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param l ~ normal(0, 1) @ shared
param s ~ half_normal(1) @ shared
param q : real[P] ~ normal(0, 1) @ shared
param u : real[G] ~ normal(0, 1) @ shared
param v : real[H] ~ normal(0, 1) @ shared
param b ~ normal(0, 1) @ a
param B : real[P] ~ normal(0, 1) @ a
t ~ normal(m, 1)
`
	const logit = "yb ~ bernoulli_logit("
	allowed := []string{
		"y ~ normal(k, s)", "log(y) ~ normal(k, s)", "y - x ~ normal(k, s)", "let z = y ^ 2\nz ~ gamma(s, 1)",
		"y[2:M] ~ normal(k, s)",
		"y ~ normal(u[g], 1)\nx ~ normal(l, s)", "data z : real[M] @ a missing impute ~ normal(k, s)",
		"param f : real[P] ~ normal(k, s) @ a\n" + logit + "X * f)", // two equations for P numbers
		"param f : real[P] ~ normal(q, s) @ a\ny ~ normal(X * f + b, 1)",
		"param f : real[G] ~ normal(u, s) @ a\n" + logit + "f[g])",
		"param f ~ normal(k, s) @ a\n" + logit + "X * B + f)",
		"yb ~ bernoulli_logit(u[g] + b)",
		// a sum over the categories for each column
		"param f : real[G, P] ~ normal(q, 1) @ a\n" + logit + "rowdot(X, f[g]))",
	}
	refusedOnes := []string{
		// what others know picks or multiplies rows
		"y .* sel ~ normal(k, 1)", "y - sel ~ normal(k, 1)", "S * y ~ normal(k, 1)", "y[i] ~ normal(k, 1)",
		"let z = y[3]\nz ~ normal(k, 1)",
		"let z = y[2:M] - y[1:M - 1]\nz ~ normal(k, 1)",
		// more and more sums of one column
		"y ~ normal(k, 1)\nlog(y) ~ normal(l, 1)", "y ~ normal(u[g], 1)\ny ~ normal(v[h], s)",
		"y ~ normal(k, 1)\nlet z = y + x\nz ~ normal(l, 1)",
		// no exponential family
		"y ~ mixture([0.5, 0.5], normal(k, 1), normal(l, 1))", "y ~ normal(k, 1) truncate(lower=0)",
		"y ~ normal(k, 1) censor(right=yb)",
		"y ~ normal(k, 1) weights sel", "factor sum(y) * k",
		"data z : real[M] @ a missing impute ~ normal(x * k, s)",
		"weight W : real[P] init normal @ shared\n" + logit + "X * W)",
		// parameters of the client that gradients tell, by their prior, a factor or another likelihood
		"param f ~ normal(k, s) @ a\n" + logit + "x * f)", "param f : real[P] ~ normal(q, s) @ a\n" + logit +
			"X * f + b)",
		"param f : real[P] ~ normal(q, s) @ a\ny ~ normal(exp(X * f), 1)",
		"param f : real[M] ~ normal(X * q, 1) @ a\ny ~ normal(f, 1)",
		"param f : real[G] ~ normal(u, 1) @ a\n" + logit + "f[g] .* x)",
		"factor -(b - k) ^ 2\n" + logit + "x * b)",
		"y ~ normal(b * k, 1)\n" + logit + "x * b)",
		"weight W : real[P] init normal @ shared\nparam f : real[P] ~ normal(W, 1) @ a\n" + logit + "X * f)",
	}
	for _, own := range allowed {
		if refused(t, declared+own+"\n", diag.OwnLeak) {
			t.Errorf("refused: %s", own)
		}
	}
	for _, own := range refusedOnes {
		if !refused(t, declared+own+"\n", diag.OwnLeak) {
			t.Errorf("not refused: %s", own)
		}
	}
}
