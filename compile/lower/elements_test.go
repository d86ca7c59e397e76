package lower_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// sexed is a table of twelve rows with a column of words.
func sexed(seed uint64, columns ...string) string {
	lines := strings.Split(strings.TrimSpace(table(seed, 12, columns...)), "\n")
	for i := range lines {
		lines[i] += "," + []string{"sex", "M", "F", "F"}[min(i, 1+i%3)]
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestElements compares the density of a model that is written with ranges, comprehensions, arrays of
// positions and categories with that of one that spells each element out, and its gradient with finite
// differences.
func TestElements(t *testing.T) {
	const head = `const S = 2
data y : real[N] from x9
data X : real[N, 6] from x1, x2, x3, x4, x5, x6
data Y : level(3)[N, 2] from g1, g2
data sex : level("M", "F")[N]
param b : real[6] ~ normal(0, 1)
param P : real[3, 4] ~ normal(0, 1)
param θ : real[2, 4, 3] ~ normal(0, 1)
let j = 2 * S + 1
let last = N - 7
let odd = [2 * k - 1 for k in 1..3]
y ~ normal(`
	f := fixture{Tables: map[string]string{
		"server": sexed(4, "x1", "x2", "x3", "x4", "x5", "x6", "x9", "g1", "g2")}}
	for _, c := range [][2]string{
		{"b[j] + b[S - 1] * X[:, last] + b[odd[2]]", "b[5] + b[1] * X[:, 5] + b[3]"},
		{"X[:, odd] * b[odd] + X[:, last..6] * b[last..6]",
			"X[:, 1] * b[1] + X[:, 3] * b[3] + X[:, 5] * b[5] + X[:, 5] * b[5] + X[:, 6] * b[6]"},
		{"sum([b[k] * b[7 - k]^2 for k in 1..6])", "sum(b[k] * b[7 - k]^2 for k in 1..6)"},
		{"sum([exp(b[k]) / (1 + X[k, S]^2) - where(k < 3, -b[k], 1) * k for k in 1..5])",
			"sum(exp(b[k]) / (1 + X[k, 2]^2) - where(k < 3, -b[k], 1) * k for k in 1..5)"},
		{"X[:, 1:3] * [dot(P[k, :], b[k:k + 3]) for k in 1..3]",
			"sum(X[:, k] * dot(P[k, :], b[k:k + 3]) for k in 1..3)"},
		{"col_sums([X[:, k] * b[k] for k in 1..6])", "X * b"},
		{"row_sums([X[:, k] * b[k] for k in 1..6]')", "X * b"},
		{"X[:, 1:3] * [P[k, :] for k in 1..3] * b[1..4]", "X[:, 1:3] * P * b[1:4]"},
		{"sum([[P[i, k] * (i + k) for k in 1..4] for i in 1..3])",
			"sum(sum(P[i, k] * (i + k) for k in 1..4) for i in 1..3)"},
		{"sum(P[[3, 1, 3], [4, 4]] .* P[1..3, 1..2])",
			"P[3, 4] * (P[1, 1] + P[1, 2] + P[3, 1] + P[3, 2]) + P[1, 4] * (P[2, 1] + P[2, 2])"},
		{"θ[2, 3, Y[:, 1]]", "sum(θ[2, 3, k] * (Y[:, 1] == k) for k in 1..3)"},
		{"col_sums(θ[2, :, Y[:, 1]]) + θ[1, [2, 4], Y[:, 2]]' * b[1:2]",
			"sum(sum(θ[2, i, k] for i in 1..4) * (Y[:, 1] == k) for k in 1..3) + " +
				"sum((θ[1, 2, k] * b[1] + θ[1, 4, k] * b[2]) * (Y[:, 2] == k) for k in 1..3)"},
		{"θ[:, 2..3, Y[:, 1]][2, 1, :]", "sum(θ[2, 2, k] * (Y[:, 1] == k) for k in 1..3)"},
		{`(sex == "F") * b[2] + b[1..2][sex] + ("M" != sex) * 3`, "(sex == 2) * (b[2] + 3) + b[1:2][sex]"},
		{"dot(0..5, b) + sum((1..0) * 2.0)", "b[2] + 2 * b[3] + 3 * b[4] + 4 * b[5] + 5 * b[6]"},
		{"(recur a[1] = b[1..4], a[t] = a[t - 1][[2, 1, 4, 3]] * 0.5 + [b[k] * X[t, k] for k in 1..4] " +
			"for t in 2..N)[:, 2]", "(recur a[1] = b[1:4], a[t] = append(a[t - 1, 2], a[t - 1, 1], " +
			"a[t - 1, 4], a[t - 1, 3]) * 0.5 + b[1:4] .* X[t, 1:4] for t in 2..N)[:, 2]"},
	} {
		f.Text = head + c[1] + ", 1)"
		want := noiseFree(t, f, check.Options{})
		f.Text = head + c[0] + ", 1)"
		if got := noiseFree(t, f, check.Options{}); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("%s gives %v, %s gives %v", c[0], got, c[1], want)
		}
		checkGradient(t, f.Bind(t, check.Options{}).Plan)
	}
}

// TestElementsAcrossParties compares split models with what is pooled: cuts with comprehensions, arrays of
// positions and categories in them, and around them.
func TestElementsAcrossParties(t *testing.T) {
	const head = `client a, b
data y : binary[N] @ shared from y
data g : level(3)[N] @ shared
data sex : level("M", "F")[N] @ a
data A0 : real[N, 3] from x1, x2, x3
data A : real[N, 4] @ a from x1, x2, x3, x4
data B : real[N, Q] @ b from x1, x2, x3
param α : real[4] ~ normal(0, 1) @ a
param γ : real[2] ~ normal(0, 1) @ a
param u : real[3] ~ normal(0, 1) @ b
param v : real[Q] ~ normal(0, 1) @ b
param w : real[6] ~ normal(0, 1)
let odd = [2 * k - 1 for k in 1..2]
let last = Q - 1
y ~ bernoulli_logit(`
	f := fixture{Tables: map[string]string{"server": table(1, 12, "y", "g", "x1", "x2", "x3"),
		"a": sexed(2, "x1", "x2", "x3", "x4"), "b": table(3, 12, "x1", "x2", "x3")}}
	for _, text := range []string{
		`w[3] + A[:, odd] * α[odd] + γ[sex] + (sex == "F") * γ[1] + u[g] + v[last] * B[:, 1..last] * ` +
			"v[1..last]",
		"sum([w[k] * w[k + 1] for k in 1..5]) + (A * α)[[13 - k for k in 1..N]] + " +
			"sum([v[k] * k for k in 1..Q]) * B[:, 1]",
		"sum(A[:, k] * α[k] - B[:, k] * v[k] + w[k] for k in 1..3)",
		"col_sums([A[:, k] * α[k] + B[:, 4 - k] * v[k] + w[k] .* A0[:, k] for k in 1..3])",
		"[dot(A[k, :], α) + w[1 + k - k] for k in 1..N] + B * v",
	} {
		f.Text = head + text + ")\ngenerate fitted = " + text
		want := noiseFree(t, f, check.Options{Transform: stdlib.NoTransform})
		for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
			kind := check.Options{Transform: transform, Accept: fewRows}
			if got := noiseFree(t, f, kind); !(math.Abs(got-want) <= 1e-11*math.Abs(want)) {
				t.Errorf("%s gives %v, the pooled model %v:\n%s", kind.Transform.Name, got, want, text)
			}
			checkGradient(t, f.Bind(t, kind).Plan)
		}
	}
}

// TestElementsOfData: what data decide of ranges, positions and categories is refused when they are bound, of
// a client's cut too.
func TestElementsOfData(t *testing.T) {
	const head = "client a\ndata y : real[N] @ shared from y\ndata x : real[N] @ a from x1\n" +
		"data g : level(G)[N] @ a from sex\nparam b : real[6] ~ normal(0, 1) @ a\nparam m ~ normal(0, 1)\n"
	tables := map[string]string{"server": table(1, 12, "y"), "a": sexed(2, "x1")}
	for text, want := range map[string]diag.Code{
		"b[N - 12]":                          diag.BeyondData,
		"b[N - 5]":                           diag.BeyondData,
		"b[1:6][[k for k in 1..N]]":          diag.BeyondIndex,
		"sum(b[[2 * k for k in 1..N - 8]])":  diag.BeyondIndex,
		"sum([b[k] for k in 1..N])":          diag.BeyondIndex,
		"b[2] * sum(3..N - 11)":              diag.BadRange,
		"b[2] * sum([1 for k in 3..N - 11])": diag.BadRange,
		`b[1] .* (g == "f")`:                 diag.UnknownCategory,
	} {
		f := fixture{Text: head + "y ~ normal(m + x .* " + text + ", 1)\ntransform exact", Tables: tables}
		if d := f.Refused(t); d.Code != want {
			t.Errorf("%s: %s %s, want %s", text, d.Code, d.Message, want)
		}
	}
}
