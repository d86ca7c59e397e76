package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat/distuv"
)

// The diagnostics of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and localization: an improved R-hat
// for assessing convergence of MCMC", Bayesian Analysis 16(2), in the details of the R package posterior 1.4. Chains have equal lengths.
// Where a quantity is not defined (too few draws, constant or non-finite draws) it is NaN.

// RHat returns the rank-normalised split R-hat: the larger of the one for location and the one for spread about the median.
func RHat(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	median := Quantile(ascending(pooled(chains)), 0.5)
	folded := mapped(chains, func(v float64) float64 { return math.Abs(v - median) })
	return max(rhat(rankNormal(split(chains))), rhat(rankNormal(split(folded))))
}

// ESSBulk returns the effective sample size of the rank-normalised draws: how well the centre of the distribution is known.
func ESSBulk(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	return ess(rankNormal(split(chains)))
}

// ESSTail returns the smaller effective sample size of the 5 % and the 95 % quantile.
func ESSTail(chains [][]float64) float64 {
	return min(ESSQuantile(chains, 0.05), ESSQuantile(chains, 0.95))
}

// ESSMean returns the effective sample size for the mean.
func ESSMean(chains [][]float64) float64 { return ess(split(chains)) }

// ESSQuantile returns the effective sample size for a quantile: that of the indicator of lying at or below it.
func ESSQuantile(chains [][]float64, p float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	q := Quantile(ascending(pooled(chains)), p)
	return ess(split(mapped(chains, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	})))
}

// split halves every chain; the middle draw of an odd number is dropped.
func split(chains [][]float64) [][]float64 {
	var out [][]float64
	for _, c := range chains {
		half := len(c) / 2
		out = append(out, c[:half], c[len(c)-half:])
	}
	return out
}

// rankNormal replaces draws by the normal scores of their ranks over all chains, ties sharing the mean rank (Blom's offset 3/8).
func rankNormal(chains [][]float64) [][]float64 {
	type place struct{ chain, draw int }
	var order []place
	out := make([][]float64, len(chains))
	for c, chain := range chains {
		out[c] = make([]float64, len(chain))
		for i := range chain {
			order = append(order, place{c, i})
		}
	}
	value := func(p place) float64 { return chains[p.chain][p.draw] }
	slices.SortFunc(order, func(a, b place) int { return cmp.Compare(value(a), value(b)) })
	n := float64(len(order))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && value(order[hi]) == value(order[lo]) {
			hi++
		}
		rank := float64(lo+hi+1) / 2
		score := distuv.UnitNormal.Quantile((rank - 0.375) / (n + 0.25))
		for _, p := range order[lo:hi] {
			out[p.chain][p.draw] = score
		}
		lo = hi
	}
	return out
}

// rhat is the potential scale reduction of chains as they are: √((B/W + n − 1)/n).
func rhat(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	means, vars := chainMoments(chains)
	n := float64(len(chains[0]))
	return math.Sqrt((n*variance(means)/mean(vars) + n - 1) / n)
}

func chainMoments(chains [][]float64) (means, vars []float64) {
	for _, c := range chains {
		means = append(means, mean(c))
		vars = append(vars, variance(c))
	}
	return means, vars
}

// usable says that there are at least three draws a chain, all finite, and not all equal.
func usable(chains [][]float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		if len(c) < 3 || len(c) != len(chains[0]) {
			return false
		}
		for _, v := range c {
			if math.IsNaN(v) {
				return false
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo < hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
}

// ess is the effective sample size of chains as they are, with Geyer's initial positive and monotone sequences over the chains together
// (Stan reference manual, "Effective sample size").
func ess(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	n, m := float64(len(chains[0])), float64(len(chains))
	gamma := meanAutocovariance(chains)
	within := gamma[0] * n / (n - 1)
	total := gamma[0]
	if m > 1 {
		means, _ := chainMoments(chains)
		total += variance(means)
	}
	tau := geyer(func(lag int) float64 { return 1 - (within-gamma[lag])/total }, len(gamma))
	// An antithetic chain may be worth more than its draws, but not without bound.
	return m * n / math.Max(tau, 1/math.Log10(m*n))
}

// geyer sums autocorrelations: −1 + 2 Σ of the initial pairs whose sums are positive and never grow, plus the last even one (the improved estimate).
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
	return 2*sum - 1 + r[t]
}

// meanAutocovariance returns, per lag, the autocovariance with divisor n, averaged over chains.
func meanAutocovariance(chains [][]float64) []float64 {
	n := len(chains[0])
	size := 1
	for size < 2*n { // zeros enough that the circular convolution does not wrap
		size *= 2
	}
	fft := fourier.NewFFT(size)
	padded, out := make([]float64, size), make([]float64, n)
	spectrum := make([]complex128, size/2+1)
	for _, chain := range chains {
		centre := mean(chain)
		clear(padded)
		for i, v := range chain {
			padded[i] = v - centre
		}
		fft.Coefficients(spectrum, padded)
		for i, z := range spectrum {
			spectrum[i] = complex(real(z)*real(z)+imag(z)*imag(z), 0)
		}
		fft.Sequence(padded, spectrum)
		for lag := range out {
			out[lag] += padded[lag] / (float64(size) * float64(n) * float64(len(chains)))
		}
	}
	return out
}
