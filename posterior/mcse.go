package posterior

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Monte Carlo standard errors as in the R package posterior 1.4. Each is NaN where its effective sample size
// is.

// MCSEMean returns the standard error of the mean: sd/√ESS.
func MCSEMean(chains [][]float64) float64 {
	return math.Sqrt(variance(pooled(chains)) / ESSMean(chains))
}

// MCSESD returns the standard error of the standard deviation, by the delta method on the variance of (x −
// mean)² (Kenney and Keeping 1951).
func MCSESD(chains [][]float64) float64 {
	centre := mean(pooled(chains))
	squares := mapped(chains, func(v float64) float64 { return (v - centre) * (v - centre) })
	flat := pooled(squares)
	second, fourth := mean(flat), 0.0
	for _, s := range flat {
		fourth += s * s / float64(len(flat))
	}
	return math.Sqrt((fourth - float64(second*second)) / ESSMean(squares) / second / 4)
}

// MCSEQuantile returns the standard error of the p-quantile: half the distance between two order statistics,
// at the quantiles of the beta distribution of the quantile's position that correspond to ±1 sd of a normal.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	a := newAnalysis(chains)
	ess := a.essQuantile(p)
	if math.IsNaN(ess) {
		return ess
	}
	sorted := a.sorted.values
	n := float64(len(sorted))
	at := func(tail float64) float64 {
		return n * mathext.InvRegIncBeta(float64(ess*p)+1, float64(ess*(1-p))+1, tail)
	}
	lo := int(max(math.Floor(at(0.1586553)), 1))
	hi := int(min(math.Ceil(at(0.8413447)), n))
	return (sorted[hi-1] - sorted[lo-1]) / 2
}
