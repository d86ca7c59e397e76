package lower_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// What row and col say is what outer products and elements say: of each group all texts have one density,
// with and without clients. The gradients of the first are those of finite differences.
func TestRowsAndColumns(t *testing.T) {
	const alone = `data Y : real[T, 3] from x1, x2, x3
data w : real[T] from x4
param tau : real[3] ~ half_normal(1)
param L : corr_cholesky[3] ~ lkj_corr_cholesky(2)
param v : real[3] ~ normal(0, 1)
param q : real[2] ~ normal(0, 1)
param S : real[3, 3] ~ normal(0, 1)
param M : real[2, 3, 4] ~ normal(0, 1)
param u : real[4] ~ normal(0, 1)
`
	const split = `client a, b
data Y : real[T, 3] @ shared from x1, x2, x3
data XA : real[T, 2] @ a from x1, x2
data XB : real[T, 2] @ b from x1, x2
param c : real[3] ~ normal(0, 1)
param d : real[3] ~ half_normal(1) @ shared
param h ~ half_normal(1) @ shared
param A : real[2, 3] ~ normal(0, 1) @ a
param s : real[3] ~ normal(0, 1) @ a
param r : real[3] ~ normal(0, 1) @ b
param e : real[2] ~ normal(0, 1) @ b
let one = rep(1, T)
`
	for _, c := range []struct {
		head  string
		texts []string
	}{
		{alone, []string{"Y ~ multi_normal_cholesky(v, col(tau) .* L)",
			"Y ~ multi_normal_cholesky(v, diag(tau) * L)",
			"Y ~ multi_normal(v, col(tau) .* (L * L') .* row(tau))",
			"Y ~ multi_normal(v, outer(tau, tau) .* (L * L'))"}},
		{alone, []string{"Y ~ normal(v, exp(col(w)) .* row(tau))", "Y ~ normal(row(v), outer(exp(w), tau))",
			"factor normal_lpdf(Y | v, outer(exp(w), tau))"}},
		{alone, []string{"S ./ row(v) - col(tau)", "S * diag(inv(v)) - outer(tau, [1, 1, 1])"}},
		{alone, []string{"row(v) * S + row(tau) ^ 2", "row(S' * v + tau .* tau)"}},
		{alone, []string{"normal_lpdf(S | row(v), col(tau))",
			"normal_lpdf(S | outer([1, 1, 1], v), outer(tau, [1, 1, 1]))"}},
		{alone, []string{"M .* col(col(q)) + col(row(v)) - row(row(u)) + row(outer(v, u)) .* col(outer(q, v))",
			"append(M[1, :, :] * q[1] + col(v) - row(u) + outer(v, u) .* col(q[1] * v), " +
				"M[2, :, :] * q[2] + col(v) - row(u) + outer(v, u) .* col(q[2] * v))"}},
		{split, []string{"Y ~ normal(row(c) + XA * A .* row(s), 1)",
			"Y ~ normal(outer(one, c) + XA * (A .* outer([1, 1], s)), 1)"}},
		{split, []string{"Y ~ normal(row(c) .* (XA * A + col(XB * e)), 1)",
			"Y ~ normal(outer(one, c) .* (XA * A + outer(XB * e, [1, 1, 1])), 1)"}},
		{split, []string{"Y ~ normal((XA * A + col(XB * e) + 1) ./ (h * row(d)), 1)",
			"Y ~ normal((XA * A + outer(XB * e, [1, 1, 1]) + 1) ./ outer(one, h * d), 1)"}},
		{split, []string{"Y ~ normal(row(s + 2 * r) - XA * A, exp(row(c)))",
			"Y ~ normal(outer(one, s + 2 * r) - XA * A, exp(c))"}},
	} {
		want := math.NaN()
		for i, text := range c.texts {
			kinds := []def.Transform{stdlib.NoTransform, stdlib.Exact, stdlib.Augmented}
			if c.head == alone {
				kinds = kinds[:1]
				if text[0] != 'Y' && text[0] != 'f' {
					text = "factor -sum((" + text + ") ^ 2)"
				}
			}
			rows := table(1, 7, "x1", "x2", "x3", "x4")
			f := fixture{Text: c.head + text, Tables: map[string]string{"server": rows, "a": rows, "b": rows}}
			for _, kind := range kinds {
				o := check.Options{Transform: kind, Accept: fewRows}
				got := noiseFree(t, f, o)
				if math.IsNaN(want) {
					want = got
				}
				if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
					t.Errorf("%s: %v in place of %v:\n%s", kind.Name, got, want, text)
				}
				if i == 0 && kind.Name == kinds[len(kinds)-1].Name {
					checkGradient(t, f.Bind(t, o).Plan)
				}
			}
		}
	}
}
