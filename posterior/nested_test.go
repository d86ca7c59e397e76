package posterior

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: means 2, 3 and 4, 5, of variance 1 within; superchains 2.5 and 4.5, so B = 2 and W = ½ + 1.
func TestNestedRHatByHand(t *testing.T) {
	chains := [][]float64{{1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}}
	if got, want := NestedRHat(chains, 2), math.Sqrt(1+2/1.5); math.Abs(got-want) > 1e-14 {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := NestedRHat(chains, 4), math.Sqrt(1+5.0/3); math.Abs(got-want) > 1e-14 {
		t.Errorf("a chain each: %v, want %v", got, want)
	}
	for what, v := range map[string]float64{
		"one superchain": NestedRHat(chains, 1), "three of four": NestedRHat(chains, 3),
		"constant": NestedRHat([][]float64{{1, 1, 1}, {1, 1, 1}}, 2),
	} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %v", what, v)
		}
	}
}

// many are chains of an autoregression with coefficient phi, at rest from the start.
func many(r *rand.Rand, chains, n int, phi float64) [][]float64 {
	out := make([][]float64, chains)
	for c := range out {
		x := r.NormFloat64()
		for range n {
			out[c] = append(out[c], x)
			x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
		}
	}
	return out
}

// The variance of the mean of n draws of an autoregression is (1 + 2Σ(1−k/n)φᵏ)/n, which effective draws of
// 64 short chains must give in the mean over 200 runs. Their standard deviation is about 18 % in a run, so
// 1.3 % in the mean; its bias, of 1/χ² with 63 degrees of freedom, is 3 %.
func TestEffectiveDrawsOfShortChains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, phi := range []float64{0, 0.5, -0.3} {
		const runs, chains, n = 200, 64, 14
		factor := 1.0
		for k := 1; k < n; k++ {
			factor += 2 * (1 - float64(k)/n) * math.Pow(phi, float64(k))
		}
		sum, hat := 0.0, 0.0
		for range runs {
			all := many(r, chains, n, phi)
			a := analysis{nested: 4}
			a.load(all)
			sum += a.essBulk() / runs
			hat += a.rhat() / runs
			if tail := a.essTail(); !(tail > 0) {
				t.Fatalf("tail ESS %v", tail)
			}
		}
		if want := chains * n / factor * 63 / 61; math.Abs(sum/want-1) > 0.06 {
			t.Errorf("φ = %g: %.0f effective draws, want %.0f", phi, sum, want)
		}
		if !(hat < 1.01) {
			t.Errorf("φ = %g: nested R-hat %.4f of chains at rest", phi, hat)
		}
	}
}

// Superchains that stay apart are found, however short the chains.
func TestNestedRHatFindsSuperchainsApart(t *testing.T) {
	all := many(rand.New(rand.NewPCG(3, 4)), 64, 14, 0.3)
	for c := range all[:16] {
		for i := range all[c] {
			all[c][i]++
		}
	}
	if v := NestedRHat(all, 4); !(v > 1.05) {
		t.Errorf("nested R-hat %.3f where one of four superchains is one sd off", v)
	}
}
