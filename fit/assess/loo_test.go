package assess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends/importance"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// lcg is the generator of the golden values: x ← 1664525·x + 1013904223 mod 2³², u = (x + ½)/2³².
func lcg(seed uint32, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		seed = 1664525*seed + 1013904223
		out[i] = (float64(seed) + 0.5) / (1 << 32)
	}
	return out
}

// stacked is four autoregressive chains of 500 draws, one after another: y_t = 0.6·y_{t−1} + (three uniforms
// − 1.5).
func stacked() []float64 { return chainsFrom(1) }

// chainsFrom is stacked from another seed.
func chainsFrom(first uint32) []float64 {
	var out []float64
	for seed := range uint32(4) {
		u, last := lcg(seed+first, 1500), 0.0
		for t := range 500 {
			last = 0.6*last + (u[3*t] + u[3*t+1] + u[3*t+2] - 1.5)
			out = append(out, last)
		}
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func TestSmoothAgainstLoo(t *testing.T) {
	v := stacked()
	light, heavy := make([]float64, len(v)), make([]float64, len(v))
	for i, x := range v {
		light[i], heavy[i] = 0.9*x, 3*math.Abs(x)
	}
	for _, c := range []struct {
		name          string
		ratios        []float64
		k, ess, maxWt float64
	}{
		{"light", light, -0.0625534438, 1471.064770, 0.002266761558},
		{"heavy", heavy, 0.2819227277, 349.316491, 0.015112146140},
	} {
		s := importance.Smooth(c.ratios, 1)
		near(t, c.name+" k", s.K, c.k, 1e-10)
		squares := 0.0
		for _, w := range s.LogWeights {
			squares += math.Exp(2 * w)
		}
		near(t, c.name+" effective sample size", 1/squares, c.ess, 1e-6)
		near(t, c.name+" largest weight", math.Exp(slices.Max(s.LogWeights)), c.maxWt, 1e-11)
	}
}

// normalPointwise is log p(y_i | v_s) of unit normals about v.
func normalPointwise(y, v []float64) Pointwise {
	ll := make(Pointwise, len(y))
	for i, yi := range y {
		ll[i] = [][]float64{make([]float64, len(v))}
		for s, m := range v {
			ll[i][0][s] = -0.5*math.Log(2*math.Pi) - 0.5*(yi-m)*(yi-m)
		}
	}
	return ll
}

func TestLooAgainstLoo(t *testing.T) {
	e := psis(normalPointwise([]float64{-1.2, -0.5, 0, 0.3, 0.8, 1.5, 2.5, 4}, stacked()), true, nil, nil)
	near(t, "elpd", e.ELPD, -29.15953599, 1e-8)
	near(t, "se", e.SE, 11.24688348, 1e-8)
	near(t, "p_loo", e.P, 10.92811856, 1e-8)
	for i, want := range []float64{0.35877273, 0.24134411, 0.12898056, 0.32119216, 0.35920067, 0.47929722,
		0.66874699, 0.96976546} {
		near(t, "k", e.K[i], want, 1e-8)
	}
	if n, bound := e.HighK(); n != 1 || math.Abs(bound-(1-1/math.Log10(2000))) > 1e-15 {
		t.Errorf("%d of k above %g, want the last one above 0.697", n, bound)
	}
}

// conjugate draws from the exact posterior of a normal mean (unit variance, flat prior), and returns the
// exact leave-one-out density of each observation.
func conjugate(r *rand.Rand, n, draws int) (y, mu, exact []float64) {
	for range n {
		y = append(y, r.NormFloat64())
	}
	centre := floats.Sum(y) / float64(n)
	for range draws {
		mu = append(mu, centre+r.NormFloat64()/math.Sqrt(float64(n)))
	}
	for _, v := range y {
		m, s2 := (centre*float64(n)-v)/float64(n-1), 1+1/float64(n-1)
		exact = append(exact, -0.5*math.Log(2*math.Pi*s2)-0.5*(v-m)*(v-m)/s2)
	}
	return y, mu, exact
}

// Against the closed form: leave-one-out densities of a normal mean. The importance ratios of observation i
// are the inverse likelihoods of 20,000 independent draws; their error is a few times (y−m)²/n/√S, under 0.01
// in sum for this seed's data.
func TestEstimatesReachTheClosedForm(t *testing.T) {
	y, mu, exact := conjugate(rand.New(rand.NewPCG(5, 6)), 30, 20000)
	ll := normalPointwise(y, mu)
	want := floats.Sum(exact)
	e, w := psis(ll, true, nil, nil), waic(ll, true, nil, nil)
	near(t, "elpd by LOO", e.ELPD, want, 0.02)
	near(t, "elpd by WAIC", w.ELPD, want, 0.05) // differs by O(1/n)
	near(t, "p by LOO", e.P, 1, 0.3)
	for i := range exact {
		near(t, "elpd of one", e.Pointwise[i], exact[i], 0.01)
	}
	if n, _ := e.HighK(); n != 0 {
		t.Errorf("%d observations with a high k in a model of one mean", n)
	}
}

// A second model that puts every observation d nats lower is d·n worse, with no error; order of input does
// not matter.
func TestCompare(t *testing.T) {
	y, mu, _ := conjugate(rand.New(rand.NewPCG(7, 8)), 20, 500)
	good := psis(normalPointwise(y, mu), true, nil, nil)
	shifted := make([]float64, len(mu))
	for i := range mu {
		shifted[i] = mu[i] + 1
	}
	bad := psis(normalPointwise(y, shifted), true, nil, nil)
	best, worst := named{"good", "", good}, named{"bad", "", bad}
	for _, models := range [][]named{{best, worst}, {worst, best}} {
		c, err := ranked(models)
		if err != nil {
			t.Fatal(err)
		}
		if c[0].Run != "good" || c[0].Diff != 0 || c[1].Diff >= 0 {
			t.Errorf("best is %s with %g, then %g", c[0].Run, c[0].Diff, c[1].Diff)
		}
		near(t, "difference", float64(c[1].Diff), bad.ELPD-good.ELPD, 1e-9)
		if se := float64(c[1].DiffSE); se >= bad.SE+good.SE || se <= 0 {
			t.Errorf("error of the difference %g", c[1].DiffSE)
		}
	}
	if _, err := ranked([]named{{"good", "", good}}); err == nil {
		t.Error("one model was compared with itself")
	}
	short := psis(normalPointwise(y[:5], mu), true, nil, nil)
	if _, err := ranked([]named{{"good", "", good}, {"short", "", short}}); err == nil {
		t.Error("different data were compared")
	}
}

// The Monte Carlo standard error is the standard deviation of the estimate over other draws of one posterior:
// 200 repetitions tell a standard deviation to 5 %.
func TestMonteCarloError(t *testing.T) {
	const repetitions, draws = 200, 500
	y, _, _ := conjugate(rand.New(rand.NewPCG(5, 6)), 30, 0)
	estimates := map[string]func(Pointwise, bool, PointDensity, Progress) Estimate{"loo": psis, "waic": waic}
	for name, estimate := range estimates {
		for _, phi := range []float64{0, 0.7} { // autocorrelation
			r := rand.New(rand.NewPCG(9, uint64(10*phi)))
			var elpd []float64
			stated := 0.0
			for range repetitions {
				mu := make([]float64, draws)
				at := r.NormFloat64()
				for s := range mu {
					at = phi*at + math.Sqrt(1-phi*phi)*r.NormFloat64()
					mu[s] = floats.Sum(y)/30 + at/math.Sqrt(30)
				}
				e := estimate(normalPointwise(y, mu), phi == 0, nil, nil)
				elpd, stated = append(elpd, e.ELPD), stated+e.MCSE/repetitions
			}
			if got := stat.StdDev(elpd, nil); math.Abs(stated/got-1) > 0.15 {
				t.Errorf("%s, autocorrelation %g: the stated error is %g, the estimates vary by %g", name,
					phi, stated, got)
			}
		}
	}
}
