package fit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

// regressed is a regression on a covariate of each of two clients, y drawn at the predictor 0.8 xa - 0.5 xb.
func regressed(kind, declared, likelihood string, rows int,
	y func(r *rand.Rand, eta float64) float64) compiletest.Fixture {
	r := rand.New(rand.NewPCG(3, 4))
	tables := map[string]string{"server": "id,y\n", "a": "id,xa\n", "b": "id,xb\n"}
	for i := range rows {
		xa, xb := r.NormFloat64(), r.NormFloat64()
		tables["a"] += fmt.Sprintf("%d,%v\n", i, xa)
		tables["b"] += fmt.Sprintf("%d,%v\n", i, xb)
		tables["server"] += fmt.Sprintf("%d,%v\n", i, y(r, float64(0.8*xa)-float64(0.5*xb)))
	}
	return compiletest.Fixture{Tables: tables, Text: fmt.Sprintf(`client a, b
data y : %s[N] @ shared
data xa : real[N] @ a
data xb : real[N] @ b
param u ~ normal(0, 5) @ a
param v ~ normal(0, 5) @ b
%s
y ~ %s
`, kind, declared, strings.ReplaceAll(likelihood, "ETA", "xa * u + xb * v"))}
}

func fitOf(t *testing.T, f compiletest.Fixture, kind def.Transform, rho float64) *fit.Result {
	t.Helper()
	p, diags, err := fit.OpenBound(f.Bind(t, check.Options{Transform: kind, Rho: rho}),
		fit.Options{Seed: 5, Settings: map[string]string{"warmup": "300", "draws": "600"}})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// apart are the largest move of a mean, in standard deviations of the true posterior, and of a standard
// deviation, as a share of it, with their Monte Carlo standard errors.
func apart(noisy, exact []posterior.SummaryRow) (means, sds, meanError, sdError float64) {
	relative := func(r posterior.SummaryRow) float64 { return float64(r.MCSE / r.SD) } // 1/√ESS
	for k, e := range exact {
		n, ratio := noisy[k], float64(noisy[k].SD/e.SD)
		if by := math.Abs(float64(n.Mean-e.Mean)) / float64(e.SD); by > means {
			means, meanError = by, math.Hypot(relative(n)*ratio, relative(e))
		}
		if by := math.Abs(ratio - 1); by > sds {
			sds, sdError = by, ratio*math.Hypot(relative(n), relative(e))/math.Sqrt2
		}
	}
	return means, sds, meanError, sdError
}

// What a run says that noise does is what it does, for scales, dispersions and cut points too: two fits are
// compared. Where the draws cannot tell it they say so, which is a finding; noise that moves nothing is none.
func TestWhatNoiseMoves(t *testing.T) {
	t.Parallel()
	normal := func(r *rand.Rand, eta float64) float64 { return eta + float64(0.2*r.NormFloat64()) }
	counts := func(r *rand.Rand, eta float64) float64 {
		n, level := 0.0, math.Exp(-math.Exp(1+eta)*math.Exp(0.4*r.NormFloat64()))
		for p := r.Float64(); p > level; p *= r.Float64() {
			n++
		}
		return n
	}
	ordered := func(r *rand.Rand, eta float64) float64 {
		u, n := r.Float64(), 1.0
		for _, c := range []float64{-2, 0.5, 2} {
			if eta+math.Log(u/(1-u)) > c {
				n++
			}
		}
		return n
	}
	gauss := regressed("real", "param s ~ half_normal(1)", "normal(ETA, s)", 80, normal)
	overdispersed := regressed("count", "param m ~ normal(0, 5)\nparam phi ~ gamma(2, 0.1)",
		"neg_binomial_2_log(m + ETA, phi)", 120, counts)
	cutpoints := regressed("level(K)", "param c : ordered[K - 1] ~ normal(0, 5)", "ordered_logistic(ETA, c)",
		100, ordered)
	gammas := regressed("real<lower=0>", "param m ~ normal(4, 5)\nparam shape ~ gamma(2, 0.01)",
		"gamma(shape, shape ./ exp(m + 0.1 * (ETA)))", 32, func(r *rand.Rand, eta float64) float64 {
			// nearly a gamma distribution of shape 215
			return math.Exp(4 + float64(0.1*eta) + float64(0.068*r.NormFloat64()))
		})
	exactly := map[string]*fit.Result{} // several cases have the same model
	for name, c := range map[string]struct {
		f            compiletest.Fixture
		kind         def.Transform
		rho          float64
		finding, far bool
		more         bool
	}{
		"a scale":                   {gauss, stdlib.Augmented, 0.05, true, false, false},
		"a scale under power":       {gauss, stdlib.Power, 0.15, true, false, true},
		"all residual variance":     {gauss, stdlib.Augmented, 0.3, true, true, false},
		"a dispersion":              {overdispersed, stdlib.Augmented, 0.12, true, false, false},
		"cut points":                {cutpoints, stdlib.Augmented, 0.4, true, false, false},
		"cut points under power":    {cutpoints, stdlib.Power, 0.8, true, false, true},
		"counts, the default":       {overdispersed, def.Transform{}, 0, false, false, false},
		"ordered, the default":      {cutpoints, def.Transform{}, 0, false, false, true},
		"a small table under power": {gammas, stdlib.Power, 0.032, true, false, false},
	} {
		if c.more && !*brief.Every {
			continue
		}
		t.Run(name, func(t *testing.T) {
			noisy, exact := fitOf(t, c.f, c.kind, c.rho), exactly[c.f.Text]
			if exact == nil {
				exact = fitOf(t, c.f, stdlib.Exact, 0)
				exactly[c.f.Text] = exact
			}
			means, sds, meanError, sdError := apart(noisy.Summary(), exact.Summary())
			said := noisy.Document.Moves
			t.Logf("means %.2f ± %.2g, sds %.2f ± %.2g; said %+v", means, meanError, sds, sdError, said)
			if found := slices.ContainsFunc(noisy.Diagnose(), func(f posterior.Finding) bool {
				return f.Class == posterior.MovedClass
			}); found != c.finding {
				t.Errorf("finding %t", found)
			}
			switch {
			case c.far:
				if said != nil || means < 2 {
					t.Errorf("%+v is said of a move of %.2f", said, means)
				}
				return
			case said == nil:
				t.Fatal("nothing is said")
			}
			// Four standard errors of the two fits, and a fifth of the move for what is said: it is of a part
			// of the draws, the fewer of which count the further the posteriors are apart.
			if off := math.Abs(float64(said.Means) - means); off > float64(4*meanError)+float64(0.2*means) {
				t.Errorf("said %+v, the means moved by %.3f ± %.2g", said, means, meanError)
			}
			if off := math.Abs(float64(said.SDs) - sds); off > float64(4*sdError)+float64(0.2*(means+sds)) {
				t.Errorf("said %+v, the standard deviations moved by %.3f ± %.2g", said, sds, sdError)
			}
		})
	}
}
