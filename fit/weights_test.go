package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/testmodel"
)

// weightedText is the text of a GLM whose intercept and second client's coefficients are weights.
func weightedText(m testmodel.GLM) string {
	return strings.NewReplacer("param t2 : real[P2] ~ normal(0, 1) @ c2",
		"weight t2 : real[P2] init lecun_normal @ c2", "param b ~ normal(0, 1)",
		"weight b").Replace(glmText(m))
}

func weighted(t *testing.T, m testmodel.GLM) *compile.BoundModel {
	return bindFiles(t, weightedText(m), m.Transform, m.Rho, glmFiles(m))
}

// addedNoise is the variance that auxiliary variables add to that of the response, for two clients.
func addedNoise(m testmodel.GLM) float64 {
	switch v := m.Rho * m.Rho; {
	case m.Transform.Augmented():
		return 2 * v
	case m.Transform.Noise():
		return v / 2
	}
	return 0
}

// generalised are the least squares coefficients of the intercept and of the second client's columns where y
// ~ N(Zw, V), V = X₁X₁ᵀ + (σ² + v)I: what maximises the density with the first client's coefficients
// integrated out.
func generalised(t *testing.T, m testmodel.GLM) []float64 {
	n, p := len(m.Y), len(m.X[1])/len(m.Y)
	x, z := mat.NewDense(len(m.X[0])/n, n, m.X[0]), mat.NewDense(n, 1+p, nil)
	for i := range n {
		z.Set(i, 0, 1)
		for k := range p {
			z.Set(i, 1+k, m.X[1][k*n+i])
		}
	}
	var v, vz, vy, zz, zy, w mat.Dense
	v.Mul(x.T(), x)
	for i := range n {
		v.Set(i, i, v.At(i, i)+m.Sigma*m.Sigma+addedNoise(m))
	}
	for _, err := range []error{vz.Solve(&v, z), vy.Solve(&v, mat.NewDense(n, 1, m.Y))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	zz.Mul(z.T(), &vz)
	zy.Mul(z.T(), &vy)
	if err := w.Solve(&zz, &zy); err != nil {
		t.Fatal(err)
	}
	return w.RawMatrix().Data
}

// weightNames are the columns of the weights of weightedText, in the order of generalised.
func weightNames(m testmodel.GLM) []string {
	names := []string{"b"}
	for k := range len(m.X[1]) / len(m.Y) {
		names = append(names, fmt.Sprintf("t2[%d]", k+1))
	}
	return names
}

// Normal likelihood: the posterior's covariance does not depend on the weights, nor does how far the best
// guide is from the posterior. So the ELBO is greatest where the marginal density is: at generalised least
// squares, in every transform and for every Gaussian guide.
func TestWeightsAreGeneralisedLeastSquares(t *testing.T) {
	m := testmodel.Linear(3, 40, []int{2, 3}, 0.8)
	m.Rho = 0.6
	for _, c := range []struct {
		transform def.Transform
		guides    []string
	}{
		{stdlib.NoTransform, []string{""}}, {stdlib.Exact, []string{""}},
		{stdlib.Augmented, []string{"structured", "noncentered", "meanfield"}},
		{stdlib.Power, []string{"structured"}},
	} {
		m.Transform = c.transform
		want, b := generalised(t, m), weighted(t, m)
		for _, guide := range c.guides {
			given := map[string]string{"schedule": "cosine", "lr": "1e-2",
				"iterations": "10000", "draws": "10"}
			if guide != "" {
				given["guide"] = guide
			}
			f, err := prepared(t, b, backend(t, "sfvi"), given).approximate(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for k, name := range weightNames(m) {
				if got := meanOf(t, f, name); math.Abs(got-want[k]) > 0.004 {
					t.Errorf("%s %s: %s is %.5f, least squares %.5f", c.transform, guide, name, got, want[k])
				}
			}
			if !f.info.Fit.Judged || !f.info.Fit.Converged {
				t.Errorf("%s %s: not converged: %+v", c.transform, guide, f.info.Fit)
			}
		}
	}
}

// Where every parameter is a weight nothing is random under exact: the ELBO is the log density, whose
// greatest value is that of least squares.
func TestWeightsAlone(t *testing.T) {
	m := testmodel.Linear(3, 40, []int{2, 3}, 0.8)
	m.Transform = stdlib.Exact
	text := strings.Replace(weightedText(m), "param t1 : real[P1] ~ normal(0, 1) @ c1",
		"weight t1 : real[P1] @ c1", 1)
	b := bindFiles(t, text, m.Transform, 0, glmFiles(m))
	f, err := prepared(t, b, backend(t, "sfvi"), map[string]string{"lr": "1e-2", "iterations": "6000",
		"draws": "4", "elbo-draws": "10"}).approximate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var z, w mat.Dense
	n := len(m.Y)
	columns := mat.NewDense(6, n, nil)
	for i := range n {
		columns.Set(0, i, 1)
		for k := range 2 {
			columns.Set(1+k, i, m.X[0][k*n+i])
		}
		for k := range 3 {
			columns.Set(3+k, i, m.X[1][k*n+i])
		}
	}
	z.CloneFrom(columns.T())
	y := mat.NewDense(n, 1, m.Y)
	if err := w.Solve(&z, y); err != nil {
		t.Fatal(err)
	}
	var r mat.Dense
	r.Mul(&z, &w)
	r.Sub(y, &r)
	best := -float64(n) * math.Log(m.Sigma*math.Sqrt(2*math.Pi))
	for i := range n {
		best -= r.At(i, 0) * r.At(i, 0) / (2 * m.Sigma * m.Sigma)
	}
	elbo := f.info.Fit.Final
	if math.Abs(elbo.Value-best) > 1e-3 || elbo.SE > 1e-12 {
		t.Errorf("ELBO %.6f ± %g, the greatest log density is %.6f", elbo.Value, elbo.SE, best)
	}
	if k := f.khat(); k != 0 {
		t.Errorf("k̂ is %v where nothing is random", k)
	}
	if !f.info.Fit.Converged {
		t.Errorf("not converged: %+v", f.info.Fit)
	}
	for i, name := range []string{"b", "t1[1]", "t1[2]", "t2[1]", "t2[2]", "t2[3]"} {
		if got := meanOf(t, f, name); math.Abs(got-w.At(i, 0)) > 1e-3 {
			t.Errorf("%s is %.5f, least squares %.5f", name, got, w.At(i, 0))
		}
	}
}

// soul maximises over the server's weights like over its parameters: with a normal likelihood the intercept
// is that of generalised least squares.
func TestServerWeightUnderSoul(t *testing.T) {
	m := testmodel.Linear(12, 60, []int{2, 3}, 0.8)
	m.Rho = 0.6
	text := strings.Replace(glmText(m), "param b ~ normal(0, 1)", "weight b init ones", 1)
	for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
		b := bindFiles(t, text, m.Transform, m.Rho, glmFiles(m))
		f := conditionalRun(t, b, map[string]string{"tolerance": "0.003", "draws": "20"})
		n := len(m.Y)
		v, ones := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			ones.Set(i, 0, 1)
			for j := range n {
				for _, x := range m.X {
					for k := range len(x) / n {
						v.Set(i, j, v.At(i, j)+x[k*n+i]*x[k*n+j])
					}
				}
			}
			v.Set(i, i, v.At(i, i)+m.Sigma*m.Sigma+addedNoise(m))
		}
		var v1, a, c mat.Dense
		if err := v1.Solve(v, ones); err != nil {
			t.Fatal(err)
		}
		a.Mul(v1.T(), mat.NewDense(n, 1, m.Y))
		c.Mul(v1.T(), ones)
		want := a.At(0, 0) / c.At(0, 0)
		if got := meanOf(t, f, "b"); math.Abs(got-want) > 0.02*math.Abs(want) {
			t.Errorf("%s: b is %.4f, least squares %.4f", m.Transform, got, want)
		}
	}
}

// With weights too, one loop and a goroutine per party give the same bits, of all rows and of minibatches;
// initial values are each party's own.
func TestWeightsAreTheSameApart(t *testing.T) {
	m := testmodel.Linear(9, 45, []int{2, 3}, 0.7)
	m.Rho = 0.8
	for _, m.Transform = range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		b := weighted(t, m)
		inWindows(t, b, 12, 5)
		for _, guide := range []string{"structured", "noncentered", "meanfield", "amortized"} {
			for _, batch := range []string{"0", "12"} {
				given := map[string]string{"iterations": "60", "draws": "10", "elbo-every": "20",
					"elbo-draws": "50", "minibatch": batch}
				if !m.Transform.CutsCross() {
					given["guide"] = guide
				}
				one, apart := drawsOf(t, b.Plan, session.OneLoop, "sfvi", given),
					drawsOf(t, b.Plan, session.PerParty, "sfvi", given)
				for _, party := range b.Plan.Names {
					if !sameBits(one[party], apart[party]) {
						t.Errorf("%s %v: %s draws otherwise in a goroutine of its own", m.Transform, given,
							party)
					}
				}
			}
		}
	}
}

// A fit with weights that is interrupted and resumed is the whole fit, bit for bit.
func TestWeightsResume(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{2, 2}, 0.7)
	m.Rho, m.Transform = 0.8, stdlib.Augmented
	b, a := weighted(t, m), backend(t, "sfvi")
	run := func(ctx context.Context, at int64, dir string, resumed bool) *fitted {
		p := prepared(t, b, a, map[string]string{"iterations": "200", "draws": "10", "elbo-draws": "64"})
		ctx, interrupt := context.WithCancel(ctx)
		defer interrupt()
		if at > 0 {
			p.Algorithm = interrupting(a, at, interrupt)
		}
		p.options.Dir, p.options.Resume = dir, resumed
		return sampled(t, p, ctx.Done())
	}
	want := run(t.Context(), 0, "", false)
	for _, at := range []int64{1, 120} {
		dir := t.TempDir()
		if part := run(t.Context(), at, dir, false); !part.interrupted {
			t.Fatalf("interrupted at %d, it reports that it was not", at)
		}
		sameDraws(t, fmt.Sprintf("interrupted at %d", at), want.draws, run(t.Context(), 0, dir, true).draws)
	}
}

// Rows of weights are points, marked as such, and the note names them; of the other rows nothing changes.
func TestSummaryMarksWeights(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{2, 2}, 0.7)
	m.Rho, m.Transform = 0.8, stdlib.Augmented
	p := prepared(t, weighted(t, m), backend(t, "sfvi"), map[string]string{"iterations": "100", "draws": "10",
		"elbo-draws": "64"})
	p.Record.Backend = "sfvi"
	r := p.result(sampled(t, p, nil))
	for _, row := range r.Summary() {
		point := !strings.HasPrefix(row.Name, "t1")
		if row.Point != point || math.IsNaN(float64(row.SD)) != point ||
			math.IsNaN(float64(row.Q95)) != point || math.IsNaN(float64(row.Mean)) {
			t.Errorf("%+v", row)
		}
	}
	if want := "b, t2 are weights: point estimates"; !strings.HasPrefix(r.Document.Note, want) {
		t.Errorf("the note is %q, want %q…", r.Document.Note, want)
	}
	for _, f := range r.Diagnose() {
		if strings.Contains(f.Try, "nuts") {
			t.Errorf("advice that weights refuse: %s", f.Try)
		}
	}
}

// Shared weights begin as their kind has it, once, at the server.
func TestSharedWeightsBegin(t *testing.T) {
	f := compiletest.Fixture{
		Text: "client a\ndata y : real[N]\ndata X : real[N, 2] @ a from x, z\nweight w : real[2] init " +
			"ones @ shared\nparam h ~ normal(0, 1) @ a\ny ~ normal(X * w + h, 1)\n",
		Tables: map[string]string{"server": "id,y\n1,1\n2,2\n", "a": "id,x,z\n1,1,3\n2,2,5\n"},
	}
	b := f.Bind(t, check.Options{Transform: stdlib.Exact, Accept: diag.AcceptanceNames()})
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	var theta, values [][]float64
	for k, block := range env.Blocks() {
		theta, values = append(theta, make([]float64, block.Dim())),
			append(values, make([]float64, block.Dim()))
		if weights := block.Weights(); (len(weights) == 2) != (k == 0) {
			t.Fatalf("party %d has weights %v", k, weights)
		}
		block.StartWeights(theta[k], env.Private(k, "weights"))
	}
	if err := env.Values(t.Context(), density.Draw{Theta: theta}, values); err != nil {
		t.Fatal(err)
	}
	if values[0][0] != 1 || values[0][1] != 1 {
		t.Errorf("the weights begin at %v", values[0])
	}
}
