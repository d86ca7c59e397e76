package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// An analysis holds the draws of one scalar and what its diagnostics share: draws are sorted and
// rank-normalised once.
type analysis struct {
	chains [][]float64
	usable bool
	nested int       // superchains; 0: chains have starting points of their own
	all    []float64 // the draws of all chains, one after another
	sorted order     // of all
	scores []float64 // normal scores of the ranks 1, 2, …: they depend only on the number of draws
	bulk   [][]float64

	// Memory that is used again for the next scalar.
	sorter                       sorter
	folds                        order
	ranks, ranksOfFolds          []float64
	indicators, centredChainwise []float64
}

func newAnalysis(chains [][]float64) *analysis {
	a := &analysis{}
	a.load(chains)
	return a
}

// few reports whether effective sample sizes come from the means of chains.
func (a *analysis) few() bool { return a.nested > 0 && len(a.chains[0]) < fewDraws }

// ess is the effective sample size for the mean of draws of whole chains.
func (a *analysis) ess(chains [][]float64) float64 {
	if a.few() {
		return essOfMeans(chains)
	}
	return a.essWhole(split(chains))
}

// essWhole is ess with the memory of the analysis.
func (a *analysis) essWhole(chains [][]float64) float64 {
	if !usable(chains) {
		return math.NaN()
	}
	a.centredChainwise = room(a.centredChainwise, len(chains)*len(chains[0]))
	return essOf(centredIn(a.centredChainwise, chains), chains)
}

// load replaces the draws. The scores are kept if the number of draws is the same.
func (a *analysis) load(chains [][]float64) {
	a.chains, a.usable, a.bulk = chains, usable(chains), nil
	a.all = a.all[:0]
	for _, c := range chains {
		a.all = append(a.all, c...)
	}
	a.sorter.into(&a.sorted, a.all)
	if !a.usable {
		return
	}
	n := len(chains) * (len(chains[0]) / 2 * 2)
	if len(a.scores) != n {
		a.scores = normalScores(n)
	}
	a.ranks = room(a.ranks, len(a.all))
	a.bulk = a.rankNormal(a.ranks, a.sorted)
}

// normalScores are the scores of n ranks, with Blom's offset 3/8.
func normalScores(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = normalScore(float64(i+1), n)
	}
	return out
}

func normalScore(rank float64, n int) float64 {
	return distuv.UnitNormal.Quantile((rank - 0.375) / (float64(n) + 0.25))
}

// rankNormal replaces draws by the normal scores of their ranks over all chains, ties sharing the mean rank.
// It halves the chains, as split does: a middle draw has no rank. The scores are in flat.
func (a *analysis) rankNormal(flat []float64, o order) [][]float64 {
	length := len(a.chains[0])
	middle := func(at int32) bool { return length%2 == 1 && int(at)%length == length/2 }
	before := 0 // ranks given so far
	for lo := 0; lo < len(o.from); {
		hi, ranked := lo, 0
		for ; hi < len(o.from) && o.values[hi] == o.values[lo]; hi++ {
			if !middle(o.from[hi]) {
				ranked++
			}
		}
		if ranked > 0 {
			score := a.score(before, ranked)
			for _, at := range o.from[lo:hi] {
				flat[at] = score
			}
		}
		before, lo = before+ranked, hi
	}
	return split(a.chainwise(flat))
}

// score is the normal score of equal draws, given how many draws are less.
func (a *analysis) score(before, alike int) float64 {
	if alike == 1 {
		return a.scores[before]
	}
	return normalScore(float64(before)+float64(float64(alike+1)/2), len(a.scores))
}

func (a *analysis) quantile(p float64) float64 { return Quantile(a.sorted.values, p) }

func (a *analysis) rhat() float64 {
	if !a.usable {
		return math.NaN()
	}
	if a.nested > 0 {
		return NestedRHat(a.chains, a.nested)
	}
	a.folds = a.sorted.folded(a.folds, a.quantile(0.5))
	a.ranksOfFolds = room(a.ranksOfFolds, len(a.all))
	return max(rhat(a.bulk), rhat(a.rankNormal(a.ranksOfFolds, a.folds)))
}

func (a *analysis) essBulk() float64 {
	if !a.usable {
		return math.NaN()
	}
	if a.few() {
		return essOfMeans(joined(a.bulk))
	}
	return a.essWhole(a.bulk)
}

func (a *analysis) essTail() float64 { return min(a.essQuantile(0.05), a.essQuantile(0.95)) }

// essQuantile is the effective sample size for a quantile: that of the indicator x ≤ quantile.
func (a *analysis) essQuantile(p float64) float64 {
	if !a.usable {
		return math.NaN()
	}
	q := a.quantile(p)
	a.indicators = room(a.indicators, len(a.all))
	for i, v := range a.all {
		a.indicators[i] = 0
		if v <= q {
			a.indicators[i] = 1
		}
	}
	return a.ess(a.chainwise(a.indicators))
}

// chainwise divides values, one for each draw, by chain.
func (a *analysis) chainwise(flat []float64) [][]float64 {
	out, length := make([][]float64, len(a.chains)), len(a.chains[0])
	for c := range out {
		out[c] = flat[c*length:][:length]
	}
	return out
}

// joined undoes split.
func joined(halves [][]float64) [][]float64 {
	var out [][]float64
	for k := 0; k < len(halves); k += 2 {
		out = append(out, append(slices.Clone(halves[k]), halves[k+1]...))
	}
	return out
}
