package leak_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/compiletest"
)

const byGroups = `client a, b
data y : real[G]
data known : real[N, P] @ shared
data t : level(G)[N] @ shared
data X : real[N, P] @ a
data x : real[N] @ a
data g : level(G)[N] @ a
data r : real[N] @ a
data w : real[G] @ b
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param q : real[P] ~ normal(0, 1) @ shared
param u : real[G] ~ normal(0, 1) @ shared
param row : real[N] ~ normal(0, 1) @ shared
param B : real[P] ~ normal(0, 1) @ a
param d ~ normal(0, 1) @ a
param e : real[N] ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ b
y ~ normal(m + w * v, 1)
`

// What a cut by groups tells of data is found as without them, and the groups are data themselves.
func TestCutsByGroups(t *testing.T) {
	for _, c := range []struct {
		cut  string
		code diag.Code // "": it may be sent
	}{
		{"sum(X * B by g)", ""},
		{"sum(X * B by t)", ""},
		{"mean(x by g) * d", ""}, // as x * d is
		{"max(x * d by g)", ""},
		{"log_sum_exp(X * B by g)", ""},
		{"sum(k * (X * B) by g)", ""},
		{"sum(e by g)", ""},
		{"sum(x by g)", diag.ClientData},
		{"sum(rep(1, N) by g)", diag.ClientData},
		{"0 * d + sum(x by g)", diag.DataCut},
		{"sum(x by g) + d", diag.DataOffset},
		{"sum(X * q by g)", diag.GradientLeak},
		{"sum(row by g)", diag.GradientLeak},
		{"sum(k + x * d by g)", diag.GradientLeak}, // the gradient in k has the number of rows of each group
		{"sum(rep(k, N) + x * d by g)", diag.GradientLeak},
		{"sum(d + x * d by g)", ""},
		{"sum(row .* e by g)", diag.GradientLeak},
		{"sum(u[g] by t)", diag.GradientLeak},
		{"max(row + x * d by t)", diag.GradientLeak},
		{"log_sum_exp(row + x * d by g)", diag.GradientLeak},
		{"sum(k * (x * d) + X * B by g)", diag.GradientLeak},
		{"sum(known * q by g)", diag.GradientLeak},
	} {
		text := strings.Replace(byGroups, "m +", "m + "+c.cut+" +", 1) + "transform exact\n"
		for _, code := range []diag.Code{diag.ClientData, diag.DataCut, diag.DataOffset, diag.GradientLeak} {
			if got := reports(t, text, code); got != (code == c.code) {
				t.Errorf("%s: %s is found: %t", c.cut, code, got)
			}
		}
	}
}

// What a client evaluates alone, by groups, is refused like anything else that is no sum of a column.
func TestOwnLikelihoodsByGroups(t *testing.T) {
	for _, own := range []string{
		"sum(r by g) ~ normal(k, 1)",
		"max(r by g) ~ normal(k, 1)",
		"r ~ normal(sum(X * q by g)[g], 1)",
		"factor k * sum(r by g)",
		"mean(r by g) ~ normal(u, 1)",
	} {
		if text := byGroups + own + "\n"; !refused(t, text, diag.OwnLeak) {
			t.Errorf("%s is not refused", own)
		}
	}
}

// reports reports whether a code is among what is found in a model.
func reports(t *testing.T, text string, code diag.Code) bool {
	t.Helper()
	_, diags := compiletest.Try(t, source.New("m.vfl", text), check.Options{})
	return slices.ContainsFunc(diags, func(d *diag.Diagnostic) bool { return d.Code == code })
}
