package check_test

import (
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/tests/compiletest"
)

const declarations = `client a, b
client lab[J]
const two = 2
data y : real[N] @ shared
data c : count[N] @ shared
data X : real[N, P] @ a
data B : real[P, Q] @ a
data d : binary[N] @ b
data r : level(R)[N] @ b
data s : level(S)[N] @ shared
data K : int
data Z : real[N, L] @ lab
param m ~ normal(0, 1)
param t ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, 1) @ a
param v : real[R] ~ normal(0, 1) @ b
param M : real[R, S] ~ normal(0, 1) @ b
param w : real[1] ~ normal(0, 1)
param q : real[K] ~ normal(0, 1)
param g : real[L] ~ normal(0, 1) @ lab
`

// The type of an expression, whose private names it depends on, and whether it depends on a parameter. Shapes
// are equal, or one is a number; owners are the union over the names; what depends on several members of a
// family depends on the server too.
func TestTypesAndOwners(t *testing.T) {
	for _, c := range []struct {
		expr, kind, owners string
		random             bool
	}{
		// numbers: sums, differences and products of whole numbers are whole; division and functions are not
		{"1 + 2 * 3", "int", "shared", false},
		{"1 / 2", "real", "shared", false},
		{"2 ^ 3", "real", "shared", false},
		{"two + 1.5", "real", "shared", false},
		{"c + 1", "int[N]", "shared", false},
		{"-d", "int[N]", "b", false},
		{"exp(c)", "real[N]", "shared", false},
		{"y > 0 && c == 2", "binary[N]", "shared", false},
		{"!(d > 0)", "binary[N]", "b", false},
		{"r == 2", "binary[N]", "b", false},
		// element by element
		{"m + y", "real[N]", "server", true},
		{"y + m", "real[N]", "server", true},
		{"X + row(u)", "real[N, P]", "a", true},
		{"col(y) + X", "real[N, P]", "a", false},
		{"X .* col(y)", "real[N, P]", "a", false},
		{"w + y", "real[N]", "server", true},
		{"col(y) .* row(u)", "real[N, P]", "a", true},
		{"row(u) * X'", "real[1, N]", "a", true},
		{"row(X) + col(row(y))", "real[1, N, P]", "a", false},
		// products of matrices
		{"X * u", "real[N]", "a", true},
		{"X * B", "real[N, Q]", "a", false},
		{"X' * y", "real[P]", "a", false},
		{"X' * X", "real[P, P]", "a", false},
		{"t * X", "real[N, P]", "a", true},
		{"dot(u, u) * t", "real", "a", true},
		// indices, slices and levels
		{"u[1]", "real", "a", true},
		{"X[:, 1]", "real[N]", "a", false},
		{"X[2, :]", "real[P]", "a", false},
		{"X[:, 2:P]", "real[N, P - 1]", "a", false},
		{"y[2:N] - y[1:N - 1]", "real[N - 1]", "shared", false},
		{"q[K]", "real", "server", true},
		{"v[r]", "real[N]", "b", true},
		{"M[r]", "real[N, S]", "b", true},
		{"M[r, s]", "real[N]", "b", true},
		// sizes are numbers; one that a single client's declarations have is that client's
		{"N + 1", "int", "shared", false},
		{"y / N", "real[N]", "shared", false},
		{"P * 2", "int", "a", false},
		// sums
		{"sum(y)", "real", "shared", false},
		{"sum(q[i] for i in 1..K)", "real", "server", true},
		{"sum(Z[j] * g[j] for j in lab)", "real[N]", "lab, server", true},
		{"sum(m + t for j in lab)", "real", "server", true},
		// owners
		{"t + 1", "real", "shared", true},
		{"X * u + v[r]", "real[N]", "a, b", true},
		{"m + X * u", "real[N]", "a, server", true},
		{"where(d > 0, X * u, m)", "real[N]", "a, b, server", true},
	} {
		m := compiletest.Compile(t, declarations+"let it = "+c.expr+"\n", check.Options{})
		it := m.Checked.Symbols["it"]
		if got := it.Type.String(); got != c.kind {
			t.Errorf("%s is %s, want %s", c.expr, got, c.kind)
		}
		if got := it.Owners.String(); got != c.owners || it.Random != c.random {
			t.Errorf("%s depends on names of: %s (parameters: %t), want %s (%t)", c.expr, got, it.Random,
				c.owners, c.random)
		}
	}
}

// Elementwise operators accept two shapes in either order or in neither, with one result; a scalar changes no
// shape, and equal shapes stay.
func TestBroadcastingIsSymmetric(t *testing.T) {
	operands := []string{"y", "X", "B", "u", "w", "col(y)", "X'", "1.5", "y[1:1]"}
	kind := func(expr string) string {
		m, diags := compiletest.Try(t, source.New("m.vfl", declarations+"let it = "+expr+"\n"),
			check.Options{})
		if diags.HasErrors() {
			return "refused"
		}
		return m.Checked.Symbols["it"].Type.String()
	}
	refused := 0
	for i, x := range operands {
		if got, alone := kind(x+" + 0.5"), kind("0.5 .* "+x); got != alone || got == "refused" {
			t.Errorf("a number makes %s %s on the right and %s on the left", x, got, alone)
		}
		for _, y := range operands[i:] {
			one, other := kind(x+" .* "+y), kind(y+" - "+x)
			if one != other {
				t.Errorf("%s with %s is %s, and the other way round %s", x, y, one, other)
			}
			if one == "refused" {
				refused++
			}
			if x == y && one == "refused" {
				t.Errorf("%s with itself is refused", x)
			}
		}
	}
	if refused == 0 {
		t.Error("every shape goes with every other")
	}
}

// A likelihood belongs to those whose names occur in it; the members of one family have a term each.
func TestOwnersOfLikelihoods(t *testing.T) {
	const more = "data own : real[N] @ a\ndata each : real[N] @ lab\n"
	for _, c := range []struct{ statement, owners, family string }{
		{"y ~ normal(t, 1)", "shared", ""},
		{"y ~ normal(m, 1)", "server", ""},
		{"own ~ normal(X * u, exp(t))", "a", ""},
		{"each ~ normal(Z * g, 1)", "lab", "lab"},
		{"y ~ normal(m + X * u, exp(v[r]))", "a, b, server", ""},
		{"y ~ normal(X * u, 1) weights d + 1", "a, b", ""},
	} {
		m, _ := compiletest.Try(t, source.New("m.vfl", declarations+more+c.statement+"\n"), check.Options{})
		if l := m.Checked.Likelihoods[0]; l.Owners.String() != c.owners || l.Family != c.family {
			t.Errorf("%s is of %s, family %q; want %s, %q", c.statement, l.Owners, l.Family, c.owners,
				c.family)
		}
	}
}

// A size belongs to all parties whose declarations use it; a size of one family only has a value per member.
func TestSizes(t *testing.T) {
	m := compiletest.Compile(t, declarations+"y ~ normal(m, 1)\n", check.Options{})
	for name, want := range map[string]struct {
		owners types.Owners
		member string
	}{
		"N": {types.Owners{"a", "b", "lab", check.Shared}, ""},
		"P": {types.Owners{"a"}, ""},
		"S": {types.Owners{"b", check.Shared}, ""},
		"L": {types.Owners{"lab"}, "lab"},
		"J": {types.Owners{"server", check.Shared}, ""},
	} {
		z := m.Checked.Sizes[name]
		if z == nil || z.Owners.String() != want.owners.String() || z.Member != want.member {
			t.Errorf("size %s: %+v, want %+v", name, z, want)
		}
	}
	if _, is := m.Checked.Sizes["two"]; is {
		t.Error("a const that is not a size is one")
	}
}

// The command line replaces the statement: its kind, and the noise of all clients or of one.
func TestOptionsReplaceTheStatement(t *testing.T) {
	const text = "client a, b\ndata y : real[N] @ shared\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n"
	const statement = "transform power(rho = {a: 0.5, b: 2})\n"
	for _, c := range []struct {
		text    string
		options check.Options
		a, b    float64
		implied bool
	}{
		{text, check.Options{}, 0, 0, true},
		{text + statement, check.Options{}, 0.5, 2, false},
		{text + statement, check.Options{Rho: 3}, 3, 3, false},
		{text + statement, check.Options{RhoBy: map[string]float64{"b": 7}}, 0.5, 7, false},
		{text + statement, check.Options{Rho: 3, RhoBy: map[string]float64{"b": 7}}, 3, 7, false},
	} {
		tr := compiletest.Compile(t, c.text, c.options).Checked.Transform
		if tr.RhoOf("a") != c.a || tr.RhoOf("b") != c.b || tr.Implied != c.implied {
			t.Errorf("%+v: rho %v and %v, implied %t; want %v", c.options, tr.RhoOf("a"), tr.RhoOf("b"),
				tr.Implied, c)
		}
	}
}

// A client's whole numbers are data: other parties may not use them as indices, counts or sizes. Sizes bound
// by shapes may be used by all.
func TestWholeNumbersOfClientsAreData(t *testing.T) {
	const more = "data n : int @ a\nparam p : real[5] ~ normal(0, 1)\nparam l : real[5] ~ normal(0, 1) @ a\n"
	for text, refused := range map[string]bool{
		"y ~ normal(p[n] + m, 1)":                                       true,
		"y ~ normal(p[n] + X * u, 1)":                                   true,
		"y ~ normal(m + sum(p[1:n]), 1)":                                true,
		"y ~ normal(m + sum(p[i] for i in 1..n), 1)":                    true,
		"param z : real[n] ~ normal(0, 1)\ny ~ normal(z[1], 1)":         true,
		"y ~ normal(m + l[n], 1)":                                       false,
		"y ~ normal(m + sum(l[i] for i in 1..n), 1)":                    false,
		"param z : real[n] ~ normal(0, 1) @ a\ny ~ normal(m + z[1], 1)": false,
		"y ~ normal(m + p[P] + l[K], 1)":                                false,
	} {
		if _, diags := compiletest.Try(t, source.New("m.vfl", declarations+more+text+"\n"),
			check.Options{}); diags.HasErrors() != refused {
			t.Errorf("%s: refused %t, want %t", text, diags.HasErrors(), refused)
		}
	}
}
