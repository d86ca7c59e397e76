package posterior

import (
	"encoding/json"
	"math"
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

// A Row summarises one scalar. Quantiles are type 7; ESS and R-hat are null for independent draws.
type Row struct {
	Name    string `json:"name"`
	Label   string `json:"label,omitempty"` // the name by columns and categories, "beta[zscore(age)]"; "" where there are none
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
}

// Shown is how tables call the scalar.
func (r Row) Shown() string { return shown(r.Name, r.Label) }

// Summarise summarises the parameters, from draws of Markov chains or independent draws.
func Summarise(d *Draws) []Row {
	if d.Independent() {
		return SummariseIndependent(d)
	}
	return SummariseChains(d)
}

// SummariseChains summarises draws of Markov chains.
func SummariseChains(d *Draws) []Row {
	rows := make([]Row, d.Parameters())
	var a analysis
	for k := range rows {
		if d.columns[k].Point {
			rows[k] = pointEstimate(d.columns[k], d.Column(k)[0])
			continue
		}
		chains := d.Column(k)
		a.load(chains)
		r := describe(d.columns[k], pooled(chains), a.sorted.values)
		r.MCSE = Number(float64(r.SD) / math.Sqrt(ESSMean(chains)))
		r.ESSBulk, r.ESSTail, r.RHat = Number(a.essBulk()), Number(a.essTail()), Number(a.rhat())
		rows[k] = r
	}
	return rows
}

// SummariseIndependent summarises independent draws, as of a variational approximation: the standard error of the mean is sd/√n.
func SummariseIndependent(d *Draws) []Row {
	rows := make([]Row, d.Parameters())
	for k := range rows {
		if d.columns[k].Point {
			rows[k] = pointEstimate(d.columns[k], d.Column(k)[0])
			continue
		}
		all := pooled(d.Column(k))
		r := describe(d.columns[k], all, ascending(all))
		r.MCSE = r.SD / Number(math.Sqrt(float64(len(all))))
		r.ESSBulk, r.ESSTail, r.RHat = NotApplicable(), NotApplicable(), NotApplicable()
		rows[k] = r
	}
	return rows
}

// pointEstimate is the row of a weight, all of whose draws are its estimate.
func pointEstimate(c Column, draws []float64) Row {
	none := NotApplicable()
	r := Row{Name: c.Name, Label: c.Label, Owner: c.Owner, Mean: none, MCSE: none, SD: none, Q5: none, Q50: none, Q95: none, ESSBulk: none, ESSTail: none, RHat: none, Point: true}
	if len(draws) > 0 {
		r.Mean = Number(draws[0])
	}
	return r
}

// describe returns the moments and quantiles of draws, which are also given in ascending order.
func describe(c Column, all, sorted []float64) Row {
	return Row{
		Name: c.Name, Label: c.Label, Owner: c.Owner,
		Mean: Number(mean(all)), SD: Number(math.Sqrt(variance(all))),
		Q5: Number(Quantile(sorted, 0.05)), Q50: Number(Quantile(sorted, 0.5)), Q95: Number(Quantile(sorted, 0.95)),
	}
}
