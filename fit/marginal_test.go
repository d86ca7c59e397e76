package fit

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// finishedBy is a run of this process.
func finishedBy(t *testing.T, text string, files map[string]string, transform def.Transform, rho float64,
	o Options) *Finished {
	t.Helper()
	b := bindFiles(t, text, transform, rho, files)
	p, diags, err := OpenBound(b, o)
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Finished{Run: &posterior.Run{Path: "run", Draws: r.Draws, Document: &r.Document}, Result: r, Bound: b}
}

// The marginal likelihood of a linear regression at three clients, whose scale is integrated out on a grid,
// with auxiliary variables by importance sampling around an approximation, and without by bridge sampling.
func TestEvidenceOfARegression(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		noise := 0.0
		if transform.Augmented() {
			noise = 3 * 0.2 * 0.2
		}
		_, _, want := scaledPosterior(t, m, noise)
		o := Options{Algorithm: backend(t, "sfvi"), Seed: 3}
		if noise == 0 {
			o = Options{Algorithm: backend(t, "nuts"), Seed: 3,
				Settings: map[string]string{"chains": "2", "warmup": "200", "draws": "300"}}
		}
		f := finishedBy(t, scaled(glmText(m)), glmFiles(m), transform, 0.2, o)
		got, diags, err := f.Evidence(LogDensities{Draws: 600}, 1)
		good(t, diags, err)
		if off := math.Abs(float64(got.Log) - want); !(off < 4*float64(got.SE)+0.01 && got.SE < 0.2) {
			t.Errorf("%s, %s: %.3f ± %.3f, want %.3f", transform, got.Method, got.Log, got.SE, want)
		}
	}
}

// A fit over a grid has the marginal likelihood from its weights: of eight schools, by numeric integration
// over the mean and the scale of their effects.
func TestEvidenceOfAGrid(t *testing.T) {
	text := "client a\ndata y : real[N]\ndata s : real[N]\ndata g : level(G)[N] @ a\n" +
		"param m ~ normal(0, 5)\nparam tau ~ half_normal(5) @ shared\n" +
		"param u : real[G] ~ normal(0, tau) @ a\ny ~ normal(m + u[g], s)\n"
	files := map[string]string{
		"server.csv": "id,y,s\n1,28,15\n2,8,10\n3,-3,16\n4,7,11\n5,-1,9\n6,1,11\n7,18,10\n8,12,18\n",
		"a.csv":      "id,g\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n8,h\n"}
	y, s := []float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18}
	density := func(x, v float64) float64 { return math.Exp(-0.5*x*x/v) / math.Sqrt(2*math.Pi*v) }
	total := 0.0
	for tau := 0.05; tau < 40; tau += 0.1 {
		for m := -30.0; m < 30; m += 0.2 {
			p := 2 * density(tau, 25) * density(m, 25)
			for i := range y {
				p *= density(y[i]-m, s[i]*s[i]+tau*tau)
			}
			total += p * 0.1 * 0.2
		}
	}
	f := finishedBy(t, text, files, stdlib.Exact, 0, Options{Algorithm: backend(t, "sfvi"), Seed: 1,
		Settings: map[string]string{"estimator": "nested"}})
	got, diags, err := f.Evidence(LogDensities{}, 1)
	good(t, diags, err)
	if off := math.Abs(float64(got.Log) - math.Log(total)); got.Method != byFit ||
		!(off < 4*float64(got.SE)+0.002) {
		t.Errorf("%s: %.4f ± %.4f, want %.4f", got.Method, got.Log, got.SE, math.Log(total))
	}
}

// What is scaled is what the model says: of two clients, the normal priors, and the likelihood of a
// regression.
func TestComponents(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{1, 2}, 0.7)
	for _, transform := range []def.Transform{stdlib.NoTransform, stdlib.Exact} {
		b := bindFiles(t, glmText(m), transform, 0, glmFiles(m))
		vars := []posterior.Variable{{Name: "b"}, {Name: "t1", Dims: []int{1}}, {Name: "t2", Dims: []int{2}}}
		d := posterior.NewDraws(vars, 1, 1)
		x := []float64{0.3, -0.7, 0.2, 1.1}
		d.Append(0, x)
		var doc SensitivityDocument
		prior, likelihood, err := doc.components(b, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, ll := 0.0, 0.0
		for _, v := range x {
			want -= 0.5*math.Log(2*math.Pi) + v*v/2
		}
		n := len(m.Y)
		for i, y := range m.Y {
			e := (y - x[0] - m.X[0][i]*x[1] - m.X[1][i]*x[2] - m.X[1][n+i]*x[3]) / m.Sigma
			ll -= 0.5*math.Log(2*math.Pi) + math.Log(m.Sigma) + e*e/2
		}
		if math.Abs(prior[0]-want) > 1e-12 || math.Abs(likelihood[0]-ll) > 1e-9 {
			t.Errorf("%s: %v and %v, want %v and %v", transform, prior, likelihood, want, ll)
		}
	}
	text := "data y : real[N]\nparam tau ~ half_normal(1)\nparam u : real[3] ~ normal(0, tau)\ny " +
		"~ normal(u[1], 1)\n"
	b := bindFiles(t, text, stdlib.NoTransform, 0, map[string]string{"data.csv": "y\n1\n2\n"})
	var doc SensitivityDocument
	p, diags := b.Priors()
	good(t, diags, nil)
	if k, err := doc.scaled(p, nil); err != nil || len(k) != 1 || doc.Left[0] != "u" {
		t.Errorf("scaled %v, left out %v: %v", doc.Priors, doc.Left, err)
	}
}

// Priors that are no distributions are refused, each with its name.
func TestUnnormalisedPriors(t *testing.T) {
	text := `data y : real[N]
param a ~ flat()
param b : real<lower=0> ~ normal(0, 1)
param c : real<lower=0, upper=1> ~ beta(2, 2)
param d : ordered[3] ~ normal(0, 1)
param e ~ half_normal(1)
param f ~ normal(0, 1) truncate(lower=0)
param g : simplex[3] ~ dirichlet(2)
param h : ordered[2] ~ student_t(e, 0, 1)
y ~ normal(a + b + c + sum(d) + f + g[1] + h[1], e)
`
	b := bindFiles(t, text, stdlib.NoTransform, 0, map[string]string{"data.csv": "y\n1\n2\n"})
	m, diags := b.Priors()
	good(t, diags, nil)
	var names string
	for _, d := range unnormalised(b, m) {
		names += d.Message[:1]
	}
	if names != "abh" {
		t.Errorf("refused are %s", names)
	}
	// The density of three ordered normal numbers is that of one of six orders.
	if got := orders(m); !(math.Abs(got-math.Log(6)) < 1e-12) {
		t.Errorf("the orders are %v, want log 6", got)
	}
}

// One party's part of a run across machines has no density at new points, and says so for each thing that
// needs it; the weights of a fit over a grid it has.
func TestPartsHaveNoNewPoints(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{1, 2}, 0.7)
	b := bindFiles(t, glmText(m), stdlib.Exact, 0, glmFiles(m))
	dir, text := t.TempDir(), b.Model.Files()["c1.vfl"]
	if err := os.WriteFile(filepath.Join(dir, posterior.ModelFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	d := posterior.NewDraws([]posterior.Variable{{Name: "t1", Dims: []int{1}}}, 1, 0)
	f := &Finished{Run: &posterior.Run{Path: dir, Draws: d, Document: &posterior.SummaryDocument{},
		Record: &posterior.Record{Model: posterior.InputRecord{Path: "c1.vfl", SHA256: digest(text)}}}}
	_, _, _, moved := f.AtNewPoints(LogDensities{})
	_, _, transformed := f.Transform(t.Context())
	_, _, sensitive := f.Sensitive(nil, nil)
	_, _, marginal := f.Evidence(LogDensities{}, 1)
	for name, err := range map[string]error{"moment matching": moved, "LOO-PIT": transformed,
		"the priors and the likelihood": sensitive, "the marginal likelihood": marginal} {
		if err == nil || !strings.Contains(err.Error(), "for "+name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.Document.Evidence = &posterior.ELBO{Value: -3, SE: 0.1}
	if got, _, err := f.Evidence(LogDensities{}, 1); err != nil || got.Log != -3 || len(got.Notes) != 1 {
		t.Errorf("%+v: %v", got, err)
	}
}
