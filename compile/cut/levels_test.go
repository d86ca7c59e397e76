package cut_test

import (
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

const levelled = `client a, b
client lab[J]
data y : real[N] @ shared
data county : level(C)[N] @ shared
data school : level(S)[N] @ shared
data few : level(4)[3] @ shared
data short : real[3] @ shared
data x : real[N] @ b
data Z : real[C, 2] @ a
data ward : level(W)[N] @ a
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param c ~ normal(0, 1) @ a
param u : real[C] ~ normal(0, 1) @ a
param z : real[2] ~ normal(0, 1) @ a
param V : real[C, 2] ~ normal(0, 1) @ a
param U : real[C, S] ~ normal(0, 1) @ a
param e : real[W] ~ normal(0, 1) @ a
param p : real[4] ~ normal(0, 1) @ a
param v : real[C] ~ normal(0, 1) @ b
param f : real[S] ~ normal(0, 1) @ b
param d ~ normal(0, 1) @ b
param g : real[C] ~ normal(0, 1) @ lab
let h = g[county] @ lab
`

// Without noise what a shared level repeats is cut below it, where all that clients add to a sum is looked up
// by that level; with noise, and where algorithms ask for rows, it has rows.
func TestCutsBelowLevels(t *testing.T) {
	for _, c := range []struct{ location, cuts, server, shape string }{
		{"m + u[county]", "a: u; 1+", "m + $1[county]", "C"},
		{"m + 2 * u[county] - c", "a: 2 * u - c; 1+", "m + $1[county]", "C"},
		{"m + k * (u[county] .* u[county])", "a: u .* u; 1+", "m + k * $1[county]", "C"},
		{"m + exp(u[county])", "a: exp(u); 1+", "m + $1[county]", "C"},
		{"m - (Z * z)[county]", "a: -(Z * z); 1+", "m + $1[county]", "C"},
		{"m + V[county, 2]", "a: V[:, 2]; 1+", "m + $1[county]", "C"},
		{"m + u[county] + v[county]", "a: u; b: v; 1+2+", "m + $1[county]", "C"},
		{"m + sum(h[j] for j in lab)", "lab: g; 1+", "m + $1[county]", "C"},
		{"exp(m) * u[county[1:N]]", "a: u; 1+", "exp(m) * $1[county[1:N]]", "C"},
		// a sum of which some has rows crosses as such a sum, which masks hide
		{"m + u[county] + x * d", "a: u[county]; b: x * d; 1+2+", "m + $1", "N"},
		{"m + u[county] + f[school]", "a: u[county]; b: f[school]; 1+2+", "m + $1", "N"},
		{"m + u[county] + e[ward]", "a: u[county] + e[ward]; 1+", "m + $1", "N"},
		{"m + U[county, school]", "a: U[county, school]; 1+", "m + $1", "N"}, // pairs may outnumber the rows
		{"m + c", "a: c; 1+", "m + $1", ""},
	} {
		text := levelled + "y ~ normal(" + c.location + ", 1)"
		model := compiletest.Compile(t, text, check.Options{Transform: stdlib.Exact})
		if got, server := cuts(model.Cuts), format.Expr(model.Cuts.Likelihoods[0].Args[0]); got != c.cuts ||
			server != c.server || shapeOf(model.Cuts.Cuts[0].Type.Shape()) != c.shape {
			t.Errorf("%s: %s; %s; %v", c.location, got, server, model.Cuts.Cuts[0].Type.Shape())
		}
		for _, o := range []check.Options{{Transform: stdlib.Exact, ByRows: true},
			{Transform: stdlib.Augmented, Rho: 0.1}} {
			for _, k := range compiletest.Compile(t, text, o).Cuts.Cuts {
				if got := shapeOf(k.Type.Shape()); got != "N" && got != "" {
					t.Errorf("%s under %s: %s has the shape [%s]", c.location, o.Transform.Name,
						format.Expr(k.Expr), got)
				}
			}
		}
	}
	// four levels of three rows
	model := compiletest.Compile(t, levelled+"short ~ normal(m + p[few], 1)",
		check.Options{Transform: stdlib.Exact})
	if got := cuts(model.Cuts); got != "a: p[few]; 1+" {
		t.Error(got)
	}
}

func shapeOf(dims []string) string {
	if len(dims) == 1 {
		return dims[0]
	}
	return ""
}
