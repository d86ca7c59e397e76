package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// categories is a regression on two covariates of each of two clients, with one of these distributions, and
// its tables: for unordered categories with coefficients for each, for ordered ones with cutpoints at the
// server.
func categories(dist string, n int) (text string, files map[string]string) {
	r := rand.New(rand.NewPCG(83, 84))
	cutpoints := map[string][]float64{"ordered_logistic": {-2, -0.7, 0.2, 0.9, 2},
		"ordered_probit": {-0.6, 0.8}}[dist]
	a1, a2, b1, b2, y := normal(r, n), normal(r, n), normal(r, n), normal(r, n), make([]float64, n)
	for i := range y {
		eta := a1[i] - 0.5*a2[i] + 0.7*b1[i]
		latent := eta + r.NormFloat64()
		if dist == "ordered_logistic" {
			latent = eta + logistic(r)
		}
		y[i] = 1
		for _, c := range cutpoints {
			if latent > c {
				y[i]++
			}
		}
		if len(cutpoints) == 0 {
			best := math.Inf(-1)
			for k, v := range []float64{eta, -0.6 * eta, 0.8*b2[i] + 0.3, 0} {
				if g := v - math.Log(r.ExpFloat64()); g > best {
					best, y[i] = g, float64(k+1)
				}
			}
		}
	}
	text = "client a, b\ndata XA : real[N, P] @ a\ndata XB : real[N, Q] @ b\n"
	if len(cutpoints) == 0 {
		text += "data y : level(4)[N]\nparam c : real[4] ~ normal(0, 1)\nparam ba : real[P, 4] ~ normal(0, " +
			"1) @ a\nparam bb : real[Q, 4] ~ normal(0, 1) @ b\n" +
			"y ~ categorical_logit(row(c) + XA * ba + XB * bb)\n"
	} else {
		text += fmt.Sprintf("data y : level(%d)[N]\nparam c : ordered[%d] ~ normal(0, 3)\nparam ba : "+
			"real[P] ~ normal(0, 1) @ a\nparam bb : real[Q] ~ normal(0, 1) @ b\n"+
			"y ~ %s(XA * ba + XB * bb, c)\n", len(cutpoints)+1, len(cutpoints), dist)
	}
	return text, map[string]string{"server.csv": csv("y", y), "a.csv": csv("a1,a2", a1, a2),
		"b.csv": csv("b1,b2", b1, b2)}
}

// resultOf is the result of a fit.
func resultOf(t *testing.T, text string, files map[string]string, transform def.Transform, name string,
	given map[string]string) *Result {
	t.Helper()
	p, diags, err := OpenBound(bindFiles(t, text, transform, 0.2, files),
		Options{Algorithm: backend(t, name), Settings: given, Seed: 3})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// agree compares summaries up to these bounds, means in standard deviations, and four standard errors of
// both.
func agree(t *testing.T, of string, got, want []posterior.SummaryRow, shift, width float64) {
	t.Helper()
	for _, w := range want {
		i := slices.IndexFunc(got, func(r posterior.SummaryRow) bool { return r.Name == w.Name })
		if i < 0 {
			t.Fatalf("%s: no %s", of, w.Name)
		}
		g, sd := got[i], float64(w.SD)
		if d := math.Abs(float64(g.Mean-w.Mean)) / sd; !(d < shift+4*math.Hypot(float64(g.MCSE),
			float64(w.MCSE))/sd) {
			t.Errorf("%s: mean of %s is %.3f, %.3f standard deviations from %.3f", of, w.Name, g.Mean, d,
				w.Mean)
		}
		noise := 4 * math.Sqrt(0.5/float64(g.ESSBulk)+0.5/float64(w.ESSBulk))
		if q := float64(g.SD) / sd; !(math.Abs(q-1) < width+noise) {
			t.Errorf("%s: sd of %s is %.3f, want %.3f", of, w.Name, g.SD, w.SD)
		}
	}
}

// Responses of unordered and of ordered categories are fitted by the joint Gaussian in about ten round trips,
// whose corrected draws have the means and standard deviations of the no-U-turn sampler on the pooled data.
func TestCategoriesByTheJointGaussian(t *testing.T) {
	t.Parallel()
	for dist, trips := range map[string]int64{"categorical_logit": 13, "ordered_logistic": 12,
		"ordered_probit": 12} {
		text, files := categories(dist, 300)
		got := resultOf(t, text, files, stdlib.Exact, "sfvi", nil)
		if d := got.Document; d.Work.Sequential > trips || !d.Diagnostics.Corrected ||
			float64(d.Diagnostics.Khat) > 0.5 {
			t.Errorf("%s: %d round trips, corrected %t, k̂ %.2f", dist, d.Work.Sequential,
				d.Diagnostics.Corrected, d.Diagnostics.Khat)
		}
		want := resultOf(t, text, files, stdlib.NoTransform, "nuts",
			map[string]string{"draws": "4000", "chains": "2"})
		agree(t, dist, got.Summary(), want.Summary(), 0.02, 0.02)
	}
}

// Two categories are a logistic regression: as softmax of a predictor and 0, with two predictors a row, and
// as one cutpoint, which is minus the intercept. The posteriors are the same ones, also where covariates are
// far from 0, so that cutpoint and slopes are strongly correlated.
func TestTwoCategoriesAreALogisticRegression(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(85, 86))
	const n = 200
	x, z, y, level := normal(r, n), normal(r, n), make([]float64, n), make([]float64, n)
	for i := range y {
		x[i] += 3
		if 0.8*(x[i]-3)-0.5*z[i]+logistic(r) > 0 {
			y[i] = 1
		}
		level[i] = 1 + y[i]
	}
	const head = "client a, b\ndata x : real[N] @ a\ndata z : real[N] @ b\nparam u ~ normal(0, 1) @ " +
		"a\nparam v ~ normal(0, 1) @ b\n"
	files := func(y []float64) map[string]string {
		return map[string]string{"server.csv": csv("y", y), "a.csv": csv("x", x), "b.csv": csv("z", z)}
	}
	want := resultOf(t,
		head+"data y : binary[N]\nparam c ~ normal(0, 5)\ny ~ bernoulli_logit(x * u + z * v - c)\n", files(y),
		stdlib.Exact, "sfvi", nil)
	for of, text := range map[string]string{
		"cutpoint": "data y : level(2)[N]\nparam c : ordered[1] ~ normal(0, 5)\ny ~ " +
			"ordered_logistic(x * u + z * v, c)\n",
		"softmax": "data y : level(2)[N]\nparam c ~ normal(0, 5)\ny ~ categorical_logit(outer(x * u, [0, " +
			"1]) + outer(z * v, [0, 1]) - c * row([0, 1]))\n",
	} {
		got := resultOf(t, head+text, files(level), stdlib.Exact, "sfvi", nil)
		rows := got.Summary()
		for i := range rows {
			rows[i].Name = strings.TrimSuffix(rows[i].Name, "[1]")
		}
		if !got.Document.Diagnostics.Corrected {
			t.Errorf("%s: not corrected", of)
		}
		agree(t, of, rows, want.Summary(), 0, 0)
	}
}

// Under augmented several predictors a row are refused by quadrature, and auto says why; cutpoints are not.
func TestNoiseOfSeveralPredictors(t *testing.T) {
	for dist, want := range map[string]string{"categorical_logit": "a row of it sees 4 predictors",
		"ordered_probit": ""} {
		text, files := categories(dist, 60)
		a, b := backend(t, "sfvi"), bindFiles(t, text, stdlib.Augmented, 0.2, files)
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		settings, err := a.Resolve(stdlib.Augmented, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, why, _ := Chosen(a, settings, env.Blocks())
		if !strings.Contains(why, want) ||
			(want == "") != strings.Contains(why, "integrated by quadrature, with") {
			t.Errorf("%s: %s", dist, why)
		}
	}
}
