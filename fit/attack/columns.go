package attack

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/posterior"
)

// A Covariate is a column of a client's data that its cut depends on, at the elements that are followed; or
// which rows have a category of a factor.
type Covariate struct {
	Name   string
	Factor string // of which it is a category; "" for other columns
	Values []float64
}

// ColumnRecovery compares the columns of two values that are found in the span of a cut with those that there
// are.
type ColumnRecovery struct {
	All       int      `json:"all"` // columns, with one for each category of a factor
	TwoValued int      `json:"two_valued"`
	Found     []string `json:"found"`
	// what was taken for columns of two values: true ones, and others such as unions of categories
	Claimed int              `json:"claimed"`
	Factors []FactorRecovery `json:"factors"`
}

// A FactorRecovery compares the categories of a factor with those whose rows are found.
type FactorRecovery struct {
	Name string `json:"name"`
	Groups
}

// same is the correlation from which on a column is the one that is sought.
const same = 0.999

// columns looks for columns of two values in a span over some elements; nil where that is not known, or the
// cut depends on no columns.
func (e *evidence) columns(basis [][]float64, elements []int) *ColumnRecovery {
	if len(basis) == 0 || len(e.data) == 0 || len(elements) < fewestRows*len(basis) {
		return nil
	}
	claims := twoValued(basis)
	out := &ColumnRecovery{All: len(e.data), Claimed: len(claims), Found: []string{},
		Factors: []FactorRecovery{}}
	factors := map[string]*partition{}
	for _, c := range e.data {
		values := pick(c.Values, elements)
		if slices.Min(values) == slices.Max(values) ||
			len(slices.Compact(slices.Sorted(slices.Values(values)))) > 2 {
			continue
		}
		out.TwoValued++
		found := slices.ContainsFunc(claims, func(rare []bool) bool { return divides(rare, values) })
		if found {
			out.Found = append(out.Found, c.Name)
		}
		if c.Factor == "" {
			continue
		}
		p := factors[c.Factor]
		if p == nil {
			p = &partition{truth: make([]int, len(elements)), found: make([]int, len(elements))}
			factors[c.Factor], out.Factors = p, append(out.Factors, FactorRecovery{Name: c.Factor})
		}
		p.add(values, found)
	}
	for k := range out.Factors {
		out.Factors[k].Groups = factors[out.Factors[k].Name].groups()
	}
	return out
}

// A partition is the rows by the category that they have, and by those that are found: all rows of others are
// one part.
type partition struct {
	truth, found []int
	there, known int
}

func (p *partition) add(values []float64, found bool) {
	p.there++
	if found {
		p.known++
	}
	for i, v := range values {
		if v != 0 {
			if p.truth[i] = p.there; found {
				p.found[i] = p.there
			}
		}
	}
}

func (p *partition) groups() Groups {
	return Groups{True: p.there, Found: p.known, Rand: posterior.Number(adjustedRand(p.truth, p.found))}
}

// divides reports whether some rows are those with one of the values of a column.
func divides(rows []bool, values []float64) bool {
	is := make([]float64, len(rows))
	for i, r := range rows {
		if r {
			is[i] = 1
		}
	}
	r := stat.Correlation(is, values, nil)
	return r >= same || r <= -same
}
