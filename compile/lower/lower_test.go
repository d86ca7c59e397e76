package lower_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

type fixture = compiletest.Fixture

// fixed evaluates at given noise: z = g + rho·e with e held fixed.
type fixed struct{ e [][]float64 }

func (c fixed) Value(b int, g, z []float64) {
	for i := range g {
		z[i] = g[i] + c.e[b][i]
	}
}

func (c fixed) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// joint evaluates the joint density of a plan at a point drawn from seed, with its gradient.
type joint struct {
	env   density.Env
	theta [][]float64
	grad  [][]float64
	lp    []float64
	c     fixed
}

func newJoint(t *testing.T, plan *model.Plan, scale float64) *joint {
	t.Helper()
	env, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	j := &joint{env: env, lp: make([]float64, len(env.Blocks()))}
	for _, b := range env.Blocks() {
		theta, e := make([]float64, b.Dim()), make([]float64, b.AuxLen())
		for i := range theta {
			theta[i] = r.NormFloat64() * 0.5
		}
		for i := range e {
			e[i] = scale * r.NormFloat64()
		}
		j.theta, j.grad, j.c.e = append(j.theta, theta), append(j.grad, make([]float64, b.Dim())),
			append(j.c.e, e)
	}
	return j
}

func (j *joint) value(t *testing.T) float64 {
	t.Helper()
	if err := j.env.Density(context.Background(), j.theta, j.c, j.grad, j.lp); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range j.lp {
		sum += v
	}
	return sum
}

// checkGradient compares the gradient with central differences of the joint density.
func checkGradient(t *testing.T, plan *model.Plan) {
	t.Helper()
	j := newJoint(t, plan, 0.3)
	if v := j.value(t); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("density %v: %s", v, j.env.Cause())
	}
	for b := range j.theta {
		j.value(t)
		want := append([]float64(nil), j.grad[b]...)
		for i := range j.theta[b] {
			x, h := j.theta[b][i], 1e-5
			j.theta[b][i] = x + h
			up := j.value(t)
			j.theta[b][i] = x - h
			down := j.value(t)
			j.theta[b][i] = x
			if got := (up - down) / (2 * h); math.Abs(got-want[i]) > 1e-5*(1+math.Abs(got)) {
				t.Errorf("%s: gradient %d is %v, finite differences give %v", j.env.Blocks()[b].Party(), i,
					want[i], got)
			}
		}
	}
}

func table(seed uint64, n int, columns ...string) string {
	r := rand.New(rand.NewPCG(seed, 7))
	text := "id"
	for _, c := range columns {
		text += "," + c
	}
	for i := range n {
		text += fmt.Sprintf("\nr%03d", i)
		for _, c := range columns {
			switch c[0] {
			case 'y':
				text += fmt.Sprint(",", r.IntN(2))
			case 'c':
				text += fmt.Sprint(",", r.IntN(6))
			case 'g':
				text += fmt.Sprint(",", 1+(i%3))
			case 'm': // every third is missing
				if text += ","; i%3 > 0 {
					text += fmt.Sprintf("%.4f", r.NormFloat64())
				}
			case 'p':
				text += fmt.Sprintf(",%.4f", 1+r.Float64())
			default:
				text += fmt.Sprintf(",%.4f", r.NormFloat64())
			}
		}
	}
	return text + "\n"
}

var logistic = fixture{
	Text: `server registry
client a, b
data y : binary[N] @ shared
data XA : real[N, PA] @ a
data XB : real[N, PB] @ b
param m ~ normal(0, 1)
param u : real[PA] ~ normal(0, 1) @ a
param v : real[PB] ~ normal(0, 1) @ b
y ~ bernoulli_logit(m + XA * u + XB * v)
transform augmented(rho = 1)`,
	Tables: map[string]string{"registry": table(1, 40, "y"), "a": table(2, 40, "x1", "x2"),
		"b": table(3, 40, "x3")},
}

var family = fixture{
	Text: `client lab[J]
data y : binary[N] @ shared
data X : real[N, P] @ lab
param m ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1) @ lab
y ~ bernoulli_logit(m + sum(X[j] * beta[j] for j in lab))`,
	Tables: map[string]string{"server": table(1, 40, "y"), "lab/1": table(2, 40, "x1", "x2"),
		"lab/2": table(3, 40, "x3"), "lab/3": table(4, 40, "x4", "x5")},
	Family: map[string]int{"lab": 3},
}

var poisson = fixture{
	Text: `client health, census
data y          : count[N]            @ shared
data pop        : real<lower=0>[N]    @ shared
data g          : level(R)[N]         @ shared
data XA : real[N, KA] @ health
data XB : real[N, KB] @ census
param b                  ~ normal(0, 1)
param mu_a  : real[KA]   ~ normal(0, 1)        @ health
param tau_a : real[KA]   ~ half_normal(1)      @ health
param slope_a : real[R, KA] ~ normal(mu_a, tau_a) noncentered @ health
param mu_b  : real[KB]   ~ normal(0, 1)        @ census
param tau_b : real[KB]   ~ half_normal(1)      @ census
param slope_b : real[R, KB] ~ normal(mu_b, tau_b) @ census
y ~ poisson_log(b + log(pop) + rowdot(XA, slope_a[g]) + rowdot(XB, slope_b[g]))`,
	Tables: map[string]string{"server": table(1, 30, "y", "pop", "g"), "health": table(2, 30, "x1", "x2"),
		"census": table(3, 30, "x3", "x4")},
}

// shared has parameters of every class: read by the likelihood, by a client's prior, and inside a cut.
var shared = fixture{
	Text: `client a, b
data y : real[N] @ shared
data XA : real[N, PA] @ a
data XB : real[N, PB] @ b
param sigma ~ half_normal(1)
param tau ~ half_normal(1) @ shared
param scale ~ half_normal(1) @ shared
param m ~ normal(0, tau)
param u : real[PA] ~ normal(0, tau) @ a
param v : real[PB] ~ normal(0, tau) noncentered @ b
y ~ normal(m + scale * (XA * u) + XB * v, sigma)`,
	Tables: map[string]string{"server": table(1, 25, "y"), "a": table(2, 25, "x1", "x2"),
		"b": table(3, 25, "x3")},
}

var separate = fixture{
	Text: `client a, b
data y : real[N]
data XA : real[N, PA] @ a
data XB : real[N, PB] @ b
param sigma ~ half_normal(1)
param u : real[PA] ~ normal(0, 1) @ a
param v : real[PB] ~ normal(0, 1) @ b
y ~ normal(XA * u + XB * v + (XA * u) .* (XB * v), sigma)`,
	Tables: shared.Tables,
}

// own has likelihoods that a client, or each member of a family, evaluates alone, and two cuts of one client
// in one statement.
var own = fixture{
	Text: `client a, lab[J]
data y : real[N] @ shared
data w : real<lower=0>[N] @ shared from pos
data XA : real[N, P] @ a from x1, x2
data mark : count[N] @ a from c1
data W : real[N, Q] @ lab from *
data extra : real[N] @ lab
param m ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, 1) @ a
param spread : real[P] ~ normal(0, 0.2) @ a
param rate ~ gamma(2, 1) @ a
param v : real[Q] ~ student_t(4, 0, 1) @ lab
param s ~ half_student_t(3, 2) @ lab
let part = W * v @ lab
mark ~ poisson(rate)
extra ~ laplace(m, s)
y ~ normal(m + XA * u + sum(part[j] for j in lab), exp(XA * spread)) weights w`,
	Tables: map[string]string{
		"server": table(1, 20, "y", "pos"), "a": table(2, 20, "x1", "x2", "c1"),
		"lab/1": table(3, 20, "extra", "x4", "x5"), "lab/2": table(4, 20, "extra", "x6"),
	},
	Family: map[string]int{"lab": 2},
}

// counted has a size that the server declares and a client indexes by, and one of a client's own.
var counted = fixture{
	Text: `client a
data y : real[N] @ shared
data K : int
data n : int @ a
data X : real[N, P] @ a
param m ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ a
param l : real[5] ~ normal(0, 1) @ a
y ~ normal(m + X * u + l[K] + sum(l[1:n]), 1)`,
	Tables: map[string]string{"server": `{"y": [0.5, 1, -1], "K": 3}`,
		"a": `{"X": [[1, 2], [0, 1], [1, 1]], "n": 2}`},
}

// everything uses the functions and operators that the others do not.
var everything = fixture{
	Text: `const half = 0.5
data y : real[N] from ynot
data x1 : real[N]
data g : level(G)[N]
data c1 : count[N]
data X : real[N, P] from x1, x2, x3
param a : real[P] ~ laplace(0, 1)
param A : real[P, P] ~ cauchy(0, 2)
param level : real[G] ~ normal(0, half) noncentered
param table : real[G, P] ~ normal(0, 1)
param p ~ beta(2, 3)
param w : real<lower=-1, upper=2> ~ uniform(-3, 1)
param k : real<upper=1> ~ normal(0, 1)
param s ~ inv_gamma(3, 2)
let M = X * A
let eta = M * a + level[g] + rowdot(X, table[g]) + cumulative_sum(x1) / N
y ~ student_t(4, eta + mean(a) + sd(A[:, 1]) + dot(a, A[2, :]), s)
exp(y[2:N]) ~ lognormal(eta[2:N] - y[1:N-1], 2)
c1 ~ neg_binomial_2_log(tanh(eta), exp(w))
c1 ~ binomial_logit(c1, softplus(k) + where(x1 > 0 && g == 2, 1, -p) .* relu(x1))
square(y - mean(y)) ~ exponential(inv_logit(p) + square(k) + abs(w))
sum(y) ~ normal(sum(col_means(X) .* a) + sum(X' * col(y)) * half ^ p, 100)`,
	Tables: map[string]string{"server": table(1, 23, "ynot", "x1", "x2", "x3", "g", "c1")},
}

// fewRows accepts what tables as short as these reveal of their rows.
var fewRows = diag.Accepted(diag.AcceptanceNames())

func TestGradients(t *testing.T) {
	for name, f := range map[string]fixture{"logistic": logistic, "family": family, "poisson": poisson,
		"shared": shared, "own": own, "counted": counted} {
		for _, kind := range stdlib.Transforms() {
			t.Run(name+"/"+kind.Name, func(t *testing.T) {
				checkGradient(t, f.Bind(t, check.Options{Transform: kind, Accept: fewRows}).Plan)
			})
		}
	}
	t.Run("everything", func(t *testing.T) { checkGradient(t, everything.Bind(t, check.Options{}).Plan) })
	t.Run("separate", func(t *testing.T) { checkGradient(t, separate.Bind(t, check.Options{}).Plan) })
}

// TestNoiseFree: with z equal to its cut every transform is the true model, whoever evaluates what.
func TestNoiseFree(t *testing.T) {
	for name, f := range map[string]fixture{"logistic": logistic, "family": family, "poisson": poisson,
		"shared": shared, "own": own, "counted": counted} {
		want := 0.0
		for i, kind := range stdlib.Transforms() {
			j := newJoint(t, f.Bind(t, check.Options{Transform: kind, Accept: fewRows}).Plan, 0)
			for b := range j.theta {
				for k := range j.theta[b] {
					j.theta[b][k] = 0.25
				}
			}
			got := j.value(t)
			if i == 0 {
				want = got
			}
			if math.Abs(got-want) > 1e-11*math.Abs(want) {
				t.Errorf("%s: %s gives %v, the true model %v", name, kind, got, want)
			}
		}
	}
}

// A party is hierarchical where one of its priors depends on a parameter, its own or one that it receives;
// data and constants do not count.
func TestHierarchical(t *testing.T) {
	for _, c := range []struct {
		name string
		f    fixture
		want map[string]bool
	}{
		{"logistic", logistic, map[string]bool{}},
		{"everything", everything, map[string]bool{}},
		{"shared", shared, map[string]bool{"server": true, "a": true, "b": true}},
	} {
		for _, spec := range c.f.Bind(t, check.Options{}).Plan.Parties {
			if got := spec.Hierarchical; got != c.want[spec.Party] {
				t.Errorf("%s: %s: hierarchical %v", c.name, spec.Party, got)
			}
		}
	}
}

// A likelihood that adds up components is a mixture: by its name, also truncated, by a discrete parameter,
// and by functions that add up densities. One of a single distribution is none, and neither is a prior.
func TestMixture(t *testing.T) {
	const names = "data y : real[N]\nparam a : real[2] ~ normal(0, 5)\n"
	const two = "mixture(0.3, normal(a[1], 1), normal(a[2], 2))"
	for text, want := range map[string]bool{
		"y ~ " + two:                         true,
		"y ~ " + two + " truncate(lower=-9)": true,
		"param k : level(2)[N] ~ categorical([0.3, 0.7])\ny ~ normal(a[k], 1)":            true,
		"factor log_mix(0.3, normal_lpdf(y, a[1], 1), normal_lpdf(y, a[2], 2))":           true,
		"let l = log_sum_exp(normal_lpdf(y, a[1], 1), normal_lpdf(y, a[2], 2))\nfactor l": true,
		"let l = [normal_lpdf(y, a[k], 1) for k in 1..2]\n" +
			"factor hmm_marginal(l, [[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5])": true,
		"y ~ normal(a[1], 1)":                                                  false,
		"y ~ normal(a[1], 1) truncate(lower=-9)":                               false,
		"param b ~ mixture(0.3, normal(0, 1), normal(0, 9))\ny ~ normal(b, 1)": false,
	} {
		f := fixture{Text: names + text, Tables: map[string]string{"server": table(1, 20, "y")}}
		if got := f.Bind(t, check.Options{}).Plan.Parties[0].Mixture; got != want {
			t.Errorf("%s: a mixture %v", text, got)
		}
	}
}

// A location interpolates where it has as many parameters as there are values of one scale, which depends on
// parameters: a number, one of each column, or one of each value.
func TestInterpolates(t *testing.T) {
	const names = "data Y : real[N, 3]\ndata y : real[N]\ndata g : level(G)[N]\nparam a ~ normal(0, 5)\n" +
		"param s ~ half_normal(1)\nparam c : real[3] ~ half_normal(1)\nparam f : real[N] ~ normal(0, 1)\n" +
		"param u : real[G] ~ normal(a, s)\n"
	for text, want := range map[string]bool{
		"y ~ normal(a + f, s)":                        true,
		"y ~ student_t(4, exp(f), s)":                 true,
		"Y ~ normal(outer(f, c), row(c))":             true,
		"Y ~ normal(outer(f, c), s)":                  false,
		"y ~ normal(f, 1)":                            false,
		"y ~ normal(exp(u[g]), s)":                    false,
		"y ~ normal(f, s * exp(u[g]))":                true,
		"y ~ normal(a, s * exp(f))":                   false,
		"y ~ normal(f, exp(y))":                       false,
		"let z = cumulative_sum(f)\ny ~ normal(z, s)": true,
	} {
		f := fixture{Text: names + text, Tables: map[string]string{"server": "Y.1,Y.2,Y.3,y,g\n" +
			"1,2,3,0.3,1\n1,2,3,-0.2,2\n2,2,3,0.5,1\n1,4,3,1,2\n1,2,5,0,1\n"}}
		if got := f.Bind(t, check.Options{}).Plan.Parties[0].Interpolates; got != want {
			t.Errorf("%s: interpolates %v", text, got)
		}
	}
}

// The location of a likelihood bends where parameters go through a function or divide; not by products,
// bounds, lookups and recursions, nor where only another argument is curved. Effects are standardised where
// their location and scale are all that their prior has.
func TestBends(t *testing.T) {
	const names = "data y : real<lower=0>[N]\ndata g : level(G)[N]\nparam a ~ normal(0, 5)\n" +
		"param b ~ normal(0, 5)\nparam s ~ half_normal(1)\nparam u : real[G] ~ normal(a, s)\n"
	for text, want := range map[string]bool{
		"y ~ normal(exp(a) + b, 1)":                           true,
		"y ~ normal(b / (a + 2), 1)":                          true,
		"let z = y + 1\nz ~ lognormal(log(1 + exp(u)[g]), s)": true,
		"y ~ student_t(4, inv_logit(u[g]), s)":                true,
		"y ~ normal(a + s * b * u[g] / 3, s)":                 false,
		"y ~ normal(a, exp(b))":                               false,
		"let z = y + 1\nz ~ lognormal(a + u[g], s)":           false,
		"let z = y + 1\nz ~ gamma(2, exp(a))":                 false,
		"let m : real[N] = recur m[1] = a, m[t] = b * m[t - 1] for t in 2..N\ny ~ normal(m, 1)": false,
	} {
		f := fixture{Text: names + text, Tables: map[string]string{"server": table(1, 20, "y", "g")}}
		if spec := f.Bind(t, check.Options{}).Plan.Parties[0]; spec.Bends != want || !spec.Standardises {
			t.Errorf("%s: bends %v, standardises %v", text, spec.Bends, spec.Standardises)
		}
	}
	f := fixture{Text: names + "param v : real[G] ~ gamma(2, s)\ny ~ normal(v[g], 1)",
		Tables: map[string]string{"server": table(1, 20, "y", "g")}}
	if f.Bind(t, check.Options{}).Plan.Parties[0].Standardises {
		t.Error("gamma effects have no standard form")
	}
}
