package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// Weights that are not reliable tell how far they would move means and standard deviations: those of a
// Gaussian for one three times as wide have k̂ = 8/9 and widen it much; for one beside it they are reliable,
// and nothing is told. Tails that are a little longer, as those of a t distribution with 9 degrees of
// freedom, move little.
func TestHowFarWeightsWouldMove(t *testing.T) {
	fitOf := func(target func(x float64) float64) *fitted {
		f := &fitted{weighable: true, draws: posterior.NewDraws([]posterior.Variable{{Name: "x"}}, 1, 4000)}
		f.weighted = f.draws
		random := rand.New(rand.NewPCG(5, 6))
		for range 4000 {
			x := random.NormFloat64()
			f.draws.Append(0, []float64{x})
			f.ratios = append(f.ratios, target(x)+float64(x*x)/2)
		}
		return f
	}
	wide := fitOf(func(x float64) float64 { return -x * x / 18 })
	if m := wide.moved(); m == nil || !(m.SDs > 0.5 && m.SDs < 2.2) || !(float64(wide.khat()) > 0.7) {
		t.Errorf("%+v, k̂ %v", m, wide.khat())
	}
	if beside := fitOf(func(x float64) float64 { return -(x - 0.1) * (x - 0.1) / 2 }); beside.moved() != nil {
		t.Errorf("%+v, k̂ %v", beside.moved(), beside.khat())
	}
	tails := fitOf(func(x float64) float64 { return -5 * math.Log1p(x*x/9) })
	if m, k := tails.moved(), float64(tails.khat()); k > 0.7 == (m == nil) ||
		m != nil && !(m.Means < 0.1 && m.SDs < 0.3) {
		t.Errorf("%+v, k̂ %v", m, k)
	}
	if wide.weighable = false; wide.moved() != nil {
		t.Error("weights that correct nothing move it")
	}
}
