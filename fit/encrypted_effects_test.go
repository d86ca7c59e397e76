package fit

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// What groupedModel takes for the prior of effects whose scale is a parameter, at the client with them or at
// the server.
const (
	scaleAtClient = "param s ~ half_normal(1) @ left\nparam a : real[G] ~ normal(0, s) @ left\n"
	scaleAtServer = "param s ~ half_normal(1) @ shared\nparam a : real[G] ~ normal(0, s) @ left\n"
)

// withScale binds groupedModel with groups at the client left, or at the server.
func withScale(t *testing.T, rows int, prior, likelihood string) *compile.BoundModel {
	t.Helper()
	text, files := fmt.Sprintf(groupedModel, prior), groupedTables(rows, 8, rows/12)
	if prior == "" { // all at the server
		text = strings.NewReplacer("data g : level(G)[N] @ left", "data g : level(G)[N]", "param u",
			strings.ReplaceAll(scaleAtClient, " @ left", "")+"param u").Replace(fmt.Sprintf(groupedModel, ""))
		y, g := strings.Split(files["server.csv"], "\n"), strings.Split(files["left.csv"], "\n")
		for i, line := range g[:len(g)-1] {
			id, rest, _ := strings.Cut(line, ",")
			group, x, _ := strings.Cut(rest, ",")
			y[i], g[i] = y[i]+","+group, id+","+x
		}
		files["server.csv"], files["left.csv"] = strings.Join(y, "\n"), strings.Join(g, "\n")
	}
	if likelihood != "" {
		text = strings.NewReplacer("binary", strings.Fields(likelihood)[0], "bernoulli_logit(",
			strings.Fields(likelihood)[1]).Replace(text)
	}
	if strings.HasPrefix(likelihood, "real") { // in large units
		text = strings.NewReplacer("(0, 5)", "(0, 5000)", "(0, 2.5)", "(0, 2500)", "half_normal(1)",
			"half_normal(500)", "v)\n", "v, 480)\n").Replace(text)
		files["server.csv"] = strings.ReplaceAll(files["server.csv"], ",1\n", ",1000\n")
	}
	return bound(t, besideModel(t, text, files), check.Options{Transform: stdlib.Exact,
		Accept: diag.Accepted{"few-rows"}})
}

// A pooled has all columns, of which eight from effects on are those of groups, and the likelihood of a
// predictor.
type pooled struct {
	x       [][]float64
	sds     []float64 // of priors
	unit    float64   // of that of the scale of effects
	effects int
	rows    *density.RowLikelihood
}

func pool(t *testing.T, blocks []density.Block) (m pooled) {
	t.Helper()
	for _, b := range blocks {
		lin, err := density.Linearised(b)
		if err != nil {
			t.Fatal(err)
		}
		at := &lin.Cuts
		if b.Index() == 0 {
			m.rows = &lin.Rows[0]
			at = &m.rows.Affine
		}
		n := len(at.Offset)
		if b.Index() <= 1 && len(at.Matrix) > 8*n {
			m.effects = len(m.x) // they are declared first at a client, and after the intercept at the server
			if b.Index() == 0 {
				m.effects++
			}
		}
		for j := range len(at.Matrix) / n {
			m.x = append(m.x, at.Matrix[j*n:][:n])
			m.sds = append(m.sds, 1/math.Sqrt(lin.Prior.Precision[j*len(lin.Index)+j]))
		}
	}
	return m
}

// given is Laplace's approximation where the scale of effects is s: the logarithm of the marginal density of
// log s, the mean and the covariance.
func (m pooled) given(s float64, theta []float64) (marginal float64, covariance mat.Dense) {
	p, n := len(m.x), len(m.x[0])
	for j := range 8 {
		m.sds[m.effects+j] = s
	}
	lp, slope, above, eta := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	const h = 1e-4
	for step := range 6 {
		for i := range eta {
			eta[i] = m.rows.Offset[i]
			for j, x := range m.x {
				eta[i] += theta[j] * x[i]
			}
			eta[i] += h
		}
		m.rows.Evaluate(nil, eta, lp, above, nil, nil)
		for i := range eta {
			eta[i] -= h
		}
		m.rows.Evaluate(nil, eta, lp, slope, nil, nil)
		g, hessian := mat.NewVecDense(p, nil), mat.NewSymDense(p, nil)
		marginal = math.Log(s) - s*s/(2*m.unit*m.unit)
		for i := range eta {
			marginal += lp[i]
			for j, x := range m.x {
				if x[i] == 0 {
					continue
				}
				g.SetVec(j, g.AtVec(j)+slope[i]*x[i])
				for k := range j + 1 {
					hessian.SetSym(j, k, hessian.At(j, k)+(slope[i]-above[i])/h*x[i]*m.x[k][i])
				}
			}
		}
		for j, sd := range m.sds {
			g.SetVec(j, g.AtVec(j)-theta[j]/(sd*sd))
			hessian.SetSym(j, j, hessian.At(j, j)+1/(sd*sd))
			marginal -= theta[j]*theta[j]/(2*sd*sd) + math.Log(sd)
		}
		var c mat.Cholesky
		c.Factorize(hessian)
		marginal -= c.LogDet() / 2
		var by mat.VecDense
		if err := c.SolveVecTo(&by, g); err != nil {
			panic(err)
		}
		if step == 5 {
			var inverse mat.SymDense
			if err := c.InverseTo(&inverse); err != nil {
				panic(err)
			}
			covariance.CloneFrom(&inverse)
			break
		}
		for j := range theta {
			theta[j] += by.AtVec(j)
		}
	}
	return marginal, covariance
}

// moments are means and standard deviations of log s and then of all coefficients, by a grid over log s.
func (m pooled) moments() (mean, sd []float64) {
	const nodes = 40
	p := len(m.x)
	theta, top := make([]float64, p), math.Inf(-1)
	var logs []float64
	var values [][]float64
	for k := range nodes {
		u := math.Log(m.unit) - 2.5 + 4.5*float64(k)/nodes
		marginal, c := m.given(math.Exp(u), theta)
		row := []float64{u, u * u}
		for j, v := range theta {
			row = append(row, v, v*v+c.At(j, j))
		}
		logs, values, top = append(logs, marginal), append(values, row), math.Max(top, marginal)
	}
	total, sums := 0.0, make([]float64, 2*(1+p))
	for k, row := range values {
		w := math.Exp(logs[k] - top)
		total += w
		for i, v := range row {
			sums[i] += w * v
		}
	}
	for i := 0; i < len(sums); i += 2 {
		v := sums[i] / total
		mean, sd = append(mean, v), append(sd, math.Sqrt(sums[i+1]/total-v*v))
	}
	return mean, sd
}

// ordered puts what there is by element of θ in the order of moments.
func ordered(t *testing.T, blocks []density.Block, v []float64) (out []float64) {
	t.Helper()
	var rest []float64
	for _, b := range blocks {
		lin, err := density.Linearised(b)
		if err != nil {
			t.Fatal(err)
		}
		if lin.Given != nil && len(lin.Given.Hyper) > 0 {
			out = append(out, v[lin.Given.Hyper[0]])
		}
		for _, i := range lin.Index {
			rest = append(rest, v[i])
		}
		v = v[b.Dim():]
	}
	return append(out, rest...)
}

// Where the scale of effects is a parameter, the posterior of all of them is that of Laplace's approximation
// at each value of it, integrated over these, although the likelihood is expanded once: at the client with
// the effects, at the server, or both; and of one pair of curvatures and few gradients. Weights have little
// to correct.
func TestEffectsWithAScale(t *testing.T) {
	for name, c := range map[string]struct{ prior, likelihood string }{
		"at the client":    {scaleAtClient, ""},
		"at the server":    {scaleAtServer, ""},
		"with the effects": {"", ""},
		"counts":           {scaleAtClient, "count poisson_log("},
		"large units":      {scaleAtServer, "real normal("},
	} {
		b := withScale(t, 2400, c.prior, c.likelihood)
		hub, env := clearing(t, b)
		m := pool(t, env.Blocks())
		if m.unit = 1; name == "large units" {
			m.unit = 500
		}
		wantMean, wantSD := m.moments()
		given := map[string]string{"estimator": "nested", "draws": "8000", "correct": "false"}
		k := encryptedFit(t, b, env, given)
		check := func(what string, ids []int, allowed float64) {
			mean, sd := drawMoments(env, k, ids)
			mean, sd = ordered(t, env.Blocks(), mean), ordered(t, env.Blocks(), sd)
			for i, m := range wantMean {
				if off, wider := (mean[i]-m)/wantSD[i], sd[i]/wantSD[i]-1; math.Abs(off) > allowed ||
					math.Abs(wider) > allowed {
					t.Errorf("%s, %s: mean %d is %.3f standard deviations off, its "+
						"standard deviation by %.3f", name, what, i, off, wider)
				}
			}
		}
		check("uncorrected", firstIDs(8000), 0.05)
		if hub.Evaluations > 12 || hub.Openings != 1 {
			t.Errorf("%s: %d evaluations, %d curvatures", name, hub.Evaluations, hub.Openings)
		}
		given["correct"], given["draws"] = "true", "2000"
		_, env = clearing(t, b)
		k = encryptedFit(t, b, env, given)
		f := &fitted{ratios: k.(backends.Weighted).Ratios()}
		ids := Correct(env, k, 2000)
		if khat := float64(f.khat()); ids == nil || khat > 0.4 {
			t.Errorf("%s: k̂ %.2f, %d draws", name, khat, len(ids))
		}
		check("corrected", ids, 0.1)
		t.Log(name, hub.Evaluations, hub.Trips, float64(f.khat()))
	}
}

// Priors that are not normal given parameters of one party, or effects that are so by a factor, are refused
// by name before there are keys, with the way out.
func TestRefusedEffects(t *testing.T) {
	for want, prior := range map[string]string{
		"its contribution depends on more than coefficients with normal priors":  "param s ~ half_normal(1) @ left\nparam w : real[G] ~ normal(0, 1) @ left\nlet a : real[G] = s * w @ left\n",
		"there are 8 parameters that priors depend on, and a grid has at most 4": "param s : real[G] ~ half_normal(1) @ left\nparam a : real[G] ~ normal(0, s) @ left\n",
		"left and right have effects whose prior depends on parameters": scaleAtClient +
			"param r ~ half_normal(1) @ right\n",
		"left has a parameter that no effects with normal priors depend on": "param r ~ half_normal(1) @ " +
			"left\nparam a : real[G] ~ normal(0, 2) @ left\n",
	} {
		text := fmt.Sprintf(groupedModel, prior)
		if strings.Contains(prior, "@ right") {
			text = strings.Replace(text, "param v ~ normal(0, 2.5)", "param v ~ normal(0, r)", 1)
		}
		p, diags, err := OpenBound(bindFiles(t, text, stdlib.Exact, 0, groupedTables(2400, 8, 200)),
			Options{
				Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted",
					"correct": "false"}, ring: 8,
			})
		if err == nil && !diags.HasErrors() {
			_, err = p.Sample(t.Context(), nil)
		}
		var refused data.Errors
		if errors.As(err, &refused) {
			diags = diag.List(refused)
		}
		if len(diags) == 0 || diags[0].Code != diag.NotEncrypted ||
			!strings.Contains(diags[0].Message, want) || len(diags[0].Notes) == 0 {
			t.Errorf("%s: %v %v", want, diags, err)
		}
	}
}

// Across processes such a run is what one process makes of it, and what crosses is what the audit lists; as
// many numbers become known as are foreseen.
func TestPartiesOfEffectsWithAScale(t *testing.T) {
	t.Parallel()
	const groups = 3
	few := check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}}
	text, given := fmt.Sprintf(groupedModel, scaleAtServer),
		map[string]string{"wire": "encrypted", "correct": "false"}
	small := bound(t, besideModel(t, text, groupedTables(250, groups, 50)), few)
	if by := foreseenAsCounted(t, small, 8).Record.Settings["estimator"]; fmt.Sprint(by) != byNested {
		t.Errorf("--estimator %v", by)
	}
	files := groupedTables(3200, groups, 500)
	b := bound(t, besideModel(t, text, files), few)
	_, env := clearing(t, b)
	k := encryptedFit(t, b, env, map[string]string{"estimator": byNested, "correct": "false"})
	mean, sd := drawMoments(env, k, firstIDs(10000))
	mean, sd = ordered(t, env.Blocks(), mean), ordered(t, env.Blocks(), sd)
	seen, times, lock := map[string][]int{}, map[string]int{}, sync.Mutex{}
	results := runApart(t, partiesOf(t, b, files), Options{Algorithm: backend(t, "sfvi"), Settings: given,
		Seed: 5, ring: 8}, func(name string, end transport.Transport) transport.Transport {
		return recorder{end, name, &lock, seen, times}
	})
	crossedAsListed(t, b, "sfvi", given, seen, times)
	for _, r := range results {
		for _, row := range r.Summary() {
			at := map[string]int{"b": 1, "u": groups + 2, "v": groups + 3}[row.Name]
			if at == 0 {
				continue
			}
			if off, wider := (float64(row.Mean)-mean[at])/sd[at],
				float64(row.SD)/sd[at]-1; math.Abs(off) > .05 || math.Abs(wider) > .1 {
				t.Errorf("%s is %.3f standard deviations off, its standard deviation by %.3f", row.Name, off,
					wider)
			}
		}
	}
}

const byNested = "nested"

// Effects of two kinds with a correlation that is a parameter too have three of these, and a normal
// likelihood a scale of its own: draws need few weights, by the exact joint density, and these change them
// little.
func TestCorrelatedEffectsOfEncryptedRows(t *testing.T) {
	text := strings.NewReplacer("binary", "real", "bernoulli_logit(b + a[g] +",
		"normal(b + a[g, 1] + (a[g, 2]) .* x +", "v)", "v, r)").Replace(fmt.Sprintf(groupedModel,
		"param r ~ half_normal(1)\nparam s : real[2] ~ half_normal(1) @ left\nparam L : corr_cholesky[2] ~ "+
			"lkj_corr_cholesky(2) @ left\nparam a : real[G, 2] ~ "+
			"multi_normal_cholesky(0, col(s) .* L) @ left\n"))
	b := bound(t, besideModel(t, text, groupedTables(1500, 8, 100)),
		check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}})
	hub, env := clearing(t, b)
	hub.Budget = 400 // fewer weights than leave enough draws
	given := map[string]string{"estimator": byNested}
	k := encryptedFit(t, b, env, given)
	if ok, err := k.(backends.Weighted).Correctable(); ok || err == nil ||
		!strings.Contains(err.Error(), "fewer than 500 more sums over rows may be decrypted") ||
		hub.LogLiks > 1 {
		t.Error(ok, err, hub.LogLiks)
	}
	mean, sd := drawMoments(env, k, firstIDs(10000))
	given["correct"], given["draws"] = "true", "2000"
	_, env = clearing(t, b)
	k = encryptedFit(t, b, env, given)
	f := &fitted{ratios: k.(backends.Weighted).Ratios()}
	ids := Correct(env, k, 2000)
	if khat := float64(f.khat()); ids == nil || khat > 0.5 {
		t.Errorf("k̂ %.2f, %d draws", khat, len(ids))
	}
	corrected, spread := drawMoments(env, k, ids)
	for i, m := range mean {
		off, wider := (corrected[i]-m)/sd[i], spread[i]/sd[i]-1
		if math.Abs(off) > .1 || math.Abs(wider) > .1 {
			t.Errorf("weights move mean %d by %.3f standard deviations, and its standard deviation by %.3f",
				i, off, wider)
		}
	}
	var saved bytes.Buffer
	settings, err := backend(t, "sfvi").Resolve(b.Checked.Transform.Kind, given)
	if err == nil {
		err = k.Save(&saved)
	}
	good(t, nil, err)
	loaded, err := backend(t, "sfvi").New(env, settings)
	if err == nil {
		err = loaded.Load(&saved)
	}
	good(t, nil, err)
	if again, _ := drawMoments(env, loaded, Correct(env, loaded, 2000)); !slices.Equal(again, corrected) {
		t.Error("draws of a state that was saved are others")
	}
}

// Of a model none of whose priors depends on a parameter, estimator auto lists and counts over encrypted rows
// what quadrature does; of one with a scale also what its effects tell, which are more numbers.
func TestAutoCountsWhatPriorsAsk(t *testing.T) {
	for prior, more := range map[string]bool{"half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau)": true,
		"normal(0, 1) @ a\nparam u : real[G] ~ normal(0, 1)": false} {
		text := strings.Replace(groupedText, "half_normal(1) @ a\nparam u : real[G] ~ normal(0, tau)", prior, 1)
		if !more {
			text = strings.Replace(text, "u[g])", "u[g] + tau)", 1)
		}
		m, diags := compiletest.Try(t, source.New("m.vfl", text), check.Options{Transform: stdlib.Exact,
			Accept: diag.AcceptanceNames()})
		good(t, diags, nil)
		bundle, diags := m.Bundle()
		good(t, diags, nil)
		var usual [2]int
		for i, by := range []string{"auto", "quadrature"} {
			uses, err := Exchanges(bundle.Manifest, backend(t, "sfvi"),
				map[string]string{"estimator": by, "wire": "encrypted"})
			good(t, nil, err)
			usual[i], _ = density.Opened(uses, []int{1, 13, 1}, []bool{true, false, false})
		}
		if got := usual[0] > usual[1]; got != more {
			t.Errorf("%s: auto counts %d numbers, quadrature %d", prior, usual[0], usual[1])
		}
	}
}
