package laplace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/tests/testmodel"
)

// moments are means and covariance of the draws of all parties.
func moments(c *testmodel.Clearing, k *laplace.Kernel, draws int) (mean, covariance []float64) {
	var theta [][]float64
	p := 0
	for _, d := range c.Columns() {
		theta, p = append(theta, make([]float64, d)), p+d
	}
	mean, covariance = make([]float64, p), make([]float64, p*p)
	all := make([][]float64, draws)
	for id := range all {
		k.Draw(id, theta)
		for _, v := range theta {
			all[id] = append(all[id], v...)
		}
		for i, x := range all[id] {
			mean[i] += x / float64(draws)
		}
	}
	for _, x := range all {
		for i := range p {
			for j := range p {
				covariance[i*p+j] += (x[i] - mean[i]) * (x[j] - mean[j]) / float64(draws)
			}
		}
	}
	return mean, covariance
}

// opened is how many numbers of a victim's rows were decrypted to a coalition in a fit without weights, by
// the exchanges that it had: first parties by themselves, then the server's steps.
func opened(c *testmodel.Clearing, in []bool) int {
	together := c.Consultations - 3 // after the start, before deviations and evidence
	own := c.Evaluations - (together - c.Openings)
	known := map[density.Decryption]int{
		{Sums: density.Outlined, Number: 2}: 1, {Sums: density.OwnGradients}: c.Evaluations,
		{Sums: density.CrossProducts}: c.Openings,
		{Sums: density.Gradients}:     together, {Sums: density.Steps}: together,
		{Sums: density.Covariances}:       1,
		{Sums: density.Totals, Number: 1}: c.LogLiks, {Sums: density.Told, Number: 1}: 10 + 2*together,
		{Sums: density.Announced, Number: 1}: c.Evaluations + 3,
	}
	for i := range own {
		known[density.Decryption{Sums: density.Parts, Number: min(i+1, 9)}]++
	}
	total := density.Learned(known, c.Columns(), in)
	if _, most := density.Opened(laplace.Exchanges(100, 0, true), c.Columns(), in); total > most {
		panic("more was decrypted than is declared")
	}
	return total
}

// Of 10,000 rows of two clients with ten columns each, and 5 % of ones, the mean of the nearest Gaussian is
// within a 20th of a posterior standard deviation after at most 15 evaluations, and so few sums are decrypted
// that the budget of a 20th of the rows holds for a curious server, and of 20,000 rows for a coalition of all
// parties but one.
func TestTheMeanIsFoundInFewEvaluations(t *testing.T) {
	for _, c := range []struct {
		kind string
		rate float64
	}{{"logistic", 0.5}, {"logistic", 0.05}, {"probit", 0.05}, {"poisson", 0.5}, {"normal", 0}} {
		most, off, alone, together := 0, 0.0, 0, 0
		for seed := range uint64(10) {
			m := design{rows: 10000, clients: 2, columns: 10, kind: c.kind, rate: c.rate, seed: seed}.draw()
			hub := m.clearing(t)
			k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
			if err != nil {
				t.Fatal(c, seed, err)
			}
			mean, _ := moments(hub, k, 2)
			off = max(off, m.distance(mean))
			most = max(most, hub.Evaluations)
			alone, together = max(alone, opened(hub, []bool{true, false, false})),
				max(together, opened(hub, []bool{true, true, false}))
		}
		t.Logf("%s, rate %g: at most %d evaluations, %.4f standard deviations, %d numbers to the "+
			"server, %d to all but one", c.kind, c.rate, most, off, alone, together)
		if most > 15 || off > 0.05 || alone > 10000/20 || together > 20000/20 {
			t.Errorf("%s, rate %g: %d evaluations, %.3f standard deviations, %d and %d numbers", c.kind,
				c.rate, most, off, alone, together)
		}
	}
}

// distance is how far a point is from the mean of the nearest Gaussian, in standard deviations.
func (m *regression) distance(theta []float64) (most float64) {
	mode, covariance := m.gaussian(theta)
	for i, v := range mode {
		most = max(most, math.Abs(theta[i]-v)/math.Sqrt(covariance[i*len(mode)+i]))
	}
	return most
}

// Also where columns of different clients are nearly the same, and one step by blocks would go five or ten
// times as far as it should. The mode is more than a standard deviation from the mean where 41 coefficients
// have 200 ones, and takes 8 pairs of evaluations around it.
func TestCorrelatedClients(t *testing.T) {
	for _, clients := range []int{1, 2, 5, 10} {
		for _, d := range []design{{rho: 0.7}, {rho: 0.9}, {rho: 0.7, pairs: true}, {rho: 0.9, pairs: true}} {
			d.rows, d.clients, d.columns, d.kind, d.rate, d.seed = 2000, clients, 4, "logistic", 0.1, 3
			m := d.draw()
			hub := m.clearing(t)
			k, err := run(t.Context(), hub.Env(m.all()...), laplace.Options{Iterations: 100, Draws: 400})
			if err != nil {
				t.Fatal(d, err)
			}
			mean, covariance := moments(hub, k, 400)
			mode, want := m.gaussian(mean)
			off, wider := m.distance(mean), 0.0
			for i := range mode {
				wider = max(wider, math.Abs(math.Sqrt(covariance[i*len(mode)+i]/want[i*len(mode)+i])-1))
			}
			if off > 0.05 || wider > 0.05 || hub.Evaluations > 15+2*8 || hub.Openings > 2 {
				t.Errorf("%+v: %.3f standard deviations, these off by %.3f, %d evaluations, "+
					"curvature decrypted %d times", d, off, wider, hub.Evaluations, hub.Openings)
			}
		}
	}
}

// The draws have the covariance of the curvature at the mode. With a normal likelihood that is the posterior:
// all weights are equal, and the evidence is exact.
func TestDrawsHaveTheCurvatureAtTheMode(t *testing.T) {
	for _, kind := range []string{"normal", "logistic"} {
		m := design{rows: 300, clients: 2, columns: 2, rho: 0.6, kind: kind, rate: 0.3, seed: 2}.draw()
		hub := m.clearing(t)
		k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 40000,
			Correct: true, Weights: 600})
		if err != nil {
			t.Fatal(err)
		}
		mean, got := moments(hub, k, 40000)
		mode, want := m.gaussian(mean)
		p := len(mode)
		for i := range p {
			for j := range p {
				if d := math.Abs(got[i*p+j]-want[i*p+j]) / math.Sqrt(want[i*p+i]*want[j*p+j]); d > 0.03 {
					t.Errorf("%s: covariance of %d and %d is %g, want %g", kind, i, j, got[i*p+j],
						want[i*p+j])
				}
			}
		}
		able, _ := k.Correctable()
		if len(k.Ratios()) != 600 || !able || hub.LogLiks != 601 {
			t.Errorf("%s: %d weights of %d log likelihoods", kind, len(k.Ratios()), hub.LogLiks)
		}
		spread := 0.0
		for _, r := range k.Ratios() {
			spread = max(spread, math.Abs(r-k.Ratios()[0]))
		}
		if exact := spread < 1e-6; exact != (kind == "normal") {
			t.Errorf("%s: weights differ by %g", kind, spread)
		}
		if kind == "normal" {
			info, _ := k.Step(t.Context())
			if want := m.evidence(mode, want); math.Abs(info.Fit.Final.Value-want) > 1e-4 {
				t.Errorf("evidence %g, want %g", info.Fit.Final.Value, want)
			}
		}
	}
}

// evidence of a normal likelihood, without the priors' constants: the value at the mode and half the
// logarithm of the determinant of 2π times the covariance.
func (m *regression) evidence(mode, covariance []float64) (sum float64) {
	n, p := len(m.y), len(mode)
	for i, y := range m.y {
		eta := mode[0]
		for j, x := range m.x {
			for k := range len(x) / n {
				eta += mode[1+j*(len(x)/n)+k] * x[k*n+i]
			}
		}
		lp, _ := m.of(y, eta)
		sum += lp
	}
	for i, v := range mode {
		precision := atSlopes
		if i == 0 {
			precision = atIntercept
		}
		sum -= 0.5 * precision * v * v
	}
	a := append([]float64(nil), covariance...) // elimination
	for k := range p {
		sum += 0.5 * math.Log(2*math.Pi*a[k*p+k])
		for i := k + 1; i < p; i++ {
			f := a[i*p+k] / a[k*p+k]
			for j := k; j < p; j++ {
				a[i*p+j] -= f * a[k*p+j]
			}
		}
	}
	return sum
}

// Where few more log likelihoods may be decrypted there are no weights, and the fit says why; where none is
// wanted, none is decrypted but that of the mode.
func TestTheBudgetOfWeights(t *testing.T) {
	const numbers, bytes, draws = "fewer than 100 more sums", "more bytes than a run", "these are 60"
	for _, c := range []struct {
		budget, draws, weights, logLiks int
		wide, correct                   bool
		said                            string
	}{
		{400, 1000, 398, 399, false, true, ""},
		{400, 1000, 398, 399, true, true, ""},
		{100, 1000, 0, 1, false, true, numbers},
		{100, 1000, 0, 1, true, true, bytes},
		{0, 1000, 0, 0, false, true, numbers},
		{400, 60, 0, 1, false, true, draws},
		{400, 1000, 0, 1, false, false, ""},
	} {
		m := design{rows: 200, clients: 2, columns: 2, kind: "logistic", rate: 0.5}.draw()
		hub := m.clearing(t)
		hub.Budget, hub.Wide = c.budget, c.wide
		k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: c.draws,
			Correct: c.correct, Weights: 2000})
		if err != nil {
			t.Fatal(err)
		}
		_, why := k.Correctable()
		if said := why != nil && strings.Contains(why.Error(), c.said); len(k.Ratios()) != c.weights ||
			hub.LogLiks != c.logLiks || said != (c.said != "") {
			t.Errorf("%+v: %d weights, %d log likelihoods, %v", c, len(k.Ratios()), hub.LogLiks, why)
		}
	}
}

// Where log likelihoods are out of range there is no evidence, and no error unless weights are wanted.
func TestValuesOutOfRange(t *testing.T) {
	for _, correct := range []bool{false, true} {
		m := design{rows: 200, clients: 2, columns: 2, kind: "logistic", rate: 0.5}.draw()
		hub := m.clearing(t)
		hub.NoLogLik = true
		k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 1000,
			Correct: correct, Weights: 200})
		if errors.Is(err, density.ErrRange) != correct {
			t.Fatal(correct, err)
		}
		if info, _ := k.Step(t.Context()); !correct && (!info.Done || info.Fit.Final.N != 0) {
			t.Errorf("%+v", info)
		}
	}
}

// A step beyond the range of the encrypted likelihood is shortened; where the mode itself is beyond, the fit
// ends in an error that says so, as it does where the start is.
func TestRange(t *testing.T) {
	for limit, want := range map[float64]string{6: "", 1.5: "not in reach", 0.5: "at the start"} {
		m := design{rows: 500, clients: 2, columns: 3, kind: "logistic", rate: 0.3, seed: 4}.draw()
		hub := m.clearing(t)
		hub.Range = limit
		_, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
		if want == "" && err == nil {
			continue
		}
		if fit := (*backends.FitError)(nil); !errors.As(err, &fit) || want == "" ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("range %g: %v", limit, err)
		}
	}
	// The first step of a likelihood of counts goes far beyond, and halves lead back.
	m := design{rows: 500, clients: 2, columns: 3, kind: "poisson", rate: 3, seed: 1}.draw()
	hub := m.clearing(t)
	for _, x := range m.x {
		for i := range x {
			x[i] *= 6
		}
	}
	for i := range m.y {
		m.y[i] = math.Round(20 * math.Exp(0.1*m.x[0][i]))
	}
	hub.Range = 8
	k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := moments(hub, k, 2)
	if off := m.distance(mean); off > 0.05 {
		t.Errorf("%g standard deviations from the mode", off)
	}
}

// Covariates with long tails make steps of a likelihood of counts go too far, those of all parties together
// too: these are shortened until they lead on.
func TestStepsThatGoTooFar(t *testing.T) {
	for seed := range uint64(6) {
		m := design{rows: 800, clients: 2, columns: 3, kind: "poisson", rate: 0.5, seed: seed}.draw()
		r := rand.New(rand.NewPCG(seed, 1))
		eta := make([]float64, len(m.y))
		for _, x := range m.x {
			for i, v := range x {
				x[i] = v * math.Exp(0.9*math.Abs(v))
				eta[i%len(eta)] += 0.25 * x[i]
			}
		}
		for i, e := range eta {
			m.y[i] = math.Round(math.Exp(min(e, 7)) * r.ExpFloat64())
		}
		hub := m.clearing(t)
		k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
		if err != nil {
			t.Error(seed, hub.Evaluations, err)
			continue
		}
		mean, _ := moments(hub, k, 2)
		info, _ := k.Step(t.Context())
		off := m.distance(mean)
		t.Logf("seed %d: %.3f standard deviations, %d evaluations, curvature decrypted %d times", seed, off,
			hub.Evaluations, hub.Openings)
		if off > 0.05 || !info.Fit.Converged {
			t.Errorf("seed %d: %.3f standard deviations", seed, off)
		}
	}
}

// Effects of every size, of which the largest put predictors beyond any polynomial: a fit ends at the mean,
// or says after few steps that the mode is not in reach.
func TestLargeEffects(t *testing.T) {
	const inReach = 33 // what degree 127 leaves a logistic regression
	for _, kind := range []string{"logistic", "probit", "poisson"} {
		for _, size := range []float64{0.5, 1, 2, 3} {
			for _, rate := range []float64{0.03, 0.8} {
				d := design{rows: 5000, clients: 2, columns: 3, kind: kind, rate: rate, size: size, seed: 8}
				if kind == "poisson" {
					d.size /= 2
				}
				m := d.draw()
				hub := m.clearing(t)
				hub.Range = inReach
				k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 60, Draws: 2})
				if size == 3 && kind != "poisson" {
					if err == nil || !strings.Contains(err.Error(), "not in reach") || hub.Evaluations > 20 {
						t.Errorf("%+v: %d evaluations: %v", d, hub.Evaluations, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%+v: %v", d, err)
					continue
				}
				mean, _ := moments(hub, k, 2)
				info, _ := k.Step(t.Context())
				if why, _ := k.Unfinished(); size == 2 && strings.Contains(why, "around the mode") &&
					!info.Fit.Converged {
					continue // as it says
				}
				if off := m.distance(mean); off > 0.05 || !info.Fit.Converged || hub.Evaluations > 30 {
					t.Errorf("%+v: %.3f standard deviations after %d evaluations, %t", d, off,
						hub.Evaluations, info.Fit.Converged)
				}
			}
		}
	}
}

// Where no more may become known than so many evaluations tell, a fit stops with what it has, says that it
// has not converged, and leaves what its draws need: no call ends it.
func TestABudgetEndsNoFit(t *testing.T) {
	whole := 0
	for most := 4; most < 20; most++ {
		m := design{rows: 3000, clients: 2, columns: 3, kind: "logistic", rate: 0.1, size: 1, seed: 8}.draw()
		hub := m.clearing(t)
		hub.May = func(evaluations int, what []density.Decryption) bool {
			for _, d := range what {
				if d.Sums == density.OwnGradients {
					evaluations++
				}
			}
			return evaluations <= most
		}
		k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 60, Draws: 2})
		if err != nil || hub.Evaluations > most {
			t.Errorf("%d evaluations of %d: %v", hub.Evaluations, most, err)
			continue
		}
		mean, _ := moments(hub, k, 2)
		info, _ := k.Step(t.Context())
		why, _ := k.Unfinished()
		if off := m.distance(mean); info.Fit.Converged && off > 0.05 || info.Fit.Converged == (why != "") {
			t.Errorf("%d evaluations: %.3f standard deviations from the mean, converged %t: %s", most, off,
				info.Fit.Converged, why)
		}
		if info.Fit.Converged {
			whole++
		}
	}
	if whole == 0 || whole == 16 {
		t.Errorf("%d of 16 fits converge", whole)
	}
}
