package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

func rankKind() Kind {
	return Kind{Name: "rank",
		Doc:  "how the draws of each chain rank among those of all: uniformly if chains agree",
		most: mostFrames, first: 12, make: rank}
}

// rankBins is the number of bins of the ranks.
const rankBins = 20

// ranks counts, for each chain, the draws whose ranks among those of all chains fall into each of some bins
// of equal width (Vehtari et al. 2021, "Rank-normalization, folding, and localization"). Draws that are equal
// have their mean rank. Draws that are NaN rank first.
func ranks(chains [][]float64, bins int) [][]float64 {
	type drawn struct {
		value float64
		chain int
	}
	var all []drawn
	for c, chain := range chains {
		for _, v := range chain {
			all = append(all, drawn{v, c})
		}
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return cmp.Compare(a.value, b.value) })
	counts := make([][]float64, len(chains))
	for c := range counts {
		counts[c] = make([]float64, bins)
	}
	for i := 0; i < len(all); {
		first := i
		for i < len(all) && cmp.Compare(all[i].value, all[first].value) == 0 {
			i++
		}
		bin := min(bins-1, int(float64(first+i)/2/float64(len(all))*float64(bins)))
		for _, d := range all[first:i] {
			counts[d.chain][bin]++
		}
	}
	return counts
}

// rankBand is the mean count of a bin, and 1.96 of its standard deviations, for a chain of n draws among
// total that are exchangeable: the count is hypergeometric.
func rankBand(n, total, bins int) (mean, half float64) {
	share := 1 / float64(bins)
	mean = float64(float64(n) * share)
	if total < 2 {
		return mean, 0
	}
	return mean, float64(1.96 * math.Sqrt(mean*(1-share)*float64(total-n)/float64(total-1)))
}

func rank(in input) (*Figure, error) {
	for _, r := range in.runs {
		if r.Draws.Chains() < 2 {
			return nil, fmt.Errorf("rank compares chains, and %s has one", r.Name)
		}
	}
	f := in.grid(func(r int, s scalar) panel {
		total := 0
		for _, chain := range s.draws[r] {
			total += len(chain)
		}
		mean, half := rankBand(len(s.draws[r][0]), total, rankBins)
		p := panel{x: axis{label: "rank (% of all draws)", lo: 0, hi: 100}, y: axis{label: "draws"}}
		edges := []float64{0, 100}
		p.marks = []mark{area{edges, []float64{mean + half, mean + half}, []float64{mean - half, mean - half},
			grey, 0.15},
			segment{0, mean, 100, mean, pen{grey, 1, 1, true}, false}}
		for c, counts := range ranks(s.draws[r], rankBins) {
			xs, ys := stairs(counts, 0, 100)
			line := penOf(c)
			line.width = 1.3
			p.marks = append(p.marks, curve{xs, ys, line})
		}
		return p
	})
	f.title, f.legend = in.title("Ranks"), in.chainLegend()
	f.note = "Each line counts the draws of a chain by their rank among the draws of all chains."
	f.shades = "Grey: where 95 % of the counts lie if chains agree and draws are independent; correlated " +
		"draws leave it more often."
	return f, nil
}

// stairs is the outline of bars of equal width from lo to hi.
func stairs(heights []float64, lo, hi float64) (xs, ys []float64) {
	width := (hi - lo) / float64(len(heights))
	for k, h := range heights {
		xs = append(xs, lo+float64(float64(k)*width), lo+float64(float64(k+1)*width))
		ys = append(ys, h, h)
	}
	return xs, ys
}
