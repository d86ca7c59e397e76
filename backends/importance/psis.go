package importance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/portable"
)

// Pareto smoothing as in the R package loo 2.5: Vehtari, Simpson, Gelman, Yao and Gabry (2024), "Pareto
// smoothed importance sampling", JMLR 25.

// leastTail is the shortest tail to which a distribution is fitted.
const leastTail = 5

// tailLen is the number of the largest importance ratios that are smoothed: ⌈min(S/5, 3√(S/r_eff))⌉.
func tailLen(draws int, rEff float64) int {
	s := float64(draws)
	return int(math.Ceil(min(0.2*s, 3*math.Sqrt(s/rEff))))
}

// A Smoothed is the result of Pareto smoothing.
type Smoothed struct {
	LogWeights []float64 // normalised: their exponentials sum to 1
	// Pareto shape of the ratios' tail; +Inf where there are too few draws to fit one, NaN where a ratio is
	// not finite
	K float64
}

// Smooth replaces the largest importance ratios, given by their logarithms, by the expected order statistics
// of the generalised Pareto distribution that is fitted to them, and truncates them at the largest raw one.
// Means with the weights are reliable if K < 0.7. The ratios are not changed.
func Smooth(logRatios []float64, rEff float64) Smoothed {
	if !(rEff > 0) {
		return Smoothed{K: math.NaN()}
	}
	return SmoothTail(logRatios, tailLen(len(logRatios), rEff))
}

// SmoothTail is Smooth of so many of the largest ratios.
func SmoothTail(logRatios []float64, tail int) Smoothed {
	if len(logRatios) == 0 || slices.ContainsFunc(logRatios, func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 1)
	}) {
		return Smoothed{K: math.NaN()}
	}
	top := slices.Max(logRatios)
	if math.IsInf(top, -1) {
		return Smoothed{K: math.NaN()}
	}
	lw := slices.Clone(logRatios)
	floats.AddConst(-top, lw)
	k := smoothTail(lw, tail)
	floats.AddConst(-portable.LogSumExp(lw), lw)
	return Smoothed{LogWeights: lw, K: k}
}

// smoothTail works on log ratios whose largest is 0 and returns the shape.
func smoothTail(lw []float64, tail int) float64 {
	if tail < leastTail || tail >= len(lw) {
		return math.Inf(1)
	}
	top := largest(lw, tail+1)
	below, at := top[0], top[1:]
	if lw[at[tail-1]]-lw[at[0]] < 2.220446049250313e-16/100 { // all equal: nothing to fit, nothing to smooth
		return math.Inf(1)
	}
	cutoff := portable.Exp(lw[below])
	excess := make([]float64, tail)
	for i, a := range at {
		excess[i] = portable.Exp(lw[a]) - cutoff
	}
	k, sigma := fitPareto(excess)
	if math.IsInf(k, 0) {
		return k
	}
	for i, a := range at {
		p := (float64(i) + 0.5) / float64(tail)
		lw[a] = min(0, portable.Log(quantileGPD(p, k, sigma)+cutoff))
	}
	return k
}
