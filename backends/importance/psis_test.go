package importance

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// Values of the R package loo 2.5.1.
func TestGPDAgainstLoo(t *testing.T) {
	x, seed := make([]float64, 200), uint32(7)
	for i := range x {
		seed = 1664525*seed + 1013904223
		x[i] = -math.Log(1 - (float64(seed)+0.5)/(1<<32))
	}
	slices.Sort(x)
	k, sigma := fitPareto(x)
	if math.Abs(k-0.078362854892) > 1e-11 || math.Abs(sigma-0.977680638505) > 1e-11 {
		t.Errorf("k = %.12g and sigma = %.12g", k, sigma)
	}
	if got := tailLen(2000, 1); got != 135 {
		t.Errorf("tail of %d, want 135", got)
	}
}

// Smoothed weights are a distribution, keep the order of the ratios, and do not change when all ratios are
// scaled.
func TestSmoothedWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		ratios := make([]float64, rapid.IntRange(26, 400).Draw(t, "draws"))
		scale := rapid.Float64Range(0.01, 20).Draw(t, "scale")
		for i := range ratios {
			ratios[i] = scale * r.NormFloat64()
		}
		s := Smooth(ratios, 1)
		if sum := floats.LogSumExp(s.LogWeights); math.Abs(sum) > 1e-9 {
			t.Fatalf("weights sum to exp(%g)", sum)
		}
		order := largest(ratios, len(ratios))
		for i := 1; i < len(order); i++ {
			if s.LogWeights[order[i]] < s.LogWeights[order[i-1]]-1e-9 {
				t.Fatalf("a larger ratio got a smaller weight")
			}
		}
		moved := slices.Clone(ratios)
		floats.AddConst(1024, moved)
		if again := Smooth(moved, 1); math.Abs(again.K-s.K) > 1e-6*(1+math.Abs(s.K)) {
			t.Fatalf("k %g becomes %g when all ratios are scaled", s.K, again.K)
		}
	})
}

func TestUndefined(t *testing.T) {
	for name, ratios := range map[string][]float64{"none": {}, "a NaN": {1, math.NaN(), 2},
		"an infinity": {1, math.Inf(1), 2}, "no density": {math.Inf(-1), math.Inf(-1)}} {
		if s := Smooth(ratios, 1); !math.IsNaN(s.K) {
			t.Errorf("%s: k = %g, want NaN", name, s.K)
		}
	}
	for name, ratios := range map[string][]float64{"few": {1, 2, 3, 4, 5}, "equal": make([]float64, 100)} {
		s := Smooth(ratios, 1)
		if !math.IsInf(s.K, 1) || math.Abs(floats.LogSumExp(s.LogWeights)) > 1e-12 {
			t.Errorf("%s: k = %g, weights sum to exp(%g)", name, s.K, floats.LogSumExp(s.LogWeights))
		}
	}
}

// largest gives the end of a stable sort, ties included.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(-9, 9).Draw(t, "value"))
		}), 1, 200).Draw(t, "x")
		want := make([]int, len(x))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
		n := rapid.IntRange(1, len(x)).Draw(t, "n")
		if got := largest(x, n); !slices.Equal(got, want[len(x)-n:]) {
			t.Fatalf("the %d largest of %v are %v, want %v", n, x, got, want[len(x)-n:])
		}
	})
}
