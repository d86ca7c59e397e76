package compile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/compiletest"
)

// overlapping is a model of clients a, b and c, of which the second likelihood has one client more than the
// first.
const overlapping = `client a, b, c
data y : real[N] @ shared
data w : real[N] @ shared
data XA : real[N, P] @ a
data XB : real[N, P] @ b
data XC : real[N, P] @ c
param u : real[P] ~ normal(0, 1) @ a
param v : real[P] ~ normal(0, 1) @ b
param t : real[P] ~ normal(0, 1) @ c
y ~ normal(XA * u + XB * v, 1)
w ~ normal(XB * v + XC * t + XA[:, 1] * u[1], 1)
`

// Where no rho is given it is 0.05/√J, J the clients of the statement; of two statements with a client the
// one with more clients counts. What is given stays.
func TestDefaultRho(t *testing.T) {
	const two = "client a, b\ndata y : real[N] @ shared\ndata XA : real[N] @ a\ndata XB : real[N] @ " +
		"b\nparam u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ b\ny ~ normal(XA * u + XB * v, 1)\n"
	const family = "const H = 3\nclient lab[%s]\ndata y : real[N] @ shared\ndata X : real[N] @ lab\nparam " +
		"u ~ normal(0, 1) @ lab\ny ~ normal(sum(X[j] * u[j] for j in lab), 1)\n"
	by := func(j float64) float64 { return 0.05 / math.Sqrt(j) }
	for name, c := range map[string]struct {
		text string
		o    check.Options
		want map[string]float64
		says string
	}{
		"no transform": {two, check.Options{}, map[string]float64{"a": by(2), "b": by(2)},
			"no transform given: augmented(rho = 0.03536, which is 0.05/√J, J the number of clients); " +
				"instead: transform exact, transform power"},
		"no rho": {two + "transform power\n", check.Options{},
			map[string]float64{"a": by(2), "b": by(2)},
			"no rho given: rho = 0.03536, which is 0.05/√J, J the number of clients; instead: transform " +
				"exact, transform augmented"},
		"of one client": {two + "transform augmented(rho = {a: 0.5})\n", check.Options{},
			map[string]float64{"a": 0.5, "b": by(2)},
			"no rho given for b: rho = {a: 0.5, b: 0.03536}, where that of b is 0.05/√J, J the number of " +
				"clients; instead: transform exact, transform power"},
		"given": {two + "transform augmented(rho = 0.5)\n", check.Options{},
			map[string]float64{"a": 0.5, "b": 0.5}, ""},
		"on the line": {two + "transform augmented\n", check.Options{Rho: 2},
			map[string]float64{"a": 2, "b": 2}, ""},
		"two statements": {overlapping, check.Options{}, map[string]float64{"a": by(3), "b": by(3),
			"c": by(3)},
			"no transform given: augmented(rho = 0.02887, which is 0.05/√J, J the number of clients); " +
				"instead: transform exact, transform power"},
		"a family of ten": {fmt.Sprintf(family, "10"), check.Options{}, map[string]float64{"lab": by(10)},
			"no transform given: augmented(rho = 0.01581, which is 0.05/√J, J the number of clients); " +
				"instead: transform exact, transform power"},
		"a family by const": {fmt.Sprintf(family, "H"), check.Options{}, map[string]float64{"lab": by(3)},
			"no transform given: augmented(rho = 0.02887, which is 0.05/√J, J the number of clients); " +
				"instead: transform exact, transform power"},
		"a family of any": {fmt.Sprintf(family, "J"), check.Options{}, map[string]float64{"lab": 0},
			"no transform given: augmented(rho = 0.05/√J, J the number of clients with those of lab); " +
				"instead: transform exact, transform power"},
		"a family of tables": {fmt.Sprintf(family, "J"), check.Options{Members: map[string]int{"lab": 5}},
			map[string]float64{"lab": by(5)},
			"no transform given: augmented(rho = 0.02236, which is 0.05/√J, J the number of clients); " +
				"instead: transform exact, transform power"},
	} {
		m := compiletest.Compile(t, c.text, c.o)
		for client, want := range c.want {
			if got := m.Cuts.RhoOf(client); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: rho of %s is %v, want %v", name, client, got, want)
			}
		}
		if m.Assumed() != c.says {
			t.Errorf("%s: %q, want %q", name, m.Assumed(), c.says)
		}
		_, open := m.Cuts.OpenFamily()
		if open != (m.Manifest == nil) || open != m.MaySplit().HasErrors() {
			t.Errorf("%s: open %t, manifest %v", name, open, m.Manifest)
		}
	}
}

// A model whose rho depends on the number of tables gets its programs when they are bound, with the number in
// them.
func TestDefaultRhoOfAFamilyIsThatOfItsTables(t *testing.T) {
	f := compiletest.Fixture{
		Text: "client lab[J]\ndata y : real[N] @ shared\ndata X : real[N] @ lab\nparam u ~ normal(0, 1) " +
			"@ lab\ny ~ normal(sum(X[j] * u[j] for j in lab), 1)\n",
		Tables: map[string]string{"server": "y\n1\n-9\n", "lab/1": "X\n1\n2\n", "lab/2": "X\n2\n0\n",
			"lab/3": "X\n4\n1\n", "lab/4": "X\n5\n3\n"},
		Family: map[string]int{"lab": 4},
	}
	b := f.Bind(t, check.Options{})
	if b.Manifest.Rho["lab"] != "0.025" || !strings.Contains(b.Programs[1].Text, "0.025)") ||
		b.Plan.Parties[1].Cuts[0].Rho != 0.025 {
		t.Errorf("rho of the manifest %v, program\n%s", b.Manifest.Rho, b.Programs[1].Text)
	}
}

// A warning says that the noise is not small for the response, where it acts in the response's units. The
// standard deviation of y is 1.
func TestNoiseIsComparedWithTheResponse(t *testing.T) {
	tables := map[string]string{"server": "y\n0\n2\n0\n2\n", "a": "XA\n1\n2\n3\n5\n", "b": "XB\n1\n2\n3\n4\n"}
	const text = "client a, b\ndata y : %s[N]\ndata XA : real[N] @ a\ndata XB : real[N] @ b\nparam u ~ " +
		"normal(0, 1) @ a\nparam v ~ normal(0, 1) @ b\ny ~ %s\n"
	for _, c := range []struct {
		kind, dist, transform string
		rho                   float64
		warns                 bool
	}{
		{"real", "normal(XA * u + XB * v, 1)", "augmented", 0.15, true},
		{"real", "normal(XA * u + XB * v, 1)", "augmented", 0.14, false},
		{"real", "student_t(4, XA * u + XB * v, 1)", "augmented", 0.5, true},
		{"count", "poisson_log(XA * u + XB * v)", "augmented", 0.5, false},
		{"real", "normal(XA * u + XB * v, 1)", "none", 0.5, false},
	} {
		f := compiletest.Fixture{Text: fmt.Sprintf(text, c.kind, c.dist) + "transform " + c.transform + "\n",
			Tables: tables}
		found := false
		for _, d := range f.Diagnose(t, check.Options{Rho: c.rho}) {
			found = found || d.Code == diag.NoiseOfResponse && d.Severity == diag.Warning
		}
		if found != c.warns {
			t.Errorf("%+v: warns %t", c, found)
		}
	}
}
