package assess

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func uniform(seed uint32, n int, from, width float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		seed = 1664525*seed + 1013904223
		out[i] = from + width*(float64(seed)+0.5)/(1<<32)
	}
	return out
}

// testdata/bridge.json has the results of bridgesampling, which testdata/bridge.R makes. The
// error there is that of independent weights, whose effective number is here estimated, to some per cent.
func TestBridgeAgainstBridgesampling(t *testing.T) {
	var want struct{ Log, CV float64 }
	text, err := os.ReadFile("testdata/bridge.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	given, drawn := uniform(1, 400, -3, 2), uniform(2, 400, -6, 4)
	got := iterate(given, drawn, 300.0/700)
	if !(math.Abs(got.Log-want.Log) < 1e-9) {
		t.Errorf("log %.12g, want %.12g", got.Log, want.Log)
	}
	if se := relativeError([][]float64{given}, drawn, got.Log); !(math.Abs(se/want.CV-1) < 0.1) {
		t.Errorf("relative error %.6g, want %.6g", se, want.CV)
	}
}

// A rate with prior gamma(a, b) and n exponential observations of the sum s has the evidence bᵃ Γ(a+n) /
// (Γ(a) (b+s)^(a+n)), and a posterior that is skewed in the logarithm of the rate; beside it stands a mean
// of n normal observations with a normal prior, correlated with the rate by a shear, which changes no
// integral.
type gammaExponential struct{ a, b, n, s, shape, scale float64 }

func newGammaExponential() gammaExponential {
	c := gammaExponential{a: 1.5, b: 2, n: 3, s: 2.2}
	c.shape, c.scale = c.a+c.n, 1/(c.b+c.s)
	return c
}

func (c gammaExponential) joint(points [][]float64, values []float64) {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	for k, u := range points {
		rate := math.Exp(u[0])
		values[k] = c.a*math.Log(c.b) - lg(c.a) + (c.a+c.n)*u[0] - (c.b+c.s)*rate
		m := u[1] - 2*u[0]
		values[k] += -math.Log(2*math.Pi) - 0.5*m*m - 0.5*(1-m)*(1-m) // prior, and one observation of 1
	}
}

func (c gammaExponential) evidence() float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	return c.a*math.Log(c.b) - lg(c.a) +
		lg(c.a+c.n) - (c.a+c.n)*math.Log(c.b+c.s) - 0.5*math.Log(4*math.Pi) - 0.25
}

// chains are draws of the posterior: independent, or with an autocorrelation of normal scores.
func (c gammaExponential) chains(r *rand.Rand, n int, phi float64) [][][]float64 {
	out := make([][][]float64, 2)
	for k := range out {
		at := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(),
			r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		for range n {
			sum := 0.0
			for i := range at { // a gamma of shape 9/2 is half a sum of nine squares
				at[i] = phi*at[i] + math.Sqrt(1-phi*phi)*r.NormFloat64()
				if i > 0 {
					sum += at[i] * at[i] / 2
				}
			}
			u := math.Log(sum * c.scale)
			out[k] = append(out[k], []float64{u, 2*u + 0.5 + at[0]/math.Sqrt2})
		}
	}
	return out
}

// Estimates are off by as much as they say: their scaled errors over repetitions have a standard deviation
// of 1, which 100 of them tell to 7 %. With autocorrelation, too.
func TestEstimatesAreWithinTheirErrors(t *testing.T) {
	c := newGammaExponential()
	if c.shape != 4.5 {
		t.Fatal("the sampler is of another shape")
	}
	for _, phi := range []float64{0, 0.7} {
		r := rand.New(rand.NewPCG(1, 2))
		var bridge, importance []float64
		se := 0.0
		for seed := range uint64(100) {
			chains := c.chains(r, 300, phi)
			e := Bridge(chains, c.joint, seed)
			bridge, se = append(bridge, (e.Log-c.evidence())/e.SE), se+e.SE/100
			if phi == 0 {
				e = Importance(append(chains[0], chains[1]...), c.joint, seed)
				importance = append(importance, (e.Log-c.evidence())/e.SE)
				if !(e.K < 0.7) {
					t.Errorf("seed %d: k %.2f", seed, e.K)
				}
			}
		}
		for name, z := range map[string][]float64{"bridge": bridge, "importance": importance} {
			if len(z) == 0 {
				continue
			}
			if mean, sd := stat.MeanStdDev(z, nil); !(math.Abs(mean) < 0.5 && sd > 0.7 && sd < 1.35) {
				t.Errorf("%s, autocorrelation %g: errors in units of the stated ones %.2f ± %.2f", name, phi,
					mean, sd)
			}
		}
		if !(se < 0.1) {
			t.Errorf("relative error %.3f", se)
		}
	}
}
