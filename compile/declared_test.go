package compile_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
)

// twins are declarations of distributions that are built in.
var twins = map[string]string{
	"laplace": `(y | mu, s : real<lower=0>) {
    let u = (y - mu) / s
    log = -abs(u) - log(2 * s)
    cdf = where(u < 0, exp(u) / 2, 1 - exp(-u) / 2)
    ccdf = where(u < 0, 1 - exp(u) / 2, exp(-u) / 2)
    mean = mu
    generate e ~ exponential(1)
    generate w ~ bernoulli(0.5)
    generate y = mu + s * where(w == 1, e, -e)
}`,
	"weibull": `(y : real<lower=0> | k : real<lower=0>, s : real<lower=0>) {
    log = log(k) - log(s) + (k - 1) * (log(y) - log(s)) - pow(y / s, k)
    ccdf = exp(-pow(y / s, k))
    generate u ~ uniform(0, 1)
    generate y = s * pow(-log(u), 1 / k)
}`,
	"poisson": `(y : count | m : real<lower=0>) {
    log = y * log(m) - m - lgamma(y + 1)
    mean = m
    generate y ~ poisson(m)
}`,
	"bernoulli": `(y : binary | p : real<lower=0, upper=1>) = where(y == 1, log(p), log1m(p))`,
	"pareto":    `(y : real<lower=2> | a : real<lower=0>) = log(a) + a * log(2) - (a + 1) * log(y)`,
	"beta": `(y : real<lower=0, upper=1> | a : real<lower=0>, b : real<lower=0>) = lgamma(a + b) - lgamma(a) -
    lgamma(b) + (a - 1) * log(y) + (b - 1) * log1m(y)`,
	"skew_normal": `(y | m, s : real<lower=0>, a) {
    let u = (y - m) / s
    log = log_sum_exp(0, -700) + max(log(2), -1) - log(s) - u^2 / 2 - log(2 * pi()) / 2 + log_Phi(a * u)
}`,
	"student_t": `(y | nu : real<lower=0>, m, s : real<lower=0>) {
    let c = lgamma((nu + 1) / 2) - lgamma(nu / 2) - log(nu * pi()) / 2 - log(s)
    log = c - (nu + 1) / 2 * log1p(((y - m) / s)^2 / nu)
}`,
}

// rows are a block of values, some of them outside the domain, with arguments of their own.
func rows(d *def.Dist, twin string, n int) (b *def.Batch) {
	r := rand.New(rand.NewPCG(3, uint64(len(twin))))
	b = &def.Batch{N: n, LP: make([]float64, n), DX: make([]float64, n)}
	x := make([]float64, n)
	for i := range x {
		switch x[i] = 4 * (r.Float64() - 0.3); {
		case d.Discrete:
			x[i] = math.Floor(x[i])
		case twin == "pareto":
			x[i] += 2
		case twin == "beta":
			x[i] /= 3
		}
	}
	b.X = def.Vector(x)
	for range d.Params {
		theta := make([]float64, n)
		for i := range theta {
			theta[i] = 0.1 + 0.8*r.Float64()
		}
		b.Theta, b.DTheta = append(b.Theta, def.Vector(theta)), append(b.DTheta, make([]float64, n))
	}
	return b
}

// A declaration of a distribution that is built in is that distribution: density, distribution function and
// all partials, inside the domain and outside.
func TestDeclarationsOfBuiltInDistributions(t *testing.T) {
	for twin, body := range twins {
		t.Run(twin, func(t *testing.T) {
			m := compiletest.Compile(t, "dist mine"+body+"\nparam m ~ normal(0, 1)\n", check.Options{})
			mine, _ := m.Checked.Universe.Dist("mine")
			d, _ := m.Universe.Dist(twin)
			got, want := rows(mine, twin, 200), rows(mine, twin, 200)
			if twin == "pareto" {
				want.Theta, want.DTheta = append([]def.BlockArg{def.Scalar(2)}, want.Theta...),
					append([][]float64{nil}, want.DTheta...)
			}
			mine.LogDensity(got)
			d.LogDensity(want)
			if d.Carrier != nil {
				for i := range want.N {
					want.LP[i] += d.Carrier(want.X.At(i), []float64{want.Theta[0].At(i)})
				}
			}
			same(t, "density", got, want)
			if mine.LogCDF == nil {
				return
			}
			mine.LogCDF(got)
			d.LogCDF(want)
			same(t, "lcdf", got, want)
			mine.LogCCDF(got)
			d.LogCCDF(want)
			same(t, "lccdf", got, want)
			if math.IsInf(got.LP[0], -1) {
				t.Error("no row has a probability")
			}
			got.Theta[1] = def.Scalar(-1)
			if v := mine.LogCDF(got); !math.IsNaN(v) {
				t.Errorf("outside the domain of an argument the lcdf is %v", v)
			}
			if v := mine.LogDensity(got); !math.IsInf(v, -1) {
				t.Errorf("outside the domain of an argument the density is %v", v)
			}
		})
	}
}

// same compares the rows of two results: where the value is -∞ the partials are none.
func same(t *testing.T, what string, got, want *def.Batch) {
	t.Helper()
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	last := len(want.DTheta) - len(got.DTheta)
	for i := range got.N {
		if !near(got.LP[i], want.LP[i]) {
			t.Errorf("%s of row %d, at %v: %v, want %v", what, i, got.X.At(i), got.LP[i], want.LP[i])
		}
		if math.IsInf(want.LP[i], -1) {
			continue
		}
		if !near(got.DX[i], want.DX[i]) {
			t.Errorf("%s of row %d, at %v: the slope is %v, want %v", what, i, got.X.At(i), got.DX[i],
				want.DX[i])
		}
		for k, d := range got.DTheta {
			if w := want.DTheta[last+k][i]; !near(d[i], w) {
				t.Errorf("%s of row %d, at %v: the partial %d is %v, want %v", what, i, got.X.At(i), k, d[i], w)
			}
		}
	}
}

// A module's distribution is called by the name of the module. What is wrong in it is reported there.
func TestDistributionsOfModules(t *testing.T) {
	const module = `const half = 0.5
fn scaled(y, m, s) = (y - m) / s
dist tilted(y | mu, s : real<lower=0>) = log(half) - log(s) - abs(scaled(y, mu, s))
`
	const model = `import "./mine.vfl"
data y : real[N]
param m ~ mine.tilted(0, 1)
y ~ mixture(0.5, mine.tilted(m, 1), normal(0, 1))
factor mine.tilted_lpdf(m | 0, 1)
`
	compiled := func(module string) (*compile.Model, string) {
		m, diags := compile.Compile(source.New("m.vfl", model),
			check.Options{Import: func(string) (string, error) { return module, nil }})
		for _, d := range diags.Shown() {
			return m, d.File.Name + ": " + d.Message
		}
		return m, ""
	}
	m, message := compiled(module)
	if message != "" {
		t.Fatal(message)
	}
	mine, _ := m.Checked.Universe.Dist("mine.tilted")
	laplace, _ := m.Universe.Dist("laplace")
	got, want := rows(mine, "mine", 20), rows(laplace, "mine", 20)
	mine.LogDensity(got)
	laplace.LogDensity(want)
	same(t, "density", got, want)
	if _, message = compiled(strings.Replace(module, "y, mu, s))", "y, nu, s))", 1)); !strings.HasPrefix(
		message, "mine.vfl: mine.tilted sees y, mu, s, ") || !strings.Contains(message, "nu is neither") {
		t.Error(message)
	}
	if _, message = compiled("dist other(y | mu) = -abs(y - mu) - log(2)\n"); !strings.HasSuffix(
		message, "has no function tilted") {
		t.Error(message)
	}
}
