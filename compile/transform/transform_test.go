package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

const head = `client a, b
client lab[J], trio[3]
data y : real[N] @ shared
data own : real[N] @ a
data each : real[N] @ lab
data XA : real[N, P] @ a
data XB : real[N, Q] @ b
data Z : real[N, R] @ lab
data T : real[N, S] @ trio
param m ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
param g : real[R] ~ normal(0, 1) @ lab
param h : real[S] ~ normal(0, 1) @ trio
let fa = XA * u
let fb = XB * v
let labs = sum(Z[j] * g[j] for j in lab)
let trios = sum(T[j] * h[j] for j in trio)
`

// shares lists who evaluates what, as "party: statement".
func shares(m *compile.Model) []string {
	var out []string
	for _, p := range m.Parts.Parties {
		for _, l := range p.Likelihoods {
			out = append(out, p.Name+": "+strings.TrimSpace(format.Stmt(l)))
		}
	}
	return out
}

func sent(m *compile.Model) []string {
	var out []string
	for _, p := range m.Parts.Parties[1:] {
		for _, k := range p.Sent {
			out = append(out, p.Name+": "+format.Expr(k.Expr))
		}
	}
	return out
}

// Under augmented the server evaluates at the z, each sent once however often it is read, a family's as their
// sum.
func TestAugmentedIsTheServersAtTheSumOfZ(t *testing.T) {
	m := compiletest.Compile(t, head+"y ~ normal(m + fa + fb + labs, 1)\nexp(y) ~ lognormal(fa + m, 2)\n",
		check.Options{Transform: stdlib.Augmented})
	want := []string{"server: y ~ normal(m + z_1 + z_2 + sum(z_3[j] for j in lab), 1)",
		"server: exp(y) ~ lognormal(m + z_1, 2)"}
	if got := shares(m); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := sent(m), []string{"a: XA * u", "b: XB * v", "lab: Z * g"}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// Under power each client with a cut evaluates with its own cut exact and the others' z as one sum, to the
// power 1/J. J counts the clients with a cut in the statement, members of families one by one; where J is 1
// nothing is sent.
func TestPowersCountTheClientsOfAStatement(t *testing.T) {
	for _, c := range []struct {
		sum   string
		power string
		sends int
		at    []string
	}{
		{"fa", "", 0, []string{"a: y ~ normal(m + XA * u, 1)"}},
		{"fa + fb", "1/2", 2, []string{"a: y ~ normal(m + o_1 + XA * u, 1)",
			"b: y ~ normal(m + o_1 + XB * v, 1)"}},
		{"labs", "1 / J", 1, []string{"lab: y ~ normal(m + o_1 + Z * g, 1)"}},
		{"trios", "1/3", 1, []string{"trio: y ~ normal(m + o_1 + T * h, 1)"}},
		{"fb + labs + trios", "1 / (J + 4)", 3, []string{"b: y ~ normal(m + o_1 + XB * v, 1)",
			"lab: y ~ normal(m + o_1 + Z * g, 1)", "trio: y ~ normal(m + o_1 + T * h, 1)"}},
	} {
		m := compiletest.Compile(t, head+"y ~ normal(m + "+c.sum+", 1)\n",
			check.Options{Transform: stdlib.Power})
		for i, at := range c.at {
			if c.power != "" {
				c.at[i] = at + " ^ (" + c.power + ")"
			}
		}
		if got := shares(m); !slices.Equal(got, c.at) {
			t.Errorf("%s: got %q, want %q", c.sum, got, c.at)
		}
		if got := sent(m); len(got) != c.sends {
			t.Errorf("%s: sends %q", c.sum, got)
		}
	}
}

// J is counted statement by statement.
func TestPowersOfTwoStatements(t *testing.T) {
	m := compiletest.Compile(t, head+"y ~ normal(m + fa + fb, 1)\nexp(y) ~ lognormal(m + labs, 2)\n",
		check.Options{Transform: stdlib.Power})
	var powers []string
	for _, p := range m.Parts.Parties {
		for _, l := range p.Likelihoods {
			powers = append(powers, p.Name+" "+format.Expr(l.Power))
		}
	}
	if want := []string{"a 1/2", "b 1/2", "lab 1 / J"}; !slices.Equal(powers, want) {
		t.Errorf("got %q, want %q", powers, want)
	}
}

// A likelihood that one client or the server sees whole is evaluated there, once and without a power, under
// every transform. Pooled data stay one model.
func TestWhatOnePartySeesWholeIsItsOwn(t *testing.T) {
	const text = head + "own ~ normal(fa, 1)\neach ~ normal(Z * g, 1)\ny ~ normal(m, 1)\n"
	for _, kind := range stdlib.Transforms() {
		m := compiletest.Compile(t, text, check.Options{Transform: kind})
		want := []string{"server: y ~ normal(m, 1)", "a: own ~ normal(XA * u, 1)",
			"lab: each ~ normal(Z * g, 1)"}
		if kind.Pooled() {
			want = nil
		}
		if got := shares(m); !slices.Equal(got, want) || len(sent(m)) > 0 {
			t.Errorf("%s: got %q, sent %q", kind, got, sent(m))
		}
	}
}

// A cut with a minus sign is sent with it, so that what enters is always a sum.
func TestSignsGoWithTheCut(t *testing.T) {
	m := compiletest.Compile(t, head+"y ~ normal(m - fa - (fb - 2 * fa), 1)\n",
		check.Options{Transform: stdlib.Augmented})
	if got, want := shares(m), "server: y ~ normal(m + z_1 + z_2, 1)"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A transform is what crosses with who evaluates: under another name it makes the same programs. No two
// listed ones are equal, and none shows clients the others' cuts without noise.
func TestTransformsOfEqualFactsAreOne(t *testing.T) {
	const text = head + "y ~ normal(m + fa + fb + labs, 1)\nown ~ normal(fa, 1)\n"
	for i, kind := range stdlib.Transforms() {
		for _, one := range stdlib.Transforms()[:i] {
			if one.Crosses == kind.Crosses && one.Evaluates == kind.Evaluates {
				t.Errorf("%s is %s", kind, one)
			}
		}
		if kind.AtClients() && !kind.Noise() {
			t.Errorf("%s has clients evaluate at the others' cuts", kind)
		}
		other := kind
		other.Name = "another"
		m, n := compiletest.Compile(t, text, check.Options{Transform: kind}),
			compiletest.Compile(t, text, check.Options{Transform: other})
		if !slices.Equal(m.Programs, n.Programs) || m.Pooled() != n.Pooled() {
			t.Errorf("%s under another name makes other programs", kind)
		}
	}
}
