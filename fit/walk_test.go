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

// A localLevel has observations of a random walk from m, whose steps have a standard deviation s ~
// half_normal(1), with errors of a known one.
type localLevel struct {
	y     []float64
	noise float64
}

func newLocalLevel(n int, noise float64) localLevel {
	r := rand.New(rand.NewPCG(11, 7))
	l, at := localLevel{make([]float64, n), noise}, 1.5
	for t := range l.y {
		at += 0.3 * r.NormFloat64()
		l.y[t] = at + noise*r.NormFloat64()
	}
	return l
}

const (
	walkAsIs    = "param h : real[T] ~ gaussian_random_walk(0, s)\n"
	walkBySteps = "param e : real[T] ~ normal(0, 1)\nlet h = cumulative_sum(s * e)\n"
)

func (l localLevel) run(t *testing.T, walk string, given map[string]string) *Result {
	t.Helper()
	text := "data y : real[T]\nparam m ~ normal(0, 2)\nparam s ~ half_normal(1)\n" + walk +
		fmt.Sprintf("y ~ normal(m + h, %v)\n", l.noise)
	table := "y\n" + strings.Trim(strings.ReplaceAll(fmt.Sprint(l.y), " ", "\n"), "[]") + "\n"
	return run(t, bindFiles(t, text, stdlib.NoTransform, 1, map[string]string{"data.csv": table}), given)
}

// moments are those of m, s and the walk: given s all but it is normal, and s is integrated by its logarithm.
func (l localLevel) moments(t *testing.T) (out []moment) {
	t.Helper()
	n := len(l.y)
	out = make([]moment, n+2)
	y, total := mat.NewVecDense(n, l.y), 0.0
	for logS := -6.0; logS < 2; logS += 0.02 {
		s := math.Exp(logS)
		prior := mat.NewSymDense(n+1, nil) // covariance of m and the walk
		prior.SetSym(0, 0, 4)
		sum, cross := mat.NewSymDense(n, nil), mat.NewDense(n+1, n, nil)
		for i := range n {
			cross.Set(0, i, 4)
			for j := range n {
				v := s * s * float64(min(i, j)+1)
				prior.SetSym(i+1, j+1, v)
				cross.Set(i+1, j, v)
				if v += 4; i == j {
					v += l.noise * l.noise
				}
				sum.SetSym(i, j, v)
			}
		}
		var root mat.Cholesky
		var weights, mean mat.VecDense
		var taken, less mat.Dense
		if !root.Factorize(sum) || root.SolveVecTo(&weights, y) != nil ||
			root.SolveTo(&taken, cross.T()) != nil {
			t.Fatal("the covariance has no root")
		}
		mean.MulVec(cross, &weights)
		less.Mul(cross, &taken)
		w := math.Exp(-0.5*root.LogDet() - 0.5*mat.Dot(y, &weights) - s*s/2 + logS)
		total += w
		add := func(k int, mean, variance float64) {
			out[k].mean += w * mean
			out[k].square += w * (mean*mean + variance)
		}
		add(1, s, 0)
		for i := range n + 1 {
			k := i + min(i, 1) // s stands between m and the walk
			add(k, mean.AtVec(i), prior.At(i, i)-less.At(i, i))
		}
	}
	for k := range out {
		out[k].mean /= total
		out[k].square /= total
	}
	return out
}

// The posterior of a local level is that of its closed form within 4 Monte Carlo standard errors, in means
// and means of squares, whether its steps or its elements are well known.
func TestWalksKeepThePosterior(t *testing.T) {
	for _, noise := range []float64{0.05, 0.5, 3} {
		l := newLocalLevel(30, noise)
		r := l.run(t, walkAsIs, map[string]string{"draws": "2000"})
		withinError(t, fmt.Sprintf("noise %v", noise), r, l.moments(t))
	}
}

// withinError holds the moments of the first parameters within 4 Monte Carlo standard errors of others.
func withinError(t *testing.T, of string, r *Result, moments []moment) {
	t.Helper()
	for k, want := range moments {
		x := r.Draws.Column(k)
		squares := make([][]float64, len(x))
		for c, chain := range x {
			for _, v := range chain {
				squares[c] = append(squares[c], v*v)
			}
		}
		for what, m := range map[string]struct {
			x    [][]float64
			want float64
		}{"mean": {x, want.mean}, "mean square": {squares, want.square}} {
			if got, mcse := mean(m.x), posterior.MCSEMean(m.x); !(math.Abs(got-m.want) < 4*mcse) ||
				!(mcse < 0.1*(1+math.Abs(m.want))) {
				t.Errorf("%s: %s of parameter %d is %.4f ± %.4f, want %.4f", of, what, k, got, mcse, m.want)
			}
		}
	}
}

// gradients is what an effective draw of the worst parameter costs.
func gradients(r *Result) float64 {
	least := math.Inf(1)
	for k := range r.Draws.Names() {
		if ess := posterior.ESSBulk(r.Draws.Column(k)); !math.IsNaN(ess) { // of what is always the same
			least = min(least, ess)
		}
	}
	return float64(r.Document.Work.Gradients) / least
}

// An effective draw takes less than half the gradients of the better form of the walk in the coordinates of
// the model, under a diagonal metric: by elements where data say much of each, by steps where they say
// little, either in between.
func TestWalksCostLessThanEitherForm(t *testing.T) {
	for _, c := range []struct {
		noise float64
		walk  string
	}{{0.03, walkAsIs}, {0.5, walkAsIs}, {0.5, walkBySteps}, {3, walkBySteps}} {
		l := newLocalLevel(40, c.noise)
		informed := gradients(l.run(t, walkAsIs, map[string]string{"metric": "diag"}))
		declared := gradients(l.run(t, c.walk, map[string]string{"metric": "diag", "coordinates": "declared"}))
		t.Logf("noise %v: %.1f, %.1f", c.noise, informed, declared)
		if !(2*informed < declared) {
			t.Errorf("noise %v: %.1f gradients an effective draw, by %q %.1f", c.noise, informed, c.walk,
				declared)
		}
	}
}
