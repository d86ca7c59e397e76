package lower_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// series is a table of twelve observations.
const series = "y,one\n0.5,1\n-1.2,1\n0.8,1\n1.9,1\n0.3,1\n-0.7,1\n-1.1,1\n0.2,1\n1.4,1\n2.2,1\n0.9,1\n-0.4,1"

// Densities at x_i = 0.3 sin(i+1) and x_i = 0.2 cos(2i), i from 0: NumPy 2.4 and SciPy 1.17, with loops over
// t. The local level model is computed there as one multivariate normal distribution, and the capture
// probabilities by enumeration of the last occasion alive.
var recursions = []struct {
	name, text    string
	first, second float64
}{
	{"stochastic volatility", `
param mu ~ normal(0, 1)
param phi ~ uniform(-1, 1)
param s ~ half_normal(1)
param e : real[T] ~ normal(0, 1)
let h : real[T] = recur h[1] = mu + s * e[1] / sqrt(1 - phi^2), h[t] = mu + phi * (h[t-1] - mu) + s * e[t] for t in 2..T
y ~ normal(0, exp(h / 2))`, -32.9392720821607, -32.61457613592176},
	{"ARMA(1, 2)", `
param mu ~ normal(0, 1)
param phi ~ uniform(-1, 1)
param theta : real[2] ~ normal(0, 1)
param s ~ half_normal(1)
let e : real[T] = recur e[1] = 0, e[2] = 0, e[t] = y[t] - mu - phi * y[t-1] - sum(theta[k] * e[t-k] for k in 1..2) for t in 3..T
y ~ normal(y - e, s)`, -20.442989383184198, -24.212435387534313},
	{"GARCH(1, 1)", `
param mu ~ normal(0, 1)
param a0 ~ half_normal(1)
param a1 ~ uniform(0, 1)
param b1 ~ uniform(0, 1)
let v : real[T] = recur v[1] = a0 / (1 - a1 * b1), v[t] = a0 + a1 * (y[t-1] - mu)^2 + b1 * v[t-1] for t in 2..T
y ~ normal(mu, sqrt(v))`, -24.752217565311575, -24.3018585036313},
	{"hidden Markov", `
param mu : real[2] ~ normal(0, 1)
param G : real[2, 2] ~ normal(0, 1)
let step = log_softmax(G)
let lp = -0.5 * (col(y) - row(mu))^2 - 0.5 * log(2 * pi())
let alpha : real[T, 2] = recur alpha[1] = log(0.5) + lp[1], alpha[t] = log_sum_exp(row(alpha[t-1]) + step') + lp[t] for t in 2..T
one[1:1] ~ bernoulli(exp(log_sum_exp(alpha[T])))`, -23.605474243126814, -24.072483165054166},
	{"local level", `
param s ~ half_normal(1)
param q ~ half_normal(1)
let P : real[T] = recur P[1] = 1, P[t] = P[t-1] * s^2 / (P[t-1] + s^2) + q^2 for t in 2..T
let m : real[T] = recur m[1] = 0, m[t] = m[t-1] + P[t-1] / (P[t-1] + s^2) * (y[t-1] - m[t-1]) for t in 2..T
y ~ normal(m, sqrt(P + s^2))`, -23.441820781936023, -22.24288581547223},
	{"capture", `
param phi : real[T - 1] ~ uniform(0, 1)
param p : real[T] ~ uniform(0, 1)
let chi : real[T] = recur chi[T] = 1, chi[t] = 1 - phi[t] + phi[t] * (1 - p[t+1]) * chi[t+1] for t in T-1..1
y ~ normal(chi, 1)`, -50.423034775025066, -50.68659509080688},
}

func recursion(text string) fixture {
	return fixture{Text: "data y : real[T]\ndata one : binary[T]\n" + text,
		Tables: map[string]string{"server": series}}
}

// TestRecursions compares densities with independent figures, and gradients with finite differences.
func TestRecursions(t *testing.T) {
	for _, c := range recursions {
		t.Run(c.name, func(t *testing.T) {
			plan := recursion(c.text).Bind(t, check.Options{}).Plan
			j := newJoint(t, plan, 0)
			for i := range j.theta[0] {
				j.theta[0][i] = 0.3 * math.Sin(float64(i+1))
			}
			if got := j.value(t); math.Abs(got-c.first) > 1e-11*math.Abs(c.first) {
				t.Errorf("%v, NumPy has %v", got, c.first)
			}
			for i := range j.theta[0] {
				j.theta[0][i] = 0.2 * math.Cos(2*float64(i))
			}
			if got := j.value(t); math.Abs(got-c.second) > 1e-11*math.Abs(c.second) {
				t.Errorf("%v, NumPy has %v", got, c.second)
			}
			checkGradient(t, plan)
		})
	}
}

// TestRecursionsAcrossParties compares split models whose recursion takes clients' arrays with the pooled
// model, and their gradients with finite differences.
func TestRecursionsAcrossParties(t *testing.T) {
	head := `client a, b
data y : real[T] @ shared
data XA : real[T, 2] @ a from x1, x2
data XB : real[T, 2] @ b from x1, x2
param phi ~ uniform(-1, 1)
param s ~ half_normal(1)
param ba : real[2] ~ normal(0, 1) @ a
param bb : real[2] ~ normal(0, 1) @ b
`
	tables := map[string]string{"server": table(1, 12, "y"), "a": table(2, 12, "x1", "x2"),
		"b": table(3, 12, "x1", "x2")}
	affine := []string{
		"let m = XA * ba + XB * bb\nlet h : real[T] = recur h[1] = m[1], h[t] = phi * h[t-1] + m[t] for t " +
			"in 2..T\ny ~ normal(h, s)",
		"let m = XA * ba\nlet n = XB * bb\nlet h : real[T] = recur h[T] = n[T], h[t] = phi * h[t+1] + 2 * " +
			"m[t] - n[t] / s for t in T-1..1\ny ~ normal(h, exp(h / 9))",
		"let m = XA * ba\nlet v : real[T] = recur v[1] = s, v[t] = s + 0.5 * v[t-1] for t in 2..T\nlet h : " +
			"real[T] = recur h[1] = 0, h[t] = h[t-1] / v[t-1] + m[t] for t in 2..T\ny ~ normal(h, v)",
		"let m = XA * ba\nlet h : real[T] = recur h[1] = 0.5, k[t] = phi * h[t-1] + m[t], q[t] = k[t] / s, " +
			"h[t] = q[t] + 0.3 * k[t] + m[t] for t in 2..T\nlet w : real[T] = recur w[1] = bb[1], k[t] = " +
			"sin(w[t-1]) + XB[t, 1], w[t] = k[t] + cos(k[t]) for t in 2..T @ b\ny ~ normal(h + w, s)",
		"let h : real[T] = recur h[1] = ba[1], h[t] = ba[2] * h[t-1] + XA[t, 1] for t in 2..T @ a\ny " +
			"~ normal(h + XB * bb, s)",
		"fn ar(e, phi) {\n let x : real[size(e)] = recur x[1] = e[1], x[t] = phi * x[t-1] + e[t] for t in " +
			"2..size(e)\n return x\n}\nlet h = ar(XA * ba, 0.5) @ a\nlet g = ar(h + XB * " +
			"bb, phi)\ny ~ normal(g, s)",
	}
	curved := []string{
		"fn f(u, r) = r * u * (1 - u / 2) + 0.01 * sin(u)^2\nfn heun(u, h, r, m) {\n let k1 = f(u, r) + m\n " +
			"let k2 = f(u + h * k1, r) + m\n return u + h / 2 * (k1 + k2)\n}\nlet m = XA * ba\nlet h : real[T] = " +
			"recur h[1] = 0.5, h[t] = heun(heun(h[t-1], 0.2, phi, m[t]), 0.2, phi, m[t]) for t in 2..T\n" +
			"y ~ normal(h + XB * bb, s)",
		"let m = XA * ba\nlet h : real[T] = recur h[1] = m[1], h[t] = phi * tanh(h[t-1] + m[t]) for t in " +
			"2..T\ny ~ normal(h + XB * bb, s)",
		"let m = XA * ba\nlet h : real[T] = recur h[1] = 0, h[t] = bb[1] * h[t-1] + m[t] for t " +
			"in 2..T\ny ~ normal(h, s)",
	}
	for i, text := range append(affine, curved...) {
		f := fixture{Text: head + text, Tables: tables}
		want := noiseFree(t, f, check.Options{Transform: stdlib.NoTransform})
		kinds := []string{"exact"}
		if i < len(affine) {
			kinds = append(kinds, "augmented")
		}
		for _, kind := range kinds {
			o := check.Options{Accept: fewRows}
			for _, k := range stdlib.Transforms() {
				if k.Name == kind {
					o.Transform = k
				}
			}
			if o.Transform.Noise() {
				// the AR coefficient's prior lets h reach 1e4, beside which the default is nothing
				o.Rho = 0.25
			}
			if got := noiseFree(t, f, o); math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("%s gives %v, the pooled model %v:\n%s", kind, got, want, text)
			}
			checkGradient(t, f.Bind(t, o).Plan)
		}
		if i >= len(affine) {
			if diags := (fixture{Text: f.Text + "\ntransform augmented(rho = 0.2)",
				Tables: tables}).Diagnose(t, check.Options{}); !diags.HasErrors() ||
				diags.Shown()[0].Code != diag.NoCut {
				t.Errorf("noise inside a recursion that is not affine: %v\n%s", diags, text)
			}
		}
	}
}

// TestLongRecursion checks that a long recursion is one operation, and that its evaluation allocates nothing.
func TestLongRecursion(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,one\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%g,1\n", math.Sin(float64(i)))
	}
	f := recursion(recursions[0].text)
	f.Tables = map[string]string{"server": b.String()}
	bound := f.Bind(t, check.Options{})
	g := bound.Plan.Parties[0].Graph
	var e *graph.Exec
	if n := testing.AllocsPerRun(1, func() { e = g.NewExec() }); n > 1000 {
		t.Errorf("what evaluates it takes %v allocations", n)
	}
	x := make([]float64, g.Dim())
	if n := testing.AllocsPerRun(2, func() { e.Forward(x); e.Target() }); n != 0 {
		t.Errorf("an evaluation allocates %v times", n)
	}
	if _, err := session.NewLocal(bound.Plan, session.SimulatedKeys(1, bound.Plan.Names)); err != nil {
		t.Error(err)
	}
}

// TestRecursionBeyondData checks what only data show: an entry that an array does not have.
func TestRecursionBeyondData(t *testing.T) {
	text := "param a ~ normal(0, 1)\nlet h : real[T] = recur h[1] = 0, h[t] = a * h[t-1] + y[t+1] for t " +
		"in 2..T\ny ~ normal(h, 1)"
	f := recursion(text)
	if d := f.Refused(t); d.Code != diag.BeyondData {
		t.Errorf("%s: %s", d.Code, d.Message)
	}
	var _ compiletest.Fixture = f
}

// Parts of levels look rows up, and so do the levels of a step: the densities are those of the same model
// with the rows looked up in full beforehand, and gradients are their differences.
func TestPartsOfLevels(t *testing.T) {
	const head = "data y : real[T]\ndata z : level(2)[T]\ndata w : level(3)[T]\nparam m : real[2] ~ " +
		"normal(0, 1)\nparam q : real[2, 3] ~ normal(0, 1)\nparam phi ~ uniform(-1, 1)\n"
	tables := map[string]string{"server": "y,z,w\n0.5,1,2\n-1.2,2,3\n0.8,2,1\n1.9,1,1\n0.3,2,2\n-0.7,1,3"}
	for _, c := range []struct{ parts, whole string }{
		{"y[2:T] ~ normal(m[z[1:T - 1]], 1)", "let mz = m[z]\ny[2:T] ~ normal(mz[1:T - 1], 1)"},
		{"y[2:T] ~ normal(q[z[1:T - 1], w[2:T]] + q[1, 2], 1)",
			"let a = q[1, :]\nlet b = q[2, :]\nlet v = where(z == 1, 1, 0)\nlet aw = a[w]\nlet bw = " +
				"b[w]\ny[2:T] ~ normal(where(v[1:T - 1] == 1, aw[2:T], bw[2:T]) + q[1, 2], 1)"},
		{
			"let h : real[T] = recur h[1] = m[z[1]], h[t] = phi * h[t - 1] + m[z[t]] + q[z[t - 1], 2] for " +
				"t in 2..T\ny ~ normal(h, 1)",
			"let mz = m[z]\nlet qz = q[z, 2]\nlet h : real[T] = recur h[1] = mz[1], h[t] = phi * h[t - 1] " +
				"+ mz[t] + qz[t - 1] for t in 2..T\ny ~ normal(h, 1)",
		},
		{
			"let h : real[T] = recur h[T] = 0, h[t] = h[t + 1] + q[z[t], w[t]] for t in T " +
				"- 1..1\ny ~ normal(h, 1)",
			"let qzw = q[z, w]\nlet h : real[T] = recur h[T] = 0, h[t] = h[t + 1] + qzw[t] for t in T " +
				"- 1..1\ny ~ normal(h, 1)",
		},
	} {
		value := func(text string) float64 {
			plan := (fixture{Text: head + text, Tables: tables}).Bind(t, check.Options{}).Plan
			checkGradient(t, plan)
			j := newJoint(t, plan, 0)
			for i := range j.theta[0] {
				j.theta[0][i] = 0.6 * math.Sin(float64(i+1))
			}
			return j.value(t)
		}
		if got, want := value(c.parts), value(c.whole); !(math.Abs(got-want) < 1e-12*math.Abs(want)) {
			t.Errorf("%v, looked up beforehand %v:\n%s", got, want, c.parts)
		}
	}
}

// TestComposedSteps compares a recursion whose step is five steps of Runge and Kutta, one inside another,
// with every fifth entry of one that takes them one by one. The text grows with the number of calls.
func TestComposedSteps(t *testing.T) {
	const head = `data y : real[12]
param r ~ half_normal(1)
param K ~ half_normal(1)
param x0 ~ half_normal(1)
fn f(u, r, K) = r * u * (1 - u / K) + 0.01 * sin(u)^2
fn rk4(u, h, r, K) {
	let k1 = f(u, r, K)
	let k2 = f(u + h / 2 * k1, r, K)
	let k3 = f(u + h / 2 * k2, r, K)
	let k4 = f(u + h * k3, r, K)
	return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
}
`
	composed := func(n int) string {
		return "let x : real[12] = recur x[1] = x0, x[t] = " + strings.Repeat("rk4(", n) + "x[t - 1]" +
			strings.Repeat(", 0.2, r, K)", n) + " for t in 2..12\n"
	}
	f := fixture{Tables: map[string]string{
		"server": "y\n0.1\n0.2\n0.3\n0.3\n0.5\n0.5\n0.6\n0.6\n0.7\n0.7\n0.8\n0.8\n"}}
	f.Text = head + "let z : real[56] = recur z[1] = x0, z[t] = rk4(z[t - 1], 0.2, r, K) for t in 2..56\n" +
		"let x = z[[5 * k - 4 for k in 1..12]]\ny ~ normal(x, 0.1)"
	want := noiseFree(t, f, check.Options{})
	f.Text = head + composed(5) + "y ~ normal(x, 0.1)"
	if got := noiseFree(t, f, check.Options{}); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("five steps at once give %v, one by one %v", got, want)
	}
	checkGradient(t, f.Bind(t, check.Options{}).Plan)
	size := func(n int) int {
		m := compiletest.Compile(t, head+composed(n)+"y ~ normal(x, 0.1)", check.Options{})
		return len(format.Format(m.Inlined.File))
	}
	if a, b := size(20), size(40); b > 2*a+200 {
		t.Errorf("20 calls are %d characters, 40 are %d", a, b)
	}
}
