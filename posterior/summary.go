package posterior

import (
	"cmp"
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A Number is a float64 that is null in JSON if it is not finite: the quantity does not apply.
type Number float64

// MarshalJSON returns the shortest decimal that reads back as the same number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = NotApplicable()
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// NotApplicable is the Number for a quantity that does not apply: NaN.
func NotApplicable() Number { return Number(math.NaN()) }

// A SummaryRow summarises one scalar. Quantiles are type 7; ESS and R-hat are null for independent draws.
type SummaryRow struct {
	Name string `json:"name"`
	// the name by columns and categories, "beta[zscore(age)]"; "" where there are none
	Label   string `json:"label,omitempty"`
	Owner   string `json:"owner"`
	Mean    Number `json:"mean"`
	MCSE    Number `json:"mcse"` // of the mean
	SD      Number `json:"sd"`
	Q5      Number `json:"q5"`
	Q50     Number `json:"q50"`
	Q95     Number `json:"q95"`
	ESSBulk Number `json:"ess_bulk"`
	ESSTail Number `json:"ess_tail"`
	RHat    Number `json:"rhat"`
	// Point marks a point estimate, which is in Mean: it has no spread, and the other numbers are null.
	Point bool `json:"point_estimate,omitempty"`
	// Generated marks a generated quantity.
	Generated bool `json:"generated,omitempty"`
}

// Shown is how tables call the scalar.
func (r SummaryRow) Shown() string { return shown(r.Name, r.Label) }

// Summarise summarises the parameters, from draws of Markov chains or independent draws.
func Summarise(d *Draws) []SummaryRow {
	if d.Independent() {
		return SummariseIndependent(d)
	}
	return SummariseChains(d)
}

// SummariseChains summarises draws of Markov chains.
func SummariseChains(d *Draws) []SummaryRow {
	rows := make([]SummaryRow, d.Parameters())
	share(len(rows), func() func(k int) {
		a := analysis{nested: d.Superchains}
		return func(k int) {
			if d.columns[k].Point {
				rows[k] = pointEstimate(d.columns[k], d.Column(k)[0])
				return
			}
			chains := d.Column(k)
			a.load(chains)
			r := describe(d.columns[k], a.all, a.sorted.values)
			r.MCSE = Number(float64(r.SD) / math.Sqrt(a.ess(chains)))
			r.ESSBulk, r.ESSTail, r.RHat = Number(a.essBulk()), Number(a.essTail()), Number(a.rhat())
			rows[k] = r
		}
	})
	return rows
}

// share calls a function for each number below n, on all processors. Each of them has a worker with memory of
// its own; which calls it makes changes no result.
func share(n int, worker func() func(k int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			run := worker()
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				run(k)
			}
		})
	}
	wait.Wait()
}

// SummariseIndependent summarises independent draws, as of a variational approximation: the standard error of
// the mean is sd/√n.
func SummariseIndependent(d *Draws) []SummaryRow {
	rows := make([]SummaryRow, d.Parameters())
	share(len(rows), func() func(k int) {
		var s sorter
		var o order
		return func(k int) {
			if d.columns[k].Point {
				rows[k] = pointEstimate(d.columns[k], d.Column(k)[0])
				return
			}
			all := pooled(d.Column(k))
			s.into(&o, all)
			r := describe(d.columns[k], all, o.values)
			r.MCSE = r.SD / Number(math.Sqrt(float64(len(all))))
			r.ESSBulk, r.ESSTail, r.RHat = NotApplicable(), NotApplicable(), NotApplicable()
			rows[k] = r
		}
	})
	return rows
}

// SummariseWeighted summarises independent draws with weights that sum to 1. Effective draws are as many
// without weights as would give as exact a mean (bulk), and as exact a probability of being below the 5 % or
// the 95 % quantile, whichever are fewer (tail).
func SummariseWeighted(d *Draws, weights []float64) []SummaryRow {
	squares := 0.0
	for _, w := range weights {
		squares += float64(w * w)
	}
	rows := make([]SummaryRow, d.Parameters())
	for k := range rows {
		all := pooled(d.Column(k))
		m, v := 0.0, 0.0
		for i, x := range all {
			m += float64(weights[i] * x)
		}
		for i, x := range all {
			v += float64(weights[i] * (x - m) * (x - m))
		}
		error := 0.0 // variance of the mean
		for i, x := range all {
			error += float64(weights[i] * weights[i] * (x - m) * (x - m))
		}
		if squares < 1 {
			v /= 1 - squares
			error /= 1 - squares
		}
		if slices.Min(all) == slices.Max(all) { // else rounding would be its spread
			m, v, error = all[0], 0, 0
		}
		c := d.columns[k]
		q := weightedQuantiles(all, weights, 0.05, 0.5, 0.95)
		rows[k] = SummaryRow{
			Name: c.Name, Label: c.Label, Owner: c.Owner, Generated: c.Generated, Mean: Number(m),
			SD: Number(math.Sqrt(v)), MCSE: Number(math.Sqrt(error)),
			Q5: Number(q[0]), Q50: Number(q[1]), Q95: Number(q[2]), ESSBulk: Number(v / error),
			ESSTail: Number(min(essBelow(all, weights, q[0]), essBelow(all, weights, q[2]))),
			RHat:    NotApplicable(),
		}
	}
	return rows
}

// essBelow is how many draws without weights would give as exact a probability of being at most a bound, or
// below it where that is the greatest of all.
func essBelow(all, weights []float64, bound float64) float64 {
	p, square := 0.0, 0.0
	if bound == slices.Max(all) {
		bound = math.Nextafter(bound, math.Inf(-1))
	}
	for i, x := range all {
		if x <= bound {
			p += weights[i]
		}
	}
	for i, x := range all {
		off := -p
		if x <= bound {
			off++
		}
		square += float64(weights[i] * weights[i] * off * off)
	}
	return p * (1 - p) / square
}

// weightedQuantiles interpolates between the draws in ascending order, each at the middle of its share of the
// weights.
func weightedQuantiles(all, weights []float64, at ...float64) []float64 {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
	out := make([]float64, len(at))
	for k, p := range at {
		below, before, value := 0.0, math.Inf(-1), all[order[0]]
		for _, i := range order {
			middle := below + float64(weights[i]/2)
			if middle >= p {
				if !math.IsInf(before, -1) {
					value += (all[i] - value) * (p - before) / (middle - before)
				}
				break
			}
			below, before, value = below+weights[i], middle, all[i]
		}
		out[k] = value
	}
	return out
}

// pointEstimate is the row of a weight, all of whose draws are its estimate.
func pointEstimate(c Scalar, draws []float64) SummaryRow {
	none := NotApplicable()
	r := SummaryRow{Name: c.Name, Label: c.Label, Owner: c.Owner, Generated: c.Generated, Mean: none,
		MCSE: none,
		SD:   none, Q5: none, Q50: none, Q95: none, ESSBulk: none, ESSTail: none, RHat: none, Point: true}
	if len(draws) > 0 {
		r.Mean = Number(draws[0])
	}
	return r
}

// describe returns the moments and quantiles of draws, which are also given in ascending order.
func describe(c Scalar, all, sorted []float64) SummaryRow {
	return SummaryRow{
		Name: c.Name, Label: c.Label, Owner: c.Owner, Generated: c.Generated,
		Mean: Number(mean(all)), SD: Number(math.Sqrt(variance(all))),
		Q5: Number(Quantile(sorted, 0.05)), Q50: Number(Quantile(sorted, 0.5)),
		Q95: Number(Quantile(sorted, 0.95)),
	}
}
