package posterior

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// fewDraws is the number of draws of a chain below which effective sample sizes come from the means of
// chains: the autocorrelation of so few cannot be estimated.
const fewDraws = 20

// NestedRHat is the nested R-hat of many short chains (Margossian, Hoffman, Sountsov, Riou-Durand, Vehtari
// and Gelman 2024, "Nested R-hat: assessing the convergence of Markov chain Monte Carlo when running many
// short chains"). Consecutive chains share a starting point, as many for each of the superchains: √(1 + B/W),
// B the variance of the means of superchains, and W the mean over superchains of the variance between their
// chains plus that within. It is NaN where draws are not finite or all equal, or chains cannot be divided so.
func NestedRHat(chains [][]float64, superchains int) float64 {
	if superchains < 2 || len(chains)%superchains != 0 || !usable(chains) {
		return math.NaN()
	}
	size := len(chains) / superchains
	means, vars := chainMoments(chains)
	of, within := make([]float64, superchains), 0.0
	for s := range of {
		own := means[s*size:][:size]
		of[s] = mean(own)
		if size > 1 {
			within += variance(own)
		}
		within += mean(vars[s*size:][:size])
	}
	return math.Sqrt(1 + variance(of)*float64(superchains)/within)
}

// essOfMeans is the effective sample size for the mean of many chains, from how far apart the means of chains
// are: the variance of draws over that of their means, for each chain.
func essOfMeans(chains [][]float64) float64 {
	if !usable(chains) || len(chains) < 2 {
		return math.NaN()
	}
	m, n := float64(len(chains)), float64(len(chains)*len(chains[0]))
	means, _ := chainMoments(chains)
	return min(m*variance(pooled(chains))/variance(means), n*portable.Log10(n))
}
