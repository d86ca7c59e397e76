package lower_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// doses are three subjects, whose rows do not stand together.
const doses = "subject,time,y\n1,0,0.4\n2,0.5,1.1\n1,0.7,0.9\n3,0.2,0.5\n1,0.7,1.2\n3,4,0.8\n2,3,0.7\n1,6,0.2\n"

const doseHead = `data y       : real[N]
data time    : real<lower=0>[N]
data subject : level(S)[N]
param k  : real[S] ~ lognormal(0, 0.5)
param a            ~ lognormal(1, 0.5)
param z0 : real[S] ~ lognormal(0, 0.5)
`

// solutions are differential equations beside their solutions in closed form.
var solutions = []struct{ name, equation, closed string }{
	{"decay", "fn f(t, z, k) = -k * z\nlet z = ode(f, z0[1], y, k[1], t0 = -1.5)\ntime ~ normal(z, 0.3)",
		"time ~ normal(z0[1] * exp(-k[1] * (y + 1.5)), 0.3)"},
	{"groups", "fn f(t, z, k) = -k * z\nlet z = ode(f, z0[subject], time, k[subject], by = subject)\ny ~ normal(z, 0.3)",
		"y ~ normal(z0[subject] .* exp(-k[subject] .* time), 0.3)"},
	{"absorption", "fn oral(t, z, a, k) = append(-a * z[1], a * z[1] - k * z[2])\n" +
		"let z = ode(oral, append(z0[subject], 0), time, a + 1, k[subject] / 4, by = subject)\ny ~ normal(z[:, 2], 0.3)",
		"let e = k[subject] / 4\ny ~ normal(z0[subject] .* (a + 1) ./ (a + 1 - e) .* (exp(-e .* time) - exp(-(a + 1) * " +
			"time)), 0.3)"},
	{"oscillator", "let A = [[0, 1], [-1, 0]]\nlet z = ode z[0] = append(a, k[1]), z'[t] = (z0[2] * A) * z[t] for t in time by s " +
		"in subject with (rel_tol = 1e-7)\ny ~ normal(z[:, 1] + z[:, 2], 0.3)",
		"let w = z0[2] * time\ny ~ normal(a * (cos(w) - sin(w)) + k[1] * (cos(w) + sin(w)), 0.3)"},
	{"forced", "fn f(t, z, a, k) = where(t > 0.6, a, a * t^k) - max(z, 0)\nlet z = ode(f, 0.5, time, 1, 1, by = subject)\n" +
		"y ~ normal(a * z, 0.3)",
		"let u = min(time, 0.6)\nlet at = u - 1 + 1.5 * exp(-u)\ny ~ normal(a * where(time > 0.6, 1 + (at - 1) .* exp(0.6 - time), at), 0.3)"},
}

// TestOdes compares the density of equations with that of their closed forms, to the tolerance of the
// solution, and gradients with finite differences.
func TestOdes(t *testing.T) {
	for _, c := range solutions {
		tables := map[string]string{"server": doses}
		if c.name == "decay" { // the times of one group increase
			tables["server"] = "subject,time,y\n1,1,-1.5\n2,2,-1\n3,1.5,-1\n1,0.3,2\n"
		}
		value := func(text string, gradient bool) float64 {
			plan := (fixture{Text: doseHead + text, Tables: tables}).Bind(t, check.Options{}).Plan
			if gradient {
				checkGradient(t, plan)
			}
			j := newJoint(t, plan, 0)
			for i := range j.theta[0] {
				j.theta[0][i] = 0.4 * math.Sin(float64(i+1))
			}
			return j.value(t)
		}
		got, want := value(c.equation, true), value(c.closed, false)
		if !(math.Abs(got-want) < 2e-5*math.Abs(want)) {
			t.Errorf("%s: %v, in closed form %v", c.name, got, want)
		}
	}
}

// TestOdesAcrossParties compares split models with the pooled one: an equation at a client, and one at the
// server with constants from a client.
func TestOdesAcrossParties(t *testing.T) {
	const head = `client a, b
data y : real[N] @ shared
data time : real<lower=0>[N] @ shared
data subject : level(S)[N] @ shared
data x : real[N] @ a from y
param q : real[S] ~ lognormal(0, 0.5) @ a
param c ~ normal(0, 1) @ b
param k ~ half_normal(1)
`
	f := fixture{Text: head + "fn f(t, z, k, q) = -k * z + q\nlet z = ode(f, k, time, k, q[subject], by = subject)\n" +
		"y ~ normal(z + c, 0.3)", Tables: map[string]string{"server": doses, "a": doses, "b": doses}}
	want := noiseFree(t, f, check.Options{Transform: stdlib.NoTransform})
	for _, k := range stdlib.Transforms() {
		if k.Name != "exact" {
			continue
		}
		o := check.Options{Accept: fewRows, Transform: k}
		if got := noiseFree(t, f, o); !(math.Abs(got-want) < 1e-12*math.Abs(want)) {
			t.Errorf("%s gives %v, the pooled model %v", k.Name, got, want)
		}
		checkGradient(t, f.Bind(t, o).Plan)
	}
	f.Text += "\ntransform augmented(rho = 0.2)"
	if diags := f.Diagnose(t, check.Options{}); !diags.HasErrors() || diags.Shown()[0].Code != diag.NoCut {
		t.Errorf("noise inside an equation: %v", diags)
	}
}

// TestBadTimes checks what only data show: times that decrease, or lie before the start.
func TestBadTimes(t *testing.T) {
	text := doseHead + "fn f(t, z, k) = -k * z\n"
	for _, c := range []struct{ call, want string }{
		{"let z = ode(f, 1, time, a)", "time is 0.2 in row 4, behind 0.7 in the row before"},
		{"let z = ode(f, 1, time, a, t0 = 0.25, by = subject)", "time is 0 in row 1, before 0.25, where the equation begins"},
	} {
		f := fixture{Text: text + c.call + "\ny ~ normal(z, 1)", Tables: map[string]string{"server": doses}}
		if d := f.Refused(t); d.Code != diag.OdeTimes || d.Message != c.want {
			t.Errorf("%s: %s", d.Code, d.Message)
		}
	}
	f := fixture{Text: text + "let z = ode z[0] = 1, z'[t] = log_sum_exp(append(z[t], a)) for t in time by s in subject\n" +
		"y ~ normal(z, 1)", Tables: map[string]string{"server": doses}}
	if d := f.Refused(t); d.Code != diag.OdeReads {
		t.Errorf("%s: %s", d.Code, d.Message)
	}
	var _ compiletest.Fixture = f
}

// TestUnsolved has an equation without a solution: the density is not finite, and the cause is named.
func TestUnsolved(t *testing.T) {
	for _, c := range []struct{ equation, want string }{
		{"a * z[t]^2", "server: the differential equation z has no finite solution"},
		{"1e6 * a * (cos(t) - z[t])", "server: the differential equation z needs more than max_num_steps steps"},
	} {
		text := doseHead + fmt.Sprintf("let z = ode z[0] = 1, z'[t] = %s for t in time by s in subject\ny ~ normal(z, 1)",
			c.equation)
		f := fixture{Text: text, Tables: map[string]string{"server": doses}}
		j := newJoint(t, f.Bind(t, check.Options{}).Plan, 0)
		if v := j.value(t); !math.IsNaN(v) && !math.IsInf(v, -1) || j.env.Cause().String() != c.want {
			t.Errorf("%s: density %v, %s", c.equation, v, j.env.Cause())
		}
	}
}
