package plot

import (
	"cmp"
	"slices"

	"github.com/vflc/vflc/posterior"
)

// mostBins is the largest number of bins, and leastInBin the number of rows that a further bin needs.
const (
	mostBins   = 10
	leastInBin = 5
)

// binary reports whether all values of a response are 0 or 1.
func (r Replicated) binary() bool {
	lo, hi, ok := wholes(r)
	return ok && lo >= 0 && hi <= 1
}

// calibrated is a panel of a binary response. Its rows are in bins by their predicted probability, the mean
// of half of the replicates; against the mean over a bin of the other half, which the choice of bins does not
// move, stands the share of ones that was observed, between the quantiles of the shares in these replicates.
func calibrated(r Replicated, observed, replicated pen) panel {
	p := panel{title: r.Name, x: axis{label: "predicted probability"}, y: axis{label: "share of ones"}}
	n := len(r.Observed)
	var halves [2][][]float64
	for k, y := range r.Replicates {
		halves[k%2] = append(halves[k%2], y)
	}
	if n == 0 || halves[1] == nil {
		p.marks = []mark{remark{"too few values"}}
		return p
	}
	predicted, order := make([]float64, n), make([]int, n)
	for i := range n {
		order[i] = i
		for _, y := range halves[0] {
			predicted[i] += y[i] / float64(len(halves[0]))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(predicted[a], predicted[b]) })
	share := func(rows []int, y []float64) (sum float64) {
		for _, i := range rows {
			sum += y[i] / float64(len(rows))
		}
		return sum
	}
	bins := min(mostBins, max(1, n/leastInBin))
	var xs, ys []float64
	for b := range bins {
		rows := order[b*n/bins : (b+1)*n/bins]
		var shares []float64
		mean := 0.0
		for _, y := range halves[1] {
			shares = append(shares, share(rows, y))
			mean += shares[len(shares)-1] / float64(len(halves[1]))
		}
		slices.Sort(shares)
		bar := replicated
		bar.width, bar.alpha = 4, 0.45
		p.marks = append(p.marks, segment{mean, posterior.Quantile(shares, 0.05), mean,
			posterior.Quantile(shares, 0.95), bar, false})
		xs, ys = append(xs, mean), append(ys, share(rows, r.Observed))
	}
	p.marks = append(p.marks, scatter{xs, ys, 3.5, observed.color, 1, false})
	b := emptyBox()
	for _, m := range p.marks {
		m.extent(&b)
	}
	// one range for both, in which the diagonal is what was predicted
	lo, hi := wider(min(b.left, b.low), max(b.right, b.high), 0.05)
	p.x.lo, p.x.hi, p.y.lo, p.y.hi = lo, hi, lo, hi
	p.marks = append([]mark{segment{lo, lo, hi, hi, pen{grey, 1, 1, true}, true}}, p.marks...)
	return p
}
