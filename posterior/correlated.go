package posterior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Parameters are compared for the remedy of a dense metric: at most comparedColumns of an owner, those that
// mix worst, at about comparedDraws draws.
const (
	comparedColumns = 100
	comparedDraws   = 2000
	highCorrelation = 0.9
)

// diagonal returns the remedy of a dense metric where parameters of one owner, whose metric was diagonal,
// have a high correlation in the draws: the pair with the highest. It is "" where there is none, or setting
// is "".
func diagonal(d *Draws, rows []Row, owners []string, setting string) string {
	if setting == "" {
		return ""
	}
	best, text := highCorrelation, ""
	for _, owner := range owners {
		columns := d.worst(rows, owner)
		for i, a := range columns {
			for _, b := range columns[:i] {
				if slices.Equal(a.values, b.values) {
					continue // one number under two names, as Sigma[1,2] and Sigma[2,1]
				}
				if r := correlation(a.values, b.values); math.Abs(r) > best {
					best = math.Abs(r)
					text = fmt.Sprintf("%s dense: the draws of %s and %s of %s have the correlation %.2f, "+
						"and its metric was diagonal", setting, b.name, a.name, owner, r)
				}
			}
		}
	}
	return text
}

// manyLeapfrogs is a mean number of leapfrogs per draw beyond which a better metric is worth trying.
const manyLeapfrogs = 31

// Cost is a remedy for draws that can be trusted but take many leapfrogs, because the metric was diagonal for
// correlated parameters; "" where there is none.
func Cost(d *Draws, rows []Row, diagnostics *Diagnostics, a Advice) string {
	leapfrogs, n := 0, 0
	for _, chain := range d.Transitions {
		for _, t := range chain {
			leapfrogs += t.Leapfrogs
		}
		n += len(chain)
	}
	if diagnostics == nil || leapfrogs <= manyLeapfrogs*n {
		return ""
	}
	remedy := diagonal(d, rows, diagnostics.Diagonal, a.Metric)
	if remedy == "" {
		return ""
	}
	return fmt.Sprintf("a draw takes %.0f leapfrogs; fewer with %s", float64(leapfrogs)/float64(n), remedy)
}

// A series is the standardised draws of one parameter.
type series struct {
	name   string
	values []float64
}

// worst returns the parameters of an owner, generated quantities aside, with the smallest effective sample
// sizes, thinned.
func (d *Draws) worst(rows []Row, owner string) []series {
	var at []int
	for k, r := range rows {
		if r.Owner == owner && r.SD > 0 && !r.Generated {
			at = append(at, k)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(rows[i].ESSBulk, rows[j].ESSBulk) })
	at = at[:min(len(at), comparedColumns)]
	slices.Sort(at)
	every := max(1, d.Chains()*d.Len(0)/comparedDraws)
	var out []series
	for _, k := range at {
		s := series{name: rows[k].Name}
		all := pooled(d.Column(k))
		for i := 0; i < len(all); i += every {
			s.values = append(s.values, all[i])
		}
		out = append(out, s.standardised())
	}
	return out
}

// standardised has mean 0 and Σx² = 1; where that is not defined its values are NaN.
func (s series) standardised() series {
	centre, sum := mean(s.values), 0.0
	for i, v := range s.values {
		s.values[i] = v - centre
		sum += float64((v - centre) * (v - centre))
	}
	for i := range s.values {
		s.values[i] /= math.Sqrt(sum)
	}
	return s
}

// correlation is that of two standardised series.
func correlation(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
