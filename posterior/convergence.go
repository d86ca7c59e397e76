package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/portable"
)

// The diagnostics of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding,
// and localization: an improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16(2), in the
// details of the R package posterior 1.4. Chains have equal lengths. Where a quantity is not defined (too few
// draws, constant or non-finite draws) it is NaN.

// RHat returns the rank-normalised split R-hat: the larger of the one for location and the one for spread
// about the median.
func RHat(chains [][]float64) float64 { return newAnalysis(chains).rhat() }

// ESSBulk returns the effective sample size of the rank-normalised draws: how well the centre of the
// distribution is known.
func ESSBulk(chains [][]float64) float64 { return newAnalysis(chains).essBulk() }

// ESSTail returns the smaller effective sample size of the 5 % and the 95 % quantile.
func ESSTail(chains [][]float64) float64 { return newAnalysis(chains).essTail() }

// ESSMean returns the effective sample size for the mean.
func ESSMean(chains [][]float64) float64 { return ess(split(chains)) }

// split halves every chain, and drops the middle draw of an odd number.
func split(chains [][]float64) [][]float64 {
	out := make([][]float64, 0, 2*len(chains))
	for _, c := range chains {
		half := len(c) / 2
		out = append(out, c[:half], c[len(c)-half:])
	}
	return out
}

// rhat is the potential scale reduction of chains that are not split further: √((B/W + n − 1)/n).
func rhat(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	means, vars := chainMoments(chains)
	n := float64(len(chains[0]))
	return math.Sqrt((n*variance(means)/mean(vars) + n - 1) / n)
}

func chainMoments(chains [][]float64) (means, vars []float64) {
	means, vars = make([]float64, len(chains)), make([]float64, len(chains))
	for k, c := range chains {
		means[k], vars[k] = mean(c), variance(c)
	}
	return means, vars
}

// usable reports whether there are at least three draws per chain, all finite and not all equal.
func usable(chains [][]float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		if len(c) < 3 || len(c) != len(chains[0]) || floats.HasNaN(c) {
			return false
		}
		for _, v := range c {
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
		}
	}
	return lo < hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
}

// ess is the effective sample size of chains that are not split further, with Geyer's initial positive and
// monotone sequences over the chains together (Stan reference manual, "Effective sample size").
func ess(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	return essOf(newAutocovariance(chains), chains)
}

// essOf is ess of usable chains, given their autocovariances.
func essOf(gamma *autocovariance, chains [][]float64) float64 {
	n, m := float64(len(chains[0])), float64(len(chains))
	total := gamma.at(0)
	within := total * n / (n - 1)
	if m > 1 {
		means, _ := chainMoments(chains)
		total += variance(means)
	}
	tau := geyer(func(lag int) float64 { return 1 - (within-gamma.at(lag))/total }, len(chains[0]))
	// An antithetic chain may have an effective sample size above its number of draws, but not without bound.
	return m * n / math.Max(tau, 1/portable.Log10(m*n))
}

// geyer sums autocorrelations: −1 + 2 Σ of the initial pairs whose sums are positive and never grow, plus the
// last even one (the improved estimate).
func geyer(rho func(lag int) float64, lags int) float64 {
	r := []float64{1, rho(1)}
	even, odd, t := r[0], r[1], 0
	for t < lags-5 && even+odd > 0 {
		t += 2
		even, odd = rho(t), rho(t+1)
		if even+odd >= 0 {
			r = append(r, even, odd)
		} else {
			r = append(r, 0, 0)
		}
	}
	r[t] = math.Max(even, r[t])
	for k := 2; k <= t-2; k += 2 {
		if before := r[k-2] + r[k-1]; r[k]+r[k+1] > before {
			r[k], r[k+1] = before/2, before/2
		}
	}
	sum := 0.0
	for _, v := range r[:t] {
		sum += v
	}
	return float64(2*sum) - 1 + r[t]
}
