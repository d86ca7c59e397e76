package posterior

import "math"

// RelativeEfficiency is the effective sample size for the mean divided by the number of draws, of chains that
// are not split: r_eff of the R package loo, for likelihoods exp(log p(y_i|θ_s)). It is NaN where the
// effective sample size is.
func RelativeEfficiency(chains [][]float64) float64 {
	n := 0
	for _, c := range chains {
		n += len(c)
	}
	return ess(chains) / float64(n)
}

// EBFMI is the energy Bayesian fraction of missing information of one chain (Betancourt 2016, "Diagnosing
// suboptimal cotangent disintegrations in Hamiltonian Monte Carlo"): the sum of squared steps of the energy
// over the sum of squared deviations from its mean, as in CmdStan. Below 0.3 the momentum is resampled in too
// small steps to explore the tails. It is NaN for fewer than three energies, for constant ones, and if any is
// not finite.
func EBFMI(energy []float64) float64 {
	if !usable([][]float64{energy}) {
		return math.NaN()
	}
	steps := 0.0
	for i := 1; i < len(energy); i++ {
		d := energy[i] - energy[i-1]
		steps += float64(d * d)
	}
	return steps / (variance(energy) * float64(len(energy)-1))
}
