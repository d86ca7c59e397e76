package split_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

const scales = `client a, c
data y : real[N]
data X : real[N, P] @ a
data g : level(G)[N] @ shared
data w : real[N] @ c
param m ~ normal(0, 1)
param k ~ half_normal(2) @ shared
param u : real[G] ~ normal(0, k) @ shared
param beta : real[P] ~ normal(0, 1) @ a
param e ~ normal(0, 1) @ c
y ~ normal(m + k * (X * beta) .* u[g] + w * e, 1)
`

// sentBy loads the program of a with another expression for z_1, whose digest the manifest lists.
func sentBy(t *testing.T, m *split.Manifest, text, expr string) diag.List {
	t.Helper()
	const cut = "k * (X * beta) .* u[g]"
	if !strings.Contains(text, cut) {
		t.Fatalf("the program has no %s:\n%s", cut, text)
	}
	text = strings.Replace(text, cut, expr, 1)
	for i := range m.Parties {
		if m.Parties[i].Name == "a" {
			m.Parties[i].SHA256 = split.Digest(text)
		}
	}
	_, diags := split.Load(m, "a", "a.vfl", text, stdlib.New())
	return diags
}

// What check refuses in a model the loader refuses in a program, although its digest is that of the manifest.
func TestReceivedProgramsDoNotSendData(t *testing.T) {
	programs, m := compiled(t, scales, check.Options{})
	for _, c := range []struct {
		expr string
		want diag.Code
	}{
		{"k * (X * beta) .* u[g]", ""},
		{"X[:, 1] + 0 * beta[1] + 0 * k * u[1]", diag.DataCut},
		{"beta[1] - beta[1] + X[:, 1]", diag.DataCut},
		{"X[:, 1] * k + u[1] * beta[1]", diag.GradientLeak},
		{"u[g] .* X[:, 1] + k * (X * beta)", diag.GradientLeak},
		{"(X * beta) .* u[g] + k * beta[1] * X[:, 1]", diag.GradientLeak},
		{"(X * beta) .* u[g] + k * (X * beta)", ""},
		{"X * beta + X[:, 1] + 0 * k * u[1]", diag.DataOffset},
	} {
		got := diag.Code("")
		if list := sentBy(t, m, programs["a"], c.expr); len(list) > 0 {
			got = list[0].Code
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.expr, got, c.want)
		}
	}
}

// The manifest says what was accepted: a gradient that is data, and at which cut there is an offset.
func TestManifestsListWhatIsAccepted(t *testing.T) {
	programs, m := compiled(t, scales, check.Options{Accept: diag.Accepted{"gradient-leak"}})
	if list := sentBy(t, m, programs["a"], "u[g] .* X[:, 1] + k * (X * beta)"); len(list) > 0 {
		t.Errorf("an accepted gradient: %s", list[0].Message)
	}
	if list := sentBy(t, m, programs["a"], "X * beta + X[:, 1] + 0 * k * u[1]"); !list.HasErrors() {
		t.Error("an offset is taken where a gradient is accepted")
	}
	m.Cuts[0].Offset = true
	if list := sentBy(t, m, programs["a"], "X * beta + X[:, 1] + 0 * k * u[1]"); len(list) > 0 &&
		list.HasErrors() {
		t.Errorf("a listed offset: %s", list[0].Message)
	}
	for _, accepted := range []diag.Accepted{{"gradient_leak"}, {"data-offset", "label-leak"},
		{"data-offset", "data-offset"}} {
		m.Accepted = accepted
		if list := sentBy(t, m, programs["a"], "k * (X * beta) .* u[g]"); !list.HasErrors() ||
			list[0].Code != diag.BadManifest {
			t.Errorf("the manifest accepts %q", accepted)
		}
	}
}

// The manifest gives clients the priors of what they receive, where these are numbers; the server's program
// has the same.
func TestManifestsListPriors(t *testing.T) {
	const text = `client a, c
const width = 2
data y : real[N]
data x : real[N] @ a
data w : real[N] @ c
data h : level(H)[N] @ shared
let half = 1 / width
param m ~ normal(0, 1)
param p : real<lower=-width> ~ student_t(3, 0, half) @ shared
param q : real[H] ~ normal(0, 1) @ shared
param r ~ normal(m, 1) @ shared
param b ~ normal(0, 1) @ a
param e ~ normal(0, 1) @ c
y ~ normal(m + p * r * (x * b) .* q[h] + w * e, 1)
`
	programs, m := compiled(t, text, check.Options{})
	want := map[string]string{"p": "param p : real<lower=-2> ~ student_t(3, 0, 0.5)",
		"q": "param q : real ~ normal(0, 1)", "r": ""}
	for _, s := range m.Shared {
		if w, ok := want[s.Name]; !ok || s.Prior != w {
			t.Errorf("the prior of %s is %q, want %q", s.Name, s.Prior, w)
		}
		if declared := s.Declared(stdlib.New()); (declared != nil) != (s.Prior != "") {
			t.Errorf("%q is not read", s.Prior)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	load := func() diag.List {
		_, diags := split.Load(m, "server", "server.vfl", programs["server"], stdlib.New())
		return diags
	}
	if list := load(); len(list) > 0 {
		t.Fatal(list[0].Message)
	}
	for prior, code := range map[string]diag.Code{"param q : real ~ normal(0, 9)": diag.UnlistedChannel,
		"": diag.UnlistedChannel, "param z : real ~ normal(0, 1)": diag.BadManifest, "q": diag.BadManifest,
		"param q : real ~ normal(0, 1)\nparam z ~ normal(0, 1)": diag.BadManifest} {
		for i := range m.Shared {
			if m.Shared[i].Name == "q" {
				m.Shared[i].Prior = prior
			}
		}
		if list := load(); !list.HasErrors() || list[0].Code != code {
			t.Errorf("%q is taken for the prior of q", prior)
		}
	}
}
