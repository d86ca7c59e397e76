package suitable_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/diagtest"
)

func runMaximum(f *source.File) diag.List {
	m, diags := compile.Compile(f, check.Options{})
	if diags.HasErrors() {
		return diags
	}
	return suitable.ToMaximise(m.Cuts)
}

func TestMaximumPages(t *testing.T) { diagtest.Pages(t, "V061", runMaximum) }

func TestMaximumGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/V061*.txtar", runMaximum)
	for _, code := range []diag.Code{diag.NoMaximum, diag.InfinitePrior, diag.NoAuxiliaries} {
		if !covered[code] {
			t.Errorf("no archive for %s", code)
		}
	}
}

// Refused and accepted models: one declaration and one likelihood added to a regression.
func TestScales(t *testing.T) {
	const head = "client a\ndata y : real[N] @ shared\ndata X : real[N, P] @ a\nparam beta : " +
		"real[P] ~ normal(0, 1) @ a\n"
	for _, c := range []struct {
		text string // augmented unless it has a transform statement
		want []diag.Code
	}{
		{"y ~ normal(X * beta, 2)\n", nil},
		{"param s ~ half_cauchy(1)\ny ~ student_t(4, X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s ~ exponential(1)\nlet v = s * 2\ny ~ laplace(X * beta, v)\n", []diag.Code{diag.NoMaximum}},
		{"param s ~ half_normal(1)\ny ~ lognormal(X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s : real<lower=0.1> ~ half_normal(1)\ny ~ normal(X * beta, s)\n", nil},
		{"param s ~ half_normal(1)\ny ~ normal(X * beta, s + 0.1)\n", nil},
		{"param s ~ lognormal(0, 1)\ny ~ normal(X * beta, s)\n", nil},
		{"param u ~ normal(0, 1)\ny ~ normal(X * beta, exp(u))\n", nil},
		// the client's m is integrated out
		{"param t ~ half_normal(1) @ shared\nparam m : real[P] ~ normal(0, t) @ a\ny ~ " +
			"normal(X * m + X * beta, 1)\n", nil},
		{"param t ~ half_normal(1)\nparam m : real[3] ~ normal(0, t)\ny ~ normal(X * beta + sum(m), 1)\n",
			[]diag.Code{diag.NoMaximum}},
		{"param t ~ half_normal(1)\nparam m : real[3] ~ normal(0, t) noncentered\ny ~ " +
			"normal(X * beta + sum(m), 1)\n", nil},
		// one client: no auxiliary variables
		{"param s ~ half_normal(1)\ny ~ normal(X * beta, s)\ntransform power(rho = 1)\n", nil},
		{"param s : real<lower=0> ~ normal(0, 1)\ny ~ normal(X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s : real<lower=0> ~ student_t(3, 0, 1)\ny ~ normal(X * beta, s)\n",
			[]diag.Code{diag.NoMaximum}},
		{"param s : real<lower=0.1> ~ normal(0, 1)\ny ~ normal(X * beta, s)\n", nil},
		{"param s ~ inv_gamma(3, 2)\ny ~ normal(X * beta, s)\n", nil},
		{"param s ~ gamma(2, 1)\ny ~ normal(X * beta, s)\n", []diag.Code{diag.NoMaximum}},
		{"param s ~ gamma(0.5, 1)\ny ~ normal(X * beta, s)\n",
			[]diag.Code{diag.NoMaximum, diag.InfinitePrior}},
		{"param s : real<lower=0.1> ~ gamma(0.5, 1)\ny ~ normal(X * beta, s)\n", nil},
		{"param u ~ student_t(3, 0, 1)\ny ~ normal(X * beta, exp(u))\n", []diag.Code{diag.NoMaximum}},
		{"param u ~ normal(0, 1)\ny ~ normal(X * beta, u^2)\n", []diag.Code{diag.NoMaximum}},
		{"param u ~ normal(0, 1)\ny ~ normal(X * beta, 1 / exp(-u))\n", nil},
		{"param precision ~ gamma(2, 1)\ny ~ normal(X * beta, 1 / sqrt(precision))\n", nil},
		{"param precision ~ inv_gamma(2, 1)\ny ~ normal(X * beta, 1 / sqrt(precision))\n",
			[]diag.Code{diag.NoMaximum}},
		{"param q ~ uniform(0, 1)\ny ~ normal(X * beta, 1 - q)\n", []diag.Code{diag.NoMaximum}},
		{"param q ~ uniform(0, 1)\ny ~ normal(X * beta, 2 - q)\n", nil},
		{"param a0 ~ normal(0, 1)\nparam b ~ normal(0, 1)\ndata x : real[N]\ny ~ normal(X * " +
			"beta, exp(a0 + b * x))\n", nil},
		{"param a0 ~ normal(0, 1)\nparam b ~ normal(0, 1)\ndata x : real[N]\ny ~ " +
			"normal(X * beta, a0 + b * x)\n", []diag.Code{diag.NoMaximum, diag.NoMaximum}},
		// a0·b = -t lowers the log prior by about t only
		{"param a0 ~ normal(0, 1)\nparam b ~ normal(0, 1)\ny ~ normal(X * beta, exp(a0 * b))\n",
			[]diag.Code{diag.NoMaximum, diag.NoMaximum}},
		{"param m ~ normal(0, 1)\nparam s ~ lognormal(m, 1)\ny ~ normal(X * beta, s)\n", nil},
		{"param m ~ cauchy(0, 1)\nparam s ~ lognormal(m, 1)\ny ~ normal(X * beta, s)\n",
			[]diag.Code{diag.NoMaximum}},
		// t grows with |log s|
		{"param t ~ inv_gamma(3, 2)\nparam s ~ lognormal(0, t)\ny ~ normal(X * beta, s)\n",
			[]diag.Code{diag.NoMaximum}},
		{"param s : real[2] ~ lognormal(0, 1)\nparam k ~ lognormal(0, 1)\ny ~ normal(X * beta, k + sum(s))\n",
			nil},
		{"param s : real[3] ~ lognormal(0, 1)\ny ~ normal(X * beta, sd(s))\n", []diag.Code{diag.NoMaximum}},
		{"param t ~ half_normal(1)\nparam m : real[3] ~ lognormal(0, t)\ny ~ normal(X * beta + sum(m), 1)\n",
			[]diag.Code{diag.NoMaximum}},
		{"param q ~ beta(1, 0.5)\ny ~ normal(X * beta + q, 1)\n", []diag.Code{diag.InfinitePrior}},
	} {
		var got []diag.Code
		for _, d := range runMaximum(source.New("m.vfl", head+withTransform(c.text))) {
			got = append(got, d.Code)
			if d.Code != diag.NoMaximum && d.Code != diag.InfinitePrior {
				t.Errorf("%s: %s", c.text, d.Message)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gets %v, want %v", c.text, got, c.want)
		}
	}
}

// Exactly the models without a maximum are refused: for every continuous distribution as the prior of s, and
// many scales that are functions of s, N residuals of 0 give -N log(scale), and its sum with the log prior is
// evaluated towards all ends.
func TestAgainstDensities(t *testing.T) {
	const residuals = 50
	u := stdlib.New()
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.Discrete || d.Event != nil || len(d.Atoms) > 0 { // one with atoms is no prior (V0216)
			continue
		}
		theta := make([]float64, len(d.Params))
		for k, p := range d.Params {
			if theta[k] = 0.3; p.Domain == def.Positive || p.Domain == def.NonNegative ||
				k == 1 && d.Support == def.Interval {
				theta[k] = 1.3
			}
		}
		for _, bounds := range []string{"", "<lower=0>", "<lower=0.4>", "<upper=0.4>"} {
			for _, scale := range scales() {
				prior := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(theta)), ", "), "[]")
				text := fmt.Sprintf("client a\ndata y : real[N] @ shared\ndata X : real[N, P] @ a\nparam "+
					"beta : real[P] ~ normal(0, 1) @ a\nparam s : real%s ~ %s(%s)\ny ~ normal(X * beta, "+
					"%s)\ntransform augmented(rho = 1)\n", bounds, name, prior, scale.text)
				highest := math.Inf(-1)
				for _, x := range reachable(d, theta, bounds) {
					lp := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: scalars(theta)})
					if v := lp - residuals*scale.log(x); v > highest {
						highest = v
					}
				}
				refused := false
				for _, g := range runMaximum(source.New("m.vfl", text)) {
					refused = refused || g.Code == diag.NoMaximum
				}
				if refused != (highest > 1000) {
					t.Errorf("%s ~ %s(%s), scale %s: refused is %v, and the density comes to exp(%v)",
						"s"+bounds, name, prior, scale.text, refused, highest)
				}
			}
		}
	}
}

// A scaleOf is a scale that is a function of s. The logarithm is that of its absolute value, since the rule
// does not look at signs.
type scaleOf struct {
	text string
	log  func(s float64) float64
}

func scales() []scaleOf {
	abs := func(s float64) float64 { return math.Log(math.Abs(s)) }
	return []scaleOf{
		{"s", abs},
		{"3 * s", abs},
		{"s + 0.1", func(s float64) float64 { return abs(s + 0.1) }},
		{"s - 0.4", func(s float64) float64 { return abs(s - 0.4) }},
		{"0.4 - s", func(s float64) float64 { return abs(s - 0.4) }},
		{"s * s", func(s float64) float64 { return 2 * abs(s) }},
		{"s^2", func(s float64) float64 { return 2 * abs(s) }},
		{"1 / s", func(s float64) float64 { return -abs(s) }},
		{"1 / s^2", func(s float64) float64 { return -2 * abs(s) }},
		{"1 / (0.1 + s)", func(s float64) float64 { return -abs(0.1 + s) }},
		{"exp(s)", func(s float64) float64 { return s }},
		{"exp(-s)", func(s float64) float64 { return -s }},
		{"exp(s / 2)", func(s float64) float64 { return s / 2 }},
		{"exp(s) + 0.1", func(s float64) float64 { return max(s, math.Log(0.1)) }},
		{"exp(0.5 * log(s))", func(s float64) float64 { return math.Log(s) / 2 }},
		{"sqrt(s)", func(s float64) float64 { return math.Log(s) / 2 }},
		{"abs(s)", abs},
		{"softplus(s)", func(s float64) float64 { return min(s, math.Log1p(max(s, 0))) }}, // about
		{"inv_logit(s)", func(s float64) float64 { return min(s, 0) }},                    // about
	}
}

// reachable lists values of s towards all ends and around the numbers that the scales above are made with,
// within the support and the bounds.
func reachable(d *def.Dist, theta []float64, bounds string) []float64 {
	lower, upper := d.Support.Bounds(theta)
	switch bounds {
	case "<lower=0>":
		lower = max(lower, 0)
	case "<lower=0.4>":
		lower = max(lower, 0.4)
	case "<upper=0.4>":
		upper = min(upper, 0.4)
	}
	x := []float64{0.4, math.Nextafter(0.4, 0), math.Nextafter(0.4, 1)}
	for _, size := range []float64{1e-300, math.Nextafter(0.1, 0), 0.1, math.Nextafter(0.1, 1), 1, 1e300} {
		x = append(x, size, -size)
	}
	return slices.DeleteFunc(x, func(v float64) bool { return v <= lower || v >= upper })
}

func scalars(v []float64) []def.BlockArg {
	out := make([]def.BlockArg, len(v))
	for k := range v {
		out[k] = def.Scalar(v[k])
	}
	return out
}

func withTransform(text string) string {
	if strings.Contains(text, "transform") {
		return text
	}
	return text + "transform augmented(rho = 1)\n"
}
