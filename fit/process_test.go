package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"gonum.org/v1/gonum/mat"
)

// A smooth has observations y at x of a Gaussian process from m, with errors of a known standard deviation.
type smooth struct {
	x, y  []float64
	noise float64
}

func newSmooth(n int, noise float64) smooth {
	r := rand.New(rand.NewPCG(3, 9))
	var s smooth
	s.noise = noise
	for i := range n {
		s.x = append(s.x, -3+6*(float64(i)+0.3*r.Float64())/float64(n))
		s.y = append(s.y, 1+math.Sin(2*s.x[i])+noise*r.NormFloat64())
	}
	return s
}

const (
	processElements = "param f : real[N] ~ multi_normal(0, K)\n"
	processRooted   = "param f : real[N] ~ multi_normal_cholesky(0, cholesky(K))\n"
	processStandard = "param z : real[N] ~ normal(0, 1)\nlet f = cholesky(K) * z\n"
)

// run fits the process as written, with a likelihood of m + f.
func (s smooth) run(t *testing.T, process, likelihood string, given map[string]string) *Result {
	t.Helper()
	table := strings.Builder{}
	table.WriteString("x,y\n")
	for i, x := range s.x {
		fmt.Fprintf(&table, "%v,%v\n", x, s.y[i])
	}
	text := "data x : real[N]\ndata y : real[N]\nparam m ~ normal(0, 2)\nparam l ~ inv_gamma(5, 5)\n" +
		"param a ~ half_normal(1)\nlet K = gp_exp_quad(x, a, l) + diag(rep(1e-6, N))\n" + process + likelihood
	files := map[string]string{"data.csv": table.String()}
	return run(t, bindFiles(t, text, stdlib.NoTransform, 1, files), given)
}

// moments are those of m, l, a and the process: given l and a all else is normal, and these are integrated by
// their logarithms.
func (s smooth) moments(t *testing.T) []moment {
	t.Helper()
	n := len(s.y)
	out, total := make([]moment, n+3), 0.0
	cross, sum := mat.NewDense(n+1, n, nil), mat.NewSymDense(n, nil)
	for logL := -1.5; logL < 4; logL += 0.1 {
		for logA := -9.0; logA < 1.6; logA += 0.1 {
			l, a := math.Exp(logL), math.Exp(logA)
			for i := range n {
				cross.Set(0, i, 4) // of m
				for j := range n {
					d := (s.x[i] - s.x[j]) / l
					v := a * a * math.Exp(-d*d/2)
					if i == j {
						v += 1e-6
					}
					cross.Set(i+1, j, v)
					if v += 4; i == j {
						v += s.noise * s.noise
					}
					sum.SetSym(i, j, v)
				}
			}
			var root mat.Cholesky
			var weights, mean mat.VecDense
			var taken mat.Dense
			if !root.Factorize(sum) || root.SolveVecTo(&weights, mat.NewVecDense(n, s.y)) != nil ||
				root.SolveTo(&taken, cross.T()) != nil {
				t.Fatal("the covariance has no root")
			}
			mean.MulVec(cross, &weights)
			w := math.Exp(-0.5*root.LogDet() - 0.5*mat.Dot(mat.NewVecDense(n, s.y), &weights) - 5*logL - 5/l -
				a*a/2 + logA)
			total += w
			add := func(k int, mean, variance float64) {
				out[k].mean += w * mean
				out[k].square += w * (mean*mean + variance)
			}
			add(1, l, 0)
			add(2, a, 0)
			for i := range n + 1 {
				prior, k := 4.0, 0
				if i > 0 {
					prior, k = a*a+1e-6, i+2
				}
				less := 0.0
				for j := range n {
					less += cross.At(i, j) * taken.At(j, i)
				}
				add(k, mean.AtVec(i), prior-less)
			}
		}
	}
	for k := range out {
		out[k].mean /= total
		out[k].square /= total
	}
	return out
}

// The posterior of a process is that of its closed form within 4 Monte Carlo standard errors, in means and
// means of squares, however it is written and whether data say much or little of its elements.
func TestProcessesKeepThePosterior(t *testing.T) {
	for _, noise := range []float64{0.05, 1} {
		s := newSmooth(12, noise)
		want := s.moments(t)
		for _, process := range []string{processElements, processRooted, processStandard} {
			if process == processStandard {
				want = want[:3]
			}
			r := s.run(t, process, fmt.Sprintf("y ~ normal(m + f, %v)\n", noise),
				map[string]string{"draws": "2000"})
			withinError(t, fmt.Sprintf("noise %v, %s", noise, process), r, want)
		}
	}
}

// An effective draw takes less than half the gradients of the better form of the process in the coordinates
// of the model: by elements where data say much of each, as standard normals where they say little.
func TestProcessesCostLessThanEitherForm(t *testing.T) {
	for noise, process := range map[float64]string{0.1: processRooted, 1: processStandard} {
		s := newSmooth(15, noise)
		likelihood, given := fmt.Sprintf("y ~ normal(m + f, %v)\n", noise), map[string]string{"chains": "2"}
		informed := gradients(s.run(t, process, likelihood, given))
		given["coordinates"] = "declared"
		declared := gradients(s.run(t, process, likelihood, given))
		t.Logf("noise %v: %.1f, %.1f", noise, informed, declared)
		if !(2*informed < declared) {
			t.Errorf("noise %v: %.1f gradients an effective draw, in coordinates of the model %.1f", noise,
				informed, declared)
		}
	}
}

// Correlated intercepts and slopes of groups have the means that they have in the coordinates of the model,
// within 4 Monte Carlo standard errors of both, and an effective draw takes less than half the gradients;
// also where the covariate is far from 0, so that data tell of an intercept and its slope together.
func TestVectorsKeepThePosteriorAndCostLess(t *testing.T) {
	for _, middle := range []float64{0, 3} {
		vectorsKeepThePosterior(t, middle)
	}
}

func vectorsKeepThePosterior(t *testing.T, middle float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 1))
	table := strings.Builder{}
	table.WriteString("y,x,g\n")
	for g := range 40 {
		intercept, slope := r.NormFloat64(), r.NormFloat64()
		for range 4 + g%20 {
			x, y := middle+r.NormFloat64(), 0
			if r.Float64() < 1/(1+math.Exp(-0.5-intercept-(slope+0.5*intercept)*(x-middle))) {
				y = 1
			}
			fmt.Fprintf(&table, "%d,%v,%d\n", y, x, g+1)
		}
	}
	const text = "data y : binary[N]\ndata x : real[N]\ndata g : level(J)[N]\nparam m ~ normal(0, 2)\n" +
		"param tau : real[2] ~ half_normal(1)\nparam L : corr_cholesky[2] ~ lkj_corr_cholesky(2)\n" +
		"param u : real[J, 2] ~ multi_normal_cholesky(0, col(tau) .* L)\n" +
		"y ~ bernoulli_logit(m + u[g, 1] + u[g, 2] .* x)\n"
	of := func(coordinates string) *Result {
		b := bindFiles(t, text, stdlib.NoTransform, 1, map[string]string{"data.csv": table.String()})
		return run(t, b, map[string]string{"draws": "2000", "coordinates": coordinates})
	}
	informed, declared := of("auto"), of("declared")
	for k := range declared.Draws.Names() {
		a, b := informed.Draws.Column(k), declared.Draws.Column(k)
		mcse := math.Hypot(posterior.MCSEMean(a), posterior.MCSEMean(b))
		if math.Abs(mean(a)-mean(b)) > 4*mcse {
			t.Errorf("the mean of parameter %d is %.4f, in coordinates of the model %.4f", k, mean(a), mean(b))
		}
	}
	fewer, more := gradients(informed), gradients(declared)
	t.Logf("%.1f, %.1f", fewer, more)
	if !(2*fewer < more) {
		t.Errorf("%.1f gradients an effective draw, in coordinates of the model %.1f", fewer, more)
	}
}
