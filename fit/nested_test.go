package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

const schools = `data y     : real[J]
data sigma : real<lower=0>[J]
param mu              ~ normal(0, 5)
param tau             ~ half_cauchy(5)
param theta : real[J] ~ normal(mu, tau)
y ~ normal(theta, sigma)
`

// nestedFit is the result of a fit over a grid.
func nestedFit(t *testing.T, text string, kind def.Transform, files map[string]string,
	given map[string]string) (*Result, error) {
	t.Helper()
	return nestedFitAt(t, text, kind, 0, files, given)
}

// nestedFitAt is nestedFit with noise.
func nestedFitAt(t *testing.T, text string, kind def.Transform, rho float64, files map[string]string,
	given map[string]string) (*Result, error) {
	t.Helper()
	settings := map[string]string{"estimator": "nested"}
	for k, v := range given {
		settings[k] = v
	}
	p, diags, err := OpenBound(bound(t, besideModel(t, text, files), check.Options{Transform: kind, Rho: rho,
		Accept: diag.AcceptanceNames()}), Options{Algorithm: backend(t, "sfvi"), Settings: settings, Seed: 1})
	if err != nil {
		return nil, err
	}
	good(t, diags, nil)
	return p.Sample(t.Context(), nil)
}

// Eight schools, whose scale reaches 0, has the means and standard deviations of posteriordb's reference
// draws, of 10,000, centred and not.
func TestEightSchoolsOverAGrid(t *testing.T) {
	files := map[string]string{"data.csv": "y,sigma\n28,15\n8,10\n-3,16\n7,11\n-1,9\n1,11\n18,10\n12,18\n"}
	reference := map[string]summarised{
		"theta[1]": {6.1505, 5.6159},
		"theta[2]": {4.9396, 4.6456},
		"theta[3]": {3.9059, 5.2807},
		"theta[4]": {4.7960, 4.7709},
		"theta[5]": {3.6144, 4.6147},
		"theta[6]": {4.0511, 4.7962},
		"theta[7]": {6.3172, 5.0029},
		"theta[8]": {4.8840, 5.3177},
		"mu":       {4.4105, 3.3093},
		"tau":      {3.6021, 3.1985},
	}
	for name, text := range map[string]string{"centred": schools,
		"non-centred": strings.Replace(schools, "tau)\ny", "tau) noncentered\ny", 1)} {
		r, err := nestedFit(t, text, stdlib.NoTransform, files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k := float64(r.Document.Diagnostics.Khat); !(k < 0.5) {
			t.Errorf("%s: k̂ is %.2f", name, k)
		}
		seen := 0
		for _, row := range r.Summary() {
			want, ok := reference[row.Name]
			if !ok {
				continue
			}
			seen++
			n := math.Min(float64(row.ESSBulk), 10000)
			if off := (float64(row.Mean) - want.Mean) / want.SD; math.Abs(off) > 4*math.Sqrt(1/n+1e-4) {
				t.Errorf("%s: the mean of %s is %.3f sd off", name, row.Name, off)
			}
			if off := float64(row.SD)/want.SD - 1; math.Abs(off) > 0.1 {
				t.Errorf("%s: the sd of %s is %.1f %% off", name, row.Name, 100*off)
			}
		}
		if seen != 10 {
			t.Errorf("%s: %d parameters", name, seen)
		}
	}
}

// grouped is a logistic regression with an effect of a group at a client, and its tables.
func groupedRows(groups, n int) (files map[string]string) {
	r := rand.New(rand.NewPCG(5, 6))
	effects := make([]float64, groups)
	for i := range effects {
		effects[i] = 0.8 * r.NormFloat64()
	}
	server, a, b := "id,y\n", "id,g\n", "id,x\n"
	for i := range n {
		g, x := i%groups, r.NormFloat64()
		y := 0
		if r.Float64() < 1/(1+math.Exp(-0.3-0.5*x-effects[g])) {
			y = 1
		}
		server, a, b = server+fmt.Sprintf("%d,%d\n", i, y), a+fmt.Sprintf("%d,g%02d\n", i, g),
			b+fmt.Sprintf("%d,%.6f\n", i, x)
	}
	return map[string]string{"server.csv": server, "a.csv": a, "b.csv": b}
}

const groupedText = `client a, b
data y : binary[N] @ shared
data g : level(G)[N] @ a
data x : real[N] @ b
param c ~ normal(0, 2.5)
param tau ~ half_normal(1) @ a
param u : real[G] ~ normal(0, tau) @ a
param beta ~ normal(0, 2.5) @ b
y ~ bernoulli_logit(c + x * beta + u[g])
`

// A hierarchy has one posterior, wherever its scale is and however its effects are written, at few round
// trips: with one scale at most 25.
func TestHierarchiesInFewRoundTrips(t *testing.T) {
	files := groupedRows(12, 240)
	var first map[string]summarised
	for _, c := range []struct{ name, from, to string }{
		{"centred", "", ""}, {"non-centred", "tau) @ a", "tau) noncentered @ a"},
		{"scale at the server", "(1) @ a", "(1) @ shared"},
	} {
		r, err := nestedFit(t, strings.Replace(groupedText, c.from, c.to, 1), stdlib.Exact, files,
			map[string]string{"draws": "2000"})
		if err != nil {
			t.Fatal(err)
		}
		if trips := r.Document.Work.Sequential; trips > 25 {
			t.Errorf("%s: %d round trips", c.name, trips)
		}
		if k := float64(r.Document.Diagnostics.Khat); !(k < 0.7) {
			t.Errorf("%s: k̂ is %.2f", c.name, k)
		}
		got := map[string]summarised{}
		for _, row := range r.Summary() {
			got[row.Name] = summarised{float64(row.Mean), float64(row.SD)}
		}
		if first == nil {
			first = got
			continue
		}
		for name, want := range first {
			if off := (got[name].Mean - want.Mean) / want.SD; !(math.Abs(off) < 0.2) {
				t.Errorf("%s: the mean of %s is %.2f sd from that of the first", c.name, name, off)
			}
		}
	}
}

// Of many groups with few rows and rare events, whose effects have skewed posteriors, draws walk from the
// Gaussian: means and standard deviations are those of NUTS.
func TestRareEventsOverAGrid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const groups, n = 40, 120
	effects, y, g := make([]float64, groups), "id,y\n", "id,g\n"
	for i := range effects {
		effects[i] = 2.5 * r.NormFloat64()
	}
	for i := range n {
		is := 0
		if r.Float64() < 1/(1+math.Exp(4-effects[i%groups])) {
			is = 1
		}
		y, g = y+fmt.Sprintf("%d,%d\n", i, is), g+fmt.Sprintf("%d,g%02d\n", i, i%groups)
	}
	files := map[string]string{"server.csv": y, "a.csv": g}
	text := "client a\ndata y : binary[N] @ shared\ndata g : level(G)[N] @ a\nparam c ~ normal(0, " +
		"2.5)\nparam tau ~ half_normal(3) @ a\nparam u : real[G] ~ normal(0, tau) noncentered @ a\ny ~ " +
		"bernoulli_logit(c + u[g])\n"
	got, err := nestedFit(t, text, stdlib.Exact, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if k := float64(got.Document.Diagnostics.Khat); !(k < 0.7) || got.Document.Work.Sequential > 25 {
		t.Errorf("k̂ is %.2f after %d round trips", k, got.Document.Work.Sequential)
	}
	p, diags, err := OpenBound(bindFiles(t, text, stdlib.Exact, 0, files),
		Options{Algorithm: backend(t, "nuts"), Settings: map[string]string{"draws": "4000"}, Seed: 2})
	good(t, diags, err)
	long, err := p.Sample(t.Context(), nil)
	good(t, nil, err)
	want := map[string]posterior.SummaryRow{}
	for _, row := range long.Summary() {
		want[row.Name] = row
	}
	for _, row := range got.Summary() {
		of := want[row.Name]
		if row.ESSBulk < 1000 {
			t.Errorf("%s has %.0f effective draws", row.Name, float64(row.ESSBulk))
		}
		se := math.Hypot(float64(row.MCSE), float64(of.MCSE)) / float64(of.SD)
		if off := float64(row.Mean-of.Mean) / float64(of.SD); !(math.Abs(off) < 0.1+4*se) {
			t.Errorf("the mean of %s is %.2f sd off", row.Name, off)
		}
		if off := float64(row.SD/of.SD) - 1; !(math.Abs(off) < 0.1+4*se) {
			t.Errorf("the sd of %s is %.0f %% off", row.Name, 100*off)
		}
	}
}

// What is not normal given few hyperparameters is refused, with the name of what is not.
func TestGridsAreRefused(t *testing.T) {
	files := groupedRows(4, 24)
	for want, change := range map[string][2]string{
		"tau, s: 5 hyperparameters": {"param tau ~ half_normal(1) @ a\nparam u : " +
			"real[G] ~ normal(0, tau) @ a",
			"param tau : real[G] ~ half_normal(1) @ a\nparam s ~ half_normal(1) @ a\nparam u : real[G] " +
				"~ normal(0, s * tau) @ a"},
		"beta enters a predictor by itself": {"beta ~ normal(0, 2.5)", "beta ~ student_t(4, 0, 2.5)"},
		"is flat":                           {"beta ~ normal(0, 2.5)", "beta ~ flat()"},
	} {
		_, err := nestedFit(t, strings.Replace(groupedText, change[0], change[1], 1), stdlib.Exact, files,
			nil)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "--estimator nested") {
			t.Errorf("the error is %v, want …%s…", err, want)
		}
	}
	if _, err := nestedFitAt(t, groupedText, stdlib.Power, 0.5, files, nil); err == nil ||
		!strings.Contains(err.Error(), "a likelihood at each client") {
		t.Errorf("under power the error is %v", err)
	}
}

// Where weights cannot correct draws over a grid, NUTS from these draws is named, and no setting of other
// estimators.
func TestAdviceForAGrid(t *testing.T) {
	a := advice(&posterior.Record{Backend: "sfvi", Settings: map[string]any{"estimator": "nested"}})
	if !strings.Contains(a.Exact, "--backend nuts --init RUN") || a.Closer != "" || a.Iterations != "" {
		t.Errorf("the advice is %+v", a)
	}
}

// auto lays a grid where a hierarchy has the form for one, and where the parties do not suit together, though
// each does alone, all take another way; each decides alike by the names that parties tell.
func TestAutoTakesAGrid(t *testing.T) {
	files := groupedRows(4, 24)
	for name, c := range map[string]struct {
		change [2]string
		by     string
	}{
		"a hierarchy":           {by: "nested"},
		"a scale at the server": {[2]string{"(1) @ a", "(1) @ shared"}, "nested"},
		"effects of the server": {sharings["effects, not centred"], "nested"},
		"a mean of the server":  {sharings["their mean"], "nested"},
		"a regression": {[2]string{"param tau ~ half_normal(1) @ a\nparam u : " +
			"real[G] ~ normal(0, tau) @ a", "param u : real[G] ~ normal(0, 1) @ a"}, "quadrature"},
		"five scales together": {[2]string{"param beta ~ normal(0, 2.5) @ b",
			"param s : real[4] ~ half_normal(1) @ b\nparam beta ~ normal(0, s[1] + s[2] + s[3] + s[4]) @ b"},
			"fixed"},
		"a mean that is not normal": {[2]string{"param u : real[G] ~ normal(0, tau) @ a",
			"param m ~ student_t(4, 0, 1) @ shared\nparam u : real[G] ~ normal(m, tau) @ a"}, "sampled"},
		"a product of two parties'": {[2]string{"param beta ~ normal(0, 2.5) @ b",
			"param k ~ normal(0, 1) @ shared\nparam v ~ normal(0, 2.5) @ b\nlet beta = v * k"}, "sampled"},
		"a length scale": {[2]string{"param beta ~ normal(0, 2.5) @ b\ny ~ " +
			"bernoulli_logit(c + x * beta",
			"param l ~ half_normal(1) @ b\nparam beta ~ normal(0, 2.5) @ b\ny ~ " +
				"bernoulli_logit(c + exp(-(l * x)) * beta"}, "fixed"},
		"coefficients with other tails": {[2]string{"normal(0, 2.5) @ b", "student_t(4, 0, 2.5) @ b"},
			"fixed"},
	} {
		text := strings.Replace(groupedText, c.change[0], c.change[1], 1)
		b := bound(t, besideModel(t, text, files), check.Options{Transform: stdlib.Exact,
			Accept: diag.AcceptanceNames()})
		a := backend(t, "sfvi")
		p, diags, err := OpenBound(b, Options{Algorithm: a, Seed: 1})
		good(t, diags, err)
		by := p.Settings.Text("estimator")
		if by != c.by {
			t.Errorf("%s: by %s, want %s", name, by, c.by)
		}
		s, err := a.Resolve(stdlib.Exact, nil)
		good(t, nil, err)
		names := backends.Hindrances{}
		for k := range b.Plan.Names {
			for _, of := range Hindered(a, s, []density.Block{model.NewParty(b.Plan, k)}).Names() {
				if !regexp.MustCompile(`^[\pL\pN_.,=+*-]{0,500}$`).MatchString(of) {
					t.Errorf("%s: %q is no text of a control message", name, of)
				}
				names.Add(of, errHindered)
			}
		}
		if apart, _, err := a.Choose(len(b.Plan.Names), names, s); err != nil ||
			apart.Text("estimator") != by {
			t.Errorf("%s: parties apart choose %s (%v), and %s in one process", name, apart.Text("estimator"),
				err, by)
		}
	}
}
