package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/transforms"
)

// overWire is the summary of a run of the model on a wire, and the line below it.
func overWire(t *testing.T, b *compile.Bound, settings map[string]string) ([]posterior.Row, string) {
	t.Helper()
	a := backend(t, "sfvi")
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: settings, ring: 11})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary(), r.Footer()
}

// regress draws a response of two clients with some columns each, and binds a model of it: the likelihood has
// the predictor for %s, and the exposure e.
func regress(t *testing.T, rows, columns int, kind, likelihood string, response func(r *rand.Rand, eta, exposure float64) float64) *compile.Bound {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 2))
	y, a, b := []string{"id,y,e"}, []string{"id"}, []string{"id"}
	for j := range columns {
		for _, table := range [][]string{a, b} {
			table[0] += fmt.Sprintf(",x%d", j+1)
		}
	}
	for i := range rows {
		common, eta := r.NormFloat64(), 0.3
		for _, table := range []*[]string{&a, &b} {
			line := fmt.Sprint(i)
			for j := range columns {
				v := 0.5*common + r.NormFloat64()
				eta += float64(j-1) * 0.3 * v
				line += fmt.Sprintf(",%.4f", v)
			}
			*table = append(*table, line)
		}
		e := 0.5 + r.Float64()
		y = append(y, fmt.Sprintf("%d,%v,%.4f", i, response(r, eta, e), e))
	}
	text := fmt.Sprintf("client left, right\ndata y : %s[N]\ndata e : real<lower=0>[N]\ndata X : real[N, P] @ left\ndata Z : real[N, Q] @ right\nparam b ~ normal(0, 5)\n"+
		"param u : real[P] ~ normal(0, 2.5) @ left\nparam v : real[Q] ~ normal(0, 2.5) @ right\n"+likelihood+"\n", kind, "b + X * u + Z * v")
	if strings.Contains(likelihood, "5000") {
		text = strings.NewReplacer("normal(0, 5)", "normal(0, 5000)", "normal(0, 2.5)", "normal(0, 2500)").Replace(text)
	}
	if !strings.Contains(likelihood, "(e)") {
		text = strings.Replace(text, "data e : real<lower=0>[N]\n", "", 1)
	}
	return bindFiles(t, text, transforms.Exact, 0, map[string]string{"server.csv": strings.Join(y, "\n") + "\n", "left.csv": strings.Join(a, "\n") + "\n", "right.csv": strings.Join(b, "\n") + "\n"})
}

// counts is a Poisson number.
func counts(r *rand.Rand, mean float64) (y float64) {
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		y++
	}
	return y
}

// A run over encrypted rows, in a ring that is small, gives the joint Gaussian of the plain wire: means within
// a 20th of its standard deviations, these within a tenth; it says below what is known, and how much noise
// there is.
func TestRunsOfEncryptedRows(t *testing.T) {
	const n = 4400
	binary := func(at float64, p func(float64) float64) func(r *rand.Rand, eta, _ float64) float64 {
		return func(r *rand.Rand, eta, _ float64) float64 { return indicator(r.Float64() < p(eta+at)) }
	}
	logit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	probit := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	gamma := func(r *rand.Rand, mean float64) float64 {
		return mean / 3 * (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64())
	}
	for name, c := range map[string]struct {
		kind, likelihood string
		response         func(r *rand.Rand, eta, exposure float64) float64
	}{
		"logistic":      {"binary", "y ~ bernoulli_logit(%s)", binary(-.3, logit)},
		"one in twenty": {"binary", "y ~ bernoulli_logit(%s)", binary(-4, logit)},
		"probit":        {"binary", "y ~ bernoulli_probit(%s)", binary(-1, probit)},
		"five trials": {"count", "y ~ binomial_logit(5, %s)", func(r *rand.Rand, eta, _ float64) (y float64) {
			for range 5 {
				y += indicator(r.Float64() < logit(eta-1))
			}
			return y
		}},
		"counts": {"count", "y ~ poisson_log(log(e) + %s)", func(r *rand.Rand, eta, e float64) float64 { return counts(r, e*math.Exp(eta)) }},
		"overdispersed": {"count", "y ~ neg_binomial_2_log(%s, 2)", func(r *rand.Rand, eta, _ float64) float64 {
			return counts(r, math.Exp(eta)*(r.ExpFloat64()+r.ExpFloat64())/2)
		}},
		"normal":                {"real", "y ~ normal(%s, 1.5)", func(r *rand.Rand, eta, _ float64) float64 { return eta + 1.5*r.NormFloat64() }},
		"normal, unknown scale": {"real", "param s ~ half_normal(5)\ny ~ normal(%s, s)", func(r *rand.Rand, eta, _ float64) float64 { return eta + 1.5*r.NormFloat64() }},
		"large units":           {"real", "param s ~ half_normal(5000)\ny ~ normal(%s, s)", func(r *rand.Rand, eta, _ float64) float64 { return 1000 * (eta + 1.5*r.NormFloat64()) }},
		"lognormal":             {"real<lower=0>", "param s ~ half_normal(5)\ny ~ lognormal(%s, s)", func(r *rand.Rand, eta, _ float64) float64 { return math.Exp(eta + 1.5*r.NormFloat64()) }},
		"gamma":                 {"real<lower=0>", "y ~ gamma(3, 3 ./ exp(%s))", func(r *rand.Rand, eta, _ float64) float64 { return gamma(r, math.Exp(eta)) }},
		"exponential":           {"real<lower=0>", "y ~ exponential(1 ./ exp(%s))", func(r *rand.Rand, eta, _ float64) float64 { return math.Exp(eta) * r.ExpFloat64() }},
	} {
		t.Run(name, func(t *testing.T) {
			b := regress(t, n, 2, c.kind, c.likelihood, c.response)
			want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
			got, line := overWire(t, b, map[string]string{"wire": "encrypted", "correct": "false"})
			off, most := 0.0, 0.0
			for i, w := range want {
				shift, wider := float64(got[i].Mean-w.Mean)/float64(w.SD), float64(got[i].SD/w.SD)-1
				if off, most = max(off, math.Abs(shift)), max(most, math.Abs(wider)); !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
					t.Errorf("%s is %.3f standard deviations off, its standard deviation by %.3f", w.Name, shift, wider)
				}
			}
			t.Logf("%.4f standard deviations, these by %.4f; %s", off, most, line)
			if !strings.Contains(line, "Encrypted rows, n = 4400: the party that learned most knows D = ") || !strings.Contains(line, "Decryption adds noise to a gradient, of ") {
				t.Error(line)
			}
		})
	}
}

// What does not go is refused with a code, and a way out: by name before keys are made, or where predictors
// take an interval that is too wide, before anything but bounds is known.
func TestRefusedEncryptedRows(t *testing.T) {
	one := func(r *rand.Rand, _, _ float64) float64 { return float64(1 + r.IntN(2)) }
	tailed := func(r *rand.Rand, eta, _ float64) float64 {
		return eta + r.NormFloat64()/math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
	}
	for name, c := range map[string]struct{ kind, likelihood, want string }{
		"long tails":     {"real", "y ~ student_t(4, %s, 1)", "has no polynomial of degree"},
		"trials by row":  {"count", "y ~ binomial_logit(y + 1, %s)", "differs by row"},
		"a moving phi":   {"count", "param s ~ half_normal(5)\ny ~ neg_binomial_2_log(%s, s)", "phi, of which the polynomials are made"},
		"a moving shape": {"real<lower=0>", "param s ~ half_normal(5)\ny ~ gamma(s, exp(%s))", "alpha, of which the polynomials are made"},
		"two functions":  {"real<lower=0>", "y ~ weibull(1.5, exp(1 + exp(%s)))", "through more than one function"},
		"wide exposure":  {"count", "y ~ poisson_log(20 * log(e) + 0 * (e) + %s)", "is beyond the modulus"},
	} {
		t.Run(name, func(t *testing.T) {
			response := one
			if c.kind == "real" {
				response = tailed
			}
			b := regress(t, 4400, 2, c.kind, c.likelihood, response)
			p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, ring: 11})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, diags)
			}
			_, err = p.Sample(t.Context(), nil)
			var list data.Errors
			if !errors.As(err, &list) || list[0].Code != diag.NotEncrypted || !strings.Contains(list[0].Message, c.want) || len(list[0].Notes) == 0 {
				t.Errorf("%T %v", err, err)
			}
		})
	}
}
