package posterior

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
)

// Quantile returns the p-quantile of values in ascending order: linear between order statistics, type 7 of
// Hyndman and Fan (1996), R's default. It is NaN if there are no values.
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	at := float64(p * float64(n-1))
	lo := int(math.Floor(at))
	if lo >= n-1 {
		return sorted[n-1]
	}
	return sorted[lo] + float64((at-float64(lo))*(sorted[lo+1]-sorted[lo]))
}

// mean is NaN if there are no values.
func mean(x []float64) float64 { return portable.Mean(x) }

// variance has divisor n − 1; it is NaN for fewer than two values.
func variance(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	return portable.Variance(x)
}

// pooled returns the draws of all chains in one slice.
func pooled(chains [][]float64) []float64 { return slices.Concat(chains...) }

// mapped applies f to every draw.
func mapped(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, chain := range chains {
		out[c] = make([]float64, len(chain))
		for i, v := range chain {
			out[c][i] = f(v)
		}
	}
	return out
}
