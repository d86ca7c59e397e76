package leak_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

func TestMain(m *testing.M) { brief.Run(m) }

const head = `client a, c
const zero = 0
data y : real[N] @ shared
data s : real[N] @ shared
data x : real[N] @ a
data XA : real[N, P] @ a
data off : real[N] @ a
data g : level(G)[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1)
param k ~ normal(0, 1) @ shared
param mu ~ normal(0, 1) @ shared
param tau ~ half_normal(1) @ shared
param q : real[P] ~ normal(0, 1) @ shared
param u : real[G] ~ normal(0, 1) @ shared
param b ~ normal(0, 1) @ a
param d ~ normal(0, 1) @ a
param B : real[P] ~ normal(0, 1) @ a
param Z : real[G] ~ normal(0, 1) @ a
param scaled : real[P] ~ normal(0, tau) noncentered @ a
param located : real[P] ~ normal(mu, tau) noncentered @ a
param centred : real[P] ~ normal(mu, tau) @ a
param slope : real[G, P] ~ normal(mu, 1) noncentered @ a
param placed ~ normal(mean(off), 1) noncentered @ a
param e ~ normal(0, 1) @ c
let hidden = x + zero * b
let tilted = XA * q
`

// findings of the model in which a's contribution is an expression, as codes with the names that messages
// give.
func findings(t *testing.T, cut string, o check.Options) string {
	t.Helper()
	_, diags := compiletest.Try(t, source.New("m.vfl", head+"y ~ normal(m + "+cut+" + w * e, 1)\n"), o)
	var out []string
	for _, d := range diags {
		text := string(d.Code)
		switch d.Code {
		case diag.DataCut:
		case diag.GradientLeak:
			_, after, _ := strings.Cut(d.Message, "shared parameter ")
			name, _, _ := strings.Cut(after, " ")
			text += " " + name
		case diag.DataOffset:
			text += " " + strings.SplitN(d.Message, " is data", 2)[0]
		default:
			continue // of names that this expression does not use
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ cut, want string }{
		// functions of the client's parameters
		{"XA * B", ""},
		{"x * b + Z[g]", ""},
		{"rowdot(XA, slope[g]) - rowdot(XA, slope[g]) + b", ""},
		{"where(x > 0, b, d)", ""},
		{"x .* sum(b ^ i for i in 0..2)", ""},
		{"b", ""},
		{"x * sum([1, 2]) * b", ""},
		{"x * sum([1, 2]) + b - b", "V0330"},
		// no parameter is left: zeros, differences, quotients, in lets and in arguments of functions
		{"x + 0 * b", "V0330"},
		{"hidden", "V0330"},
		{"b - b", "V0330"},
		{"x + (b + d) - (d + b)", "V0330"},
		{"(x + b) ^ 2 - b ^ 2 - 2 * x * b", "V0330"},
		{"x .* (b + 1) - x .* b", "V0330"},
		{"x .* (b * d) / d / b", "V0330"},
		{"x * (2 * b - b) ^ 0", "V0330"},
		{"exp(x + b - b)", "V0330"},
		{"XA * (B - B) + x", "V0330"},
		{"XA * (B + B) - 2 * (XA * B) + x", "V0330"},
		{"dot(B, B - B) + x", "V0330"},
		{"x + mean(0 * Z)", "V0330"},
		{"x + where(x > 0, 0 * b, 0 * d)", "V0330"},
		{"x + sum(append(0 * b, 0 * d))", "V0330"},
		{"x + sum(append(b, d) - append(b, d))", "V0330"},
		{"x + sum(outer(B, Z - Z))", "V0330"},
		{"x + sum(0 * b for i in 1..3)", "V0330"},
		{"x + cumulative_sum(Z[g] - Z[g])", "V0330"},
		// data without a parameter
		{"x * b + off", "V0395 off"},
		{"XA * (B + 1)", "V0395 "},
		{"2 * (x * b - log(off)) + x - x", "V0395 -2 * log(off)"},
		{"(off + b) .* (x + d)", "V0395 off .* x"},
		{"x * placed", "V0395 "},
		{"tanh(off + b)", ""},
		{"s + x * b", ""},
		// gradients of shared parameters that are data
		{"XA * q", "V0331 q"},
		{"tilted + XA * B", "V0331 q"},
		{"x * k", "V0331 k"},
		{"u[g]", "V0331 u"},
		{"u[g] + XA * B", "V0331 u"},
		{"tanh(x + k)", "V0331 k"},
		{"k * (x * b + off)", "V0331 k"},
		{"XA * located", "V0331 mu"},
		{"rowdot(XA, slope[g])", "V0331 mu"},
		{"x .* exp(k)", "V0331 k"},
		{"x / k", "V0331 k"},
		{"x * sum(k ^ i for i in 1..2)", "V0331 k"},
		{"where(x > 0, k, b)", "V0331 k"},
		{"x * sum(append(k, b))", "V0331 k"},
		// and that are not
		{"k * (XA * B)", ""},
		{"XA * scaled", ""},
		{"XA * centred", ""},
		{"exp(k) * (x * b)", ""},
		{"k * b", ""},
		{"(2 * k + 1) * (XA * B) - k * (XA * B)", ""},
		{"k * (XA * B) + k * (x * b) / 2", ""},
		{"(x * b) / k + mu * d", ""},
		{"tau * Z[g]", ""},
		{"(k + s) .* (x * b) - 2 * (k + s) .* (XA * B)", ""},
		{"k * s .* (x * b) + k * (XA * B)", ""},
		{"tanh(k + x * b)", ""},
		{"exp(mu) * tanh(k * (x * b)) + d", ""},
		// gradients that tell columns apart
		{"u[g] * b", "V0331 u"},
		{"(XA * q) * b", "V0331 q"},
		{"XA * (q .* B)", "V0331 q"},
		{"k * (x * b) + XA * B", "V0331 k"},
		{"k * (x * b) + mu * (XA * B)", "V0331 k; V0331 mu"},
		{"k * (x * b) + mu * d + x * d", "V0331 k; V0331 mu"},
		{"tau * Z[g] + x * b", "V0331 tau"},
		{"(k + s) .* (x * b) + k * (XA * B)", "V0331 k"},
		{"XA * scaled + x * b", "V0331 tau"},
		{"tanh(k + x * b) + XA * B", "V0331 k"},
	} {
		got := findings(t, c.cut, check.Options{})
		if got != c.want && !(strings.HasSuffix(c.want, "V0395 ") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.cut, got, c.want)
		}
	}
}

// Pooled data cross nowhere. Under power a single client's cut is not sent, and the client evaluates the
// likelihood from its data.
func TestWhatStaysAtAClient(t *testing.T) {
	text := head + "y ~ normal(m + XA * q, 1)\n"
	for kind, want := range map[string]diag.Code{"power": diag.OwnLeak, "none": ""} {
		var o check.Options
		for _, k := range stdlib.Transforms() {
			if k.Name == kind {
				o.Transform = k
			}
		}
		var got diag.Code
		if _, diags := compiletest.Try(t, source.New("m.vfl", text), o); diags.HasErrors() {
			got = diags.Shown()[0].Code
		}
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// What is accepted passes, and nothing else does.
func TestAccepted(t *testing.T) {
	const cut = "XA * q + x * b + off"
	for _, c := range []struct {
		accepted diag.Accepted
		want     string
	}{
		{nil, "V0395 off; V0331 q"},
		{diag.Accepted{"gradient-leak"}, "V0395 off"},
		{diag.Accepted{"data-offset"}, "V0331 q"},
		{diag.Accepted(diag.AcceptanceNames()), ""},
	} {
		if got := findings(t, cut, check.Options{Accept: c.accepted}); got != c.want {
			t.Errorf("%v: %q, want %q", c.accepted, got, c.want)
		}
	}
	all := check.Options{Accept: diag.Accepted(diag.AcceptanceNames())}
	if got := findings(t, "x + 0 * b", all); got != "V0330" {
		t.Errorf("data as a cut can be accepted: %q", got)
	}
}

// Expressions that double at each step, and long ones, are read in bounded time and space.
func TestLargeExpressions(t *testing.T) {
	product := "(b + d + x)"
	for range 12 {
		product += " .* (b + d + x)"
	}
	// its 105 terms times 3 are not multiplied out
	if got := findings(t, product, check.Options{}); got != "" {
		t.Errorf("a product: %q", got)
	}
	long := "x * b" + strings.Repeat(" + x * d", 3000)
	if got := findings(t, long, check.Options{}); got != "" {
		t.Errorf("a long sum: %q", got)
	}
	// with a term that is not linear: twice the length is twice the work
	for _, term := range []string{" + exp(x * d)", " + x * d"} {
		work := func(terms int) float64 {
			cut := "exp(b)" + strings.Repeat(term, terms)
			return testing.AllocsPerRun(1, func() {
				if got := findings(t, cut, check.Options{}); got != "" {
					t.Errorf("a sum of%s: %q", term, got)
				}
			})
		}
		if ratio := work(800) / work(400); ratio > 2.5 {
			t.Errorf("a sum of%s: twice the length allocates %.1f times as often", term, ratio)
		}
	}
}
