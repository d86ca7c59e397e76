package suitable_test

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

func find(f *source.File) (string, diag.List) {
	m, diags := compile.Compile(f, check.Options{Accept: diag.AcceptanceNames()})
	if diags.HasErrors() {
		return "", diags
	}
	return suitable.ToSubsample(m.Cuts)
}

func runRows(f *source.File) diag.List {
	_, diags := find(f)
	return diags
}

func TestRowPages(t *testing.T) { diagtest.Pages(t, "V062", runRows) }

func TestRowGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/V062*.txtar", runRows)
	for _, code := range []diag.Code{diag.MixedRows, diag.RowParam, diag.NoRows} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}

// Refused and accepted models: a few lines added to a regression of two clients.
func TestRows(t *testing.T) {
	const head = "client a\nclient lab[2]\ndata y : real[N]\ndata X : real[N, P] @ a\ndata Z : real[N, Q] " +
		"@ lab\ndata site : level(S)[N] @ a\ndata w : real[N]\n" +
		"param b ~ normal(0, 1)\nparam beta : real[P] ~ normal(0, 1) @ a\nparam gamma : real[Q] ~ " +
		"normal(0, 1) @ lab\nparam u : real[S] ~ normal(0, 1) @ a\nparam M : real[S, P] ~ normal(0, 1) @ a\n"
	const labs = " + sum(Z[j] * gamma[j] for j in lab)"
	mixed := []diag.Code{diag.MixedRows}
	for _, c := range []struct {
		text string
		want []diag.Code
	}{
		{"y ~ normal(b + X * beta + u[site]" + labs + ", 1)", nil},
		{"y ~ normal(b + rowdot(X, M[site])" + labs + ", exp(0.1 * w))", nil},
		{"let eta = X * beta\ny ~ normal(where(w > 0, b, 2 * b) + eta" + labs + ", 1) weights w .* w", nil},
		{"y ~ normal(b + X[:, 1] * beta[1] + tanh(X) * beta" + labs + ", 1)", nil},
		{"y ~ normal(b + X * beta * sum(u)" + labs + ", 1)", nil}, // a sum, and not over rows
		{"y ~ normal(b + X * beta + (X .* col(X[:, 1])) * beta" + labs + ", 1)", nil},
		{"y ~ normal(b + (X .* row(beta)) * beta" + labs + ", 1)", nil},
		// no part of the density
		{"let m = mean(w)\ny ~ normal(b + X * beta" + labs + ", 1)\ngenerate k = b * m", nil},
		{"y ~ normal(b + X * beta + mean(w)" + labs + ", 1)", mixed},
		{"y ~ normal(b + X * beta + sum(u[site] by site)[site]" + labs + ", 1)", mixed},
		// rows of another table, added up for each row
		{"data v : real[V] @ a\ndata of : level(N)[V] @ a\n" +
			"y ~ normal(b + X * beta + sum(v * beta[1] by of)" + labs + ", 1)", mixed},
		{"y ~ normal(b + X * beta + row_max(X) * beta[1]" + labs + ", 1)", nil},
		{"y ~ normal(b + X * (beta + X' * (X * beta))" + labs + ", 1)", mixed},
		{"y ~ normal(b + cumulative_sum(X * beta)" + labs + ", 1)", mixed},
		{"y[2:N] ~ normal(b + w[1:N - 1], 1)", append(mixed, diag.NoRows)},
		{"let first = y[1]\ny ~ normal(b + first + X * beta" + labs + ", 1)", mixed},
		{"y ~ normal(b + X * beta" + labs + ", N)", mixed},
		{"y ~ normal(b + X * beta" + labs + ", 1)\ngenerate k = w + X * beta * 2", nil},
		// a contribution that no likelihood has
		{"y ~ normal(b + X * beta" + labs + ", 1)\ngenerate k = w + X[:, 1] * beta[2]", mixed},
		{"y ~ normal(b + (X .* row(col_means(X))) * beta" + labs + ", 1)", mixed},
		{"param s ~ normal(mean(w), 1)\ny ~ normal(b + s + X * beta" + labs + ", 1)", mixed},
		{"y ~ normal(b + sum(u)" + labs + ", 1)", mixed}, // a contribution that is one number
		{"param r : real[N] ~ normal(0, 1)\ny ~ normal(r + X * beta" + labs + ", 1)",
			[]diag.Code{diag.RowParam}},
		{"param r : real[N + 1] ~ normal(0, 1)\ny ~ normal(r[1] + X * beta" + labs + ", 1)",
			[]diag.Code{diag.RowParam}},
	} {
		size, diags := find(source.New("m.vfl", head+c.text+"\n"))
		for _, d := range diags {
			if d.Severity == diag.Error && !slices.Contains(c.want, d.Code) {
				t.Errorf("%s\ngets %s: %s", c.text, d.Code, d.Message)
			}
		}
		if refused := diags.HasErrors(); refused != (c.want != nil) || !refused && size != "N" {
			t.Errorf("%s\nrefused %t, the rows are %q", c.text, refused, size)
		}
	}
}
