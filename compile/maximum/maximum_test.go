package maximum_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/maximum"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/diagtest"
)

func run(f *source.File) diag.List {
	tree, diags := parser.Parse(f)
	if diags.HasErrors() {
		return diags
	}
	checked, diags := check.Check(tree, stdlib.New(), check.Options{})
	if diags.HasErrors() {
		return diags
	}
	cuts, diags := cut.Find(checked)
	if diags.HasErrors() {
		return diags
	}
	return maximum.Check(cuts)
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V061", run) }

func TestGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/*.txtar", run)
	for _, code := range []diag.Code{diag.NoMaximum, diag.InfinitePrior} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}

// What is refused, and what is not: one declaration and one likelihood beside the rest of a regression.
func TestScales(t *testing.T) {
	const head = "client a\ndata y : real[N] @ shared\ndata X : real[N, P] @ a\nparam beta : real[P] ~ normal(0, 1) @ a\n"
	for _, c := range []struct {
		text string // with another transform than augmented where it says so
		want []diag.Code
	}{
		{"y ~ normal(X * beta, 2)\n", nil},
		{"param s ~ half_cauchy(1)\ny ~ student_t(4, X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s ~ exponential(1)\nlet v = s * 2\ny ~ laplace(X * beta, v)\n", []diag.Code{diag.NoMaximum}},
		{"param s ~ half_normal(1)\ny ~ lognormal(X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s : real<lower=0.1> ~ half_normal(1)\ny ~ normal(X * beta, s)\n", nil},
		{"param s ~ half_normal(1)\ny ~ normal(X * beta, s + 0.1)\n", nil},
		{"param s ~ lognormal(0, 1)\ny ~ normal(X * beta, s)\n", nil},
		{"param u ~ normal(0, 1)\ny ~ normal(X * beta, exp(u))\n", nil},
		{"param t ~ half_normal(1) @ shared\nparam m : real[P] ~ normal(0, t) @ a\ny ~ normal(X * m + X * beta, 1)\n", nil}, // the client's m is integrated out
		{"param t ~ half_normal(1)\nparam m : real[3] ~ normal(0, t)\ny ~ normal(X * beta + sum(m), 1)\n", []diag.Code{diag.NoMaximum}},
		{"param t ~ half_normal(1)\nparam m : real[3] ~ normal(0, t) noncentered\ny ~ normal(X * beta + sum(m), 1)\n", nil},
		{"param s ~ half_normal(1)\ny ~ normal(X * beta, s)\ntransform power(rho = 1)\n", nil}, // one client: no auxiliary variables
		{"param q ~ beta(1, 0.5)\ny ~ normal(X * beta + q, 1)\n", []diag.Code{diag.InfinitePrior}},
	} {
		var got []diag.Code
		for _, d := range run(source.New("m.vfl", head+withTransform(c.text))) {
			got = append(got, d.Code)
			if d.Code != diag.NoMaximum && d.Code != diag.InfinitePrior {
				t.Errorf("%s: %s", c.text, d.Message)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gets %v, want %v", c.text, got, c.want)
		}
	}
}

func withTransform(text string) string {
	if strings.Contains(text, "transform") {
		return text
	}
	return text + "transform augmented(rho = 1)\n"
}
