package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/testmodel"
)

// quadratureFit runs a fit by quadrature to its end and returns the kernel and what it says at the end.
func quadratureFit(t *testing.T, b *compile.BoundModel, given map[string]string) (backends.Kernel,
	density.Env,
	[]float64) {
	t.Helper()
	given["estimator"] = "quadrature"
	a := backend(t, "sfvi")
	settings, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.New(env, settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	var trace []float64
	for {
		info, err := k.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.Fit.Traced {
			trace = append(trace, info.Fit.Trace.Value)
		}
		if info.Done {
			return k, env, trace
		}
	}
}

// With a normal likelihood the joint Gaussian is the posterior: log p − log q is the same at every draw, with
// the auxiliary variables integrated out where there are any, and whether the linear system is solved
// outright (many draws) or by iterations (few), also where there are more draws than cross.
func TestJointGaussianIsTheNormalPosterior(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		b := bindFiles(t, glmText(m), transform, 0.8, glmFiles(m))
		for draws, bound := range map[string]float64{"8": 0.01, "400": 1e-8, "4000": 1e-8} {
			if draws == "4000" && transform != stdlib.Exact {
				continue // noise is integrated out within 6 of its sds, which one draw in thousands tells
			}
			k, _, _ := quadratureFit(t, b, map[string]string{"draws": draws})
			ratios := k.(backends.Weighted).Ratios()
			if spread := slices.Max(ratios) - slices.Min(ratios); !(spread < bound) {
				t.Errorf("%s, %s draws: log p − log q differs by %.3g", transform, draws, spread)
			}
			if draws != "8" {
				covarianceOfDraws(t, m, transform, k, len(ratios))
			}
		}
	}
}

// With a scale at the server the posterior of a linear regression is known given the scale, and on a grid of
// that: the corrected fit has its means and standard deviations, in few round trips, and the ELBO is below
// the log evidence by little.
func TestQuadratureWithAScale(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3, 1}, 0.7)
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		b := bindFiles(t, scaled(glmText(m)), transform, 0.2, glmFiles(m))
		p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Seed: 3})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		noise := 0.0
		if transform.Augmented() {
			noise = 3 * 0.2 * 0.2
		}
		mean, sd, evidence := scaledPosterior(t, m, noise)
		if elbo := float64(r.Document.ELBO.Value); !(elbo < evidence && elbo > evidence-1.5) {
			t.Errorf("%s: ELBO %.3f, log evidence %.3f", transform, elbo, evidence)
		}
		rows := r.Summary()
		if len(rows) != len(mean) || rows[0].Name != "sigma" {
			t.Fatalf("%d parameters, the first %s", len(rows), rows[0].Name)
		}
		for k, row := range rows {
			if d := math.Abs(float64(row.Mean)-mean[k]) / sd[k]; !(d < 0.06) {
				t.Errorf("%s: mean of %s is %.4f, %.3f standard deviations from %.4f", transform, row.Name,
					row.Mean, d, mean[k])
			}
			if q := float64(row.SD) / sd[k]; !(math.Abs(q-1) < 0.05) {
				t.Errorf("%s: sd of %s is %.4f, want %.4f", transform, row.Name, row.SD, sd[k])
			}
		}
		if n := r.Document.Work.Sequential; n > 20 || !r.Document.Diagnostics.Corrected {
			t.Errorf("%s: %d round trips, corrected %t", transform, n, r.Document.Diagnostics.Corrected)
		}
	}
}

// scaledPosterior integrates over sigma: means and standard deviations of sigma, b and the clients' slopes,
// and the log evidence.
func scaledPosterior(t *testing.T, m testmodel.GLM, noise float64) (mean, sd []float64, evidence float64) {
	t.Helper()
	n, columns := len(m.Y), [][]float64{slices.Repeat([]float64{1}, len(m.Y))}
	for _, x := range m.X {
		for ; len(x) > 0; x = x[n:] {
			columns = append(columns, x[:n])
		}
	}
	d := len(columns)
	y := mat.NewVecDense(n, m.Y)
	mean, square := make([]float64, d+1), make([]float64, d+1)
	const step = 0.004
	total, top := 0.0, math.Inf(-1)
	for sigma := step; sigma < 4; sigma += step {
		v := sigma*sigma + noise
		precision, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for i, a := range columns {
			precision.SetSym(i, i, 1)
			for j, c := range columns[:i+1] {
				precision.SetSym(i, j, precision.At(i, j)+mat.Dot(mat.NewVecDense(n, a),
					mat.NewVecDense(n, c))/v)
			}
			right.SetVec(i, mat.Dot(mat.NewVecDense(n, a), y)/v)
		}
		var factor mat.Cholesky
		var at mat.VecDense
		var cov mat.SymDense
		if !factor.Factorize(precision) || factor.SolveVecTo(&at, right) != nil ||
			factor.InverseTo(&cov) != nil {
			t.Fatal("the precision is not positive definite")
		}
		lp := -0.5*float64(n)*math.Log(2*math.Pi*v) - 0.5*factor.LogDet() - 0.5*mat.Dot(y, y)/v +
			0.5*mat.Dot(&at, right) + math.Log(2) - 0.5*math.Log(8*math.Pi) - sigma*sigma/8
		if lp > top {
			shrink := math.Exp(top - lp)
			total *= shrink
			for k := range mean {
				mean[k] *= shrink
				square[k] *= shrink
			}
			top = lp
		}
		w := step * math.Exp(lp-top)
		total += w
		mean[0], square[0] = mean[0]+w*sigma, square[0]+w*sigma*sigma
		for k := range d {
			x := at.AtVec(k)
			mean[1+k], square[1+k] = mean[1+k]+w*x, square[1+k]+w*(x*x+cov.At(k, k))
		}
	}
	for k := range mean {
		mean[k] /= total
		sd = append(sd, math.Sqrt(square[k]/total-mean[k]*mean[k]))
	}
	return mean, sd, top + math.Log(total)
}

// covarianceOfDraws holds that of the draws of all parties against that of the posterior, which they have
// exactly.
func covarianceOfDraws(t *testing.T, m testmodel.GLM, transform def.Transform, k backends.Kernel, draws int) {
	t.Helper()
	n, columns := len(m.Y), [][]float64{slices.Repeat([]float64{1}, len(m.Y))}
	theta := [][]float64{make([]float64, 1)}
	for _, x := range m.X {
		theta = append(theta, make([]float64, len(x)/n))
		for ; len(x) > 0; x = x[n:] {
			columns = append(columns, x[:n])
		}
	}
	d, noise := len(columns), m.Sigma*m.Sigma
	switch j := float64(len(m.X)); transform {
	case stdlib.Augmented:
		noise += j * 0.8 * 0.8
	case stdlib.Power:
		noise += (j - 1) * (j - 1) / j * 0.8 * 0.8
	}
	precision := mat.NewSymDense(d, nil)
	for i, a := range columns {
		precision.SetSym(i, i, 1)
		for j, b := range columns[:i+1] {
			precision.SetSym(i, j, precision.At(i, j)+mat.Dot(mat.NewVecDense(n, a),
				mat.NewVecDense(n, b))/noise)
		}
	}
	table := mat.NewDense(draws, d, nil)
	for i := range draws {
		k.Draw(i, theta)
		table.SetRow(i, slices.Concat(theta...))
	}
	var want, got mat.SymDense
	var factor mat.Cholesky
	if !factor.Factorize(precision) {
		t.Fatal("the precision is not positive definite")
	}
	if err := factor.InverseTo(&want); err != nil {
		t.Fatal(err)
	}
	stat.CovarianceMatrix(&got, table, nil)
	got.ScaleSym(float64(draws-1)/float64(draws), &got)
	for i := range d {
		for j := range i + 1 {
			if scale := math.Sqrt(want.At(i, i) * want.At(j, j)); math.Abs(got.At(i, j)-want.At(i,
				j)) > 1e-6*scale {
				t.Errorf("%s: the covariance of parameters %d and %d is %g, want %g", transform, i, j,
					got.At(i, j), want.At(i, j))
			}
		}
	}
}

// A model without the form that quadrature needs is refused with the reason and the place, and auto draws or
// lays a grid instead and repeats the reason.
func TestQuadratureSaysWhyNot(t *testing.T) {
	const head = "client a, c\ndata y : real[N] @ shared\ndata x : real[N] @ a\ndata w : real[N] @ " +
		"c\nparam b ~ normal(0, 1)\n"
	for want, text := range map[string]string{
		"its likelihood has 13 parameters beside its predictor":                                       "param u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ c\nparam s : real[13] ~ half_normal(1)\ny ~ normal(b + x * u + w * v, sum(s))\n",
		"b is in its predictor and in another of its parameters":                                      "param u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ c\ny ~ normal(b + x * u + w * v, exp(b))\n",
		"server: the log density of h apart from the clients' likelihood is not a quadratic function": "param u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ c\nparam h ~ half_normal(1)\nparam s ~ half_normal(h)\ny ~ normal(b + x * u + w * v, s)\n",
		"a: the log density of u apart from the clients' likelihood is not a quadratic function":      "param u ~ student_t(4, 0, 1) @ a\nparam v ~ normal(0, 1) @ c\ny ~ normal(b + x * u + w * v, 1)\n",
		"is not affine in the parameters":                                                             "param u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ c\ny ~ normal(b + x * exp(u) + w * v, 1)\n",
		"it does not see each row through one predictor":                                              "param u ~ normal(0, 1) @ a\nparam v ~ normal(0, 1) @ c\ny ~ normal(b * (x * u + w * v), 1)\n",
	} {
		files := map[string]string{"server.csv": rowsOf("y"), "a.csv": rowsOf("x"), "c.csv": rowsOf("w")}
		for name, table := range files {
			lines := strings.Split(strings.TrimSpace(table), "\n")
			for i := range lines {
				lines[i] = map[bool]string{true: "id", false: fmt.Sprint(i)}[i == 0] + "," + lines[i]
			}
			files[name] = strings.Join(lines, "\n") + "\n"
		}
		b := bindFiles(t, head+text, stdlib.Exact, 0, files)
		a := backend(t, "sfvi")
		settings, err := a.Resolve(stdlib.Exact, map[string]string{"estimator": "quadrature"})
		if err != nil {
			t.Fatal(err)
		}
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.New(env, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want …%s…", err, want)
		}
		settings, err = a.Resolve(stdlib.Exact, nil)
		if err != nil {
			t.Fatal(err)
		}
		by := "fixed"
		if strings.Contains(text, "half_normal(h)") { // a hierarchy
			by = "nested"
		}
		if chosen, why, _ := Chosen(a, settings, env.Blocks()); chosen.Text("estimator") != by ||
			!strings.Contains(why, want) {
			t.Errorf("auto chose %s since %q, want …%s…", chosen.Text("estimator"), why, want)
		}
	}
}

// The optimum of each Gaussian guide, found by L-BFGS on an ELBO that another program integrates, is reached
// within 1e-3 nats, and within 0.01 nats in at most 60 round trips. The panels of ten clients at ρ = 2 were
// integrated with 32 nodes there, too few for predictors that spread by more than 6: 0.03 nats are allowed.
func TestQuadratureReachesTheOptimum(t *testing.T) {
	t.Parallel()
	const folder = "../tests/reference"
	text, err := os.ReadFile(filepath.Join(folder, "reference/vi_logistic.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Optimum []struct {
			Model, Guide, Theta string
			J                   int
			Rho, ELBO           float64
		}
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	guides := map[string]string{"slope": "structured", "ncmf": "noncentered", "mf": "meanfield",
		"none": "structured"}
	kinds := map[string]def.Transform{"augmented": stdlib.Augmented, "power": stdlib.Power,
		"true": stdlib.Exact}
	seen, bound := 0, map[string]*compile.BoundModel{} // by what they depend on
	for _, want := range reference.Optimum {
		guide, ok := guides[want.Guide]
		if !ok || want.Theta != "full" || want.J == 1 {
			continue
		}
		seen++
		if !brief.Halved(slices.Index([]string{"structured", "noncentered", "meanfield"}, guide),
			want.J/10, slices.Index([]float64{0.25, 0.5, 1, 2}, want.Rho)) {
			continue
		}
		panel := fmt.Sprint(want.Model, want.J, want.Rho)
		if bound[panel] == nil {
			bound[panel] = paperLogistic(t, folder, want.J, kinds[want.Model], want.Rho)
		}
		b := bound[panel]
		given := map[string]string{"tolerance": "1e-5", "correct": "false"}
		trips := 1
		switch want.Model {
		case "power":
			trips = 3
			given["guide"] = guide
		case "augmented":
			given["guide"] = guide
		}
		_, env, trace := quadratureFit(t, b, given)
		allowed, close := 1e-3, 0
		if want.J == 10 && want.Rho == 2 {
			allowed = 0.03
		}
		got := trace[len(trace)-1]
		for i, v := range trace {
			if v < got-0.01 {
				close = i + 1
			}
		}
		if math.Abs(got-want.ELBO) > allowed {
			t.Errorf("%s, J = %d, ρ = %g, %s: ELBO %.5f, want %.5f", want.Model, want.J, want.Rho, guide, got,
				want.ELBO)
		}
		most := map[string]int{"true": 25}[want.Model]
		if most == 0 {
			most = 60
		}
		if n := trips * (close + 1); n > most {
			t.Errorf("%s, J = %d, ρ = %g, %s: %d round trips to 0.01 nats", want.Model, want.J, want.Rho,
				guide, n)
		}
		if n := env.Work().Sequential; n > int64(trips*len(trace)) {
			t.Errorf("%d round trips for %d iterations", n, len(trace))
		}
	}
	if seen != 50 {
		t.Errorf("%d panels", seen)
	}
}

// paperLogistic binds the logistic model to the paper's design.
func paperLogistic(t *testing.T, folder string, clients int, kind def.Transform,
	rho float64) *compile.BoundModel {
	t.Helper()
	files := map[string]string{}
	outcome, err := os.ReadFile(filepath.Join(folder, "paper/logistic/server.csv"))
	if err != nil {
		t.Fatal(err)
	}
	files["server.csv"] = string(outcome)
	tables, err := testmodel.LogisticTables(folder, clients)
	if err != nil {
		t.Fatal(err)
	}
	text, predictor := "data y : binary[N] @ shared\nparam b ~ normal(0, 1)\n", "b"
	for j := 1; j <= clients; j++ {
		files[fmt.Sprintf("c%d.csv", j)] = tables[j-1]
		text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : "+
			"real[P%[1]d] ~ normal(0, 1) @ c%[1]d\n", j)
		predictor += fmt.Sprintf(" + X%d * t%[1]d", j)
	}
	return bindFiles(t, text+"y ~ bernoulli_logit("+predictor+")\n", kind, rho, files)
}
