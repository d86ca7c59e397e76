package assess

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/vflc/vflc/portable"
)

// chains are those of testdata/arviz.py, one after another.
func chains(first uint32) (out []float64) {
	for seed := first; seed < first+4; seed++ {
		last, at := 0.0, seed
		for range 500 {
			total := 0.0
			for range 3 {
				at = 1664525*at + 1013904223
				total += (float64(at)+0.5)/(1<<32) - 0.5
			}
			last = 0.6*last + total
			out = append(out, last)
		}
	}
	return out
}

// testdata/arviz.json has the results of arviz-stats, which testdata/arviz.py makes.
func TestSensitivityAgainstArviZ(t *testing.T) {
	var want struct{ Prior, Likelihood []float64 }
	text, err := os.ReadFile("testdata/arviz.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, b := chains(1), chains(5)
	prior, likelihood := make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		prior[i] = -0.5*(a[i]-1)*(a[i]-1)*4 - 0.5*b[i]*b[i]
		likelihood[i] = -8*b[i] - 10*math.Exp(-2*b[i])*(0.3+(a[i]+0.2)*(a[i]+0.2))
	}
	p, l := Scale(prior), Scale(likelihood)
	for k, values := range [][]float64{a, b} {
		for _, c := range []struct{ got, want float64 }{{p.Of(values), want.Prior[k]},
			{l.Of(values), want.Likelihood[k]}} {
			if !(math.Abs(c.got-c.want) <= 1e-9*c.want) {
				t.Errorf("sensitivity %.12g, want %.12g", c.got, c.want)
			}
		}
	}
}

// A normal posterior N(m, s²) from a prior N(0, t²): the prior to the power α moves its mean by m·s²/t² for
// each unit of α, and its standard deviation by s³/(2t²). Where the prior is n times as wide, what remains
// of either is 1/n² of it, and so is the sensitivity: the distance is linear in small changes. A constant
// has none.
func TestSensitivityOfNormalPosteriors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 4000)
	for i := range x {
		x[i] = 2 + 0.5*r.NormFloat64()
	}
	of := func(width float64) float64 {
		prior := make([]float64, len(x))
		for i, v := range x {
			prior[i] = -0.5 * v * v / width / width
		}
		return Scale(prior).Of(x)
	}
	narrow, wide := of(1), of(3)
	if ratio := narrow / wide; math.Abs(ratio-9) > 0.2 {
		t.Errorf("a prior three times as wide has 1/%.3f of the sensitivity, want 1/9", ratio)
	}
	if !(narrow > Bound && of(10) < Bound) {
		t.Errorf("sensitivities %.3f and %.3f", narrow, of(10))
	}
	if got := Scale(make([]float64, len(x))).Of(x); got != 0 {
		t.Errorf("a flat prior has sensitivity %g", got)
	}
}

// What Bound means: weights that move the mean of a normal distribution by 0.237 standard deviations times
// log₂ of the power.
func TestBound(t *testing.T) {
	const n = 4000
	x, s := make([]float64, n), scaling{lower: make([]float64, n), upper: make([]float64, n)}
	for i := range x {
		x[i] = portable.InvPhi((float64(i) + 0.5) / n)
		s.lower[i], s.upper[i] = math.Exp(0.237*math.Log2(lowerPower)*x[i])/n,
			math.Exp(0.237*math.Log2(upperPower)*x[i])/n
	}
	if got := s.Of(x); math.Abs(got-Bound) > 1e-3 {
		t.Errorf("the sensitivity is %.4f, want %.4f", got, Bound)
	}
}
