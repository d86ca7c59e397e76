package lower

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// leastCondition is the condition number of standardised columns from which on they are called collinear,
// that of Belsley, Kuh and Welsch, Regression Diagnostics (1980), section 3.2; loadingShare is the part of
// the largest loading that a column has at least which is named.
const (
	leastCondition = 30.0
	loadingShare   = 0.3
)

// Collinear warns of columns of linear predictors that are nearly combinations of others, by the condition
// number of the columns less their means, of length 1. Exact combinations are for Variation.
func Collinear(p *check.Program, values map[string]data.Bindings) (diags diag.List) {
	for _, k := range p.Likelihoods {
		if k.Dist.Link.Scale == def.NoLink || k.Args[k.Dist.Link.Param] == nil {
			continue
		}
		columns := addends(p, values, k.Args[k.Dist.Link.Param], nil)
		columns = slices.DeleteFunc(columns, func(c covariate) bool {
			return c.declared == nil || unvarying(c.values)
		})
		uneven := func(c covariate) bool { return len(c.values) != len(columns[0].values) }
		if len(columns) < 2 || len(columns) > mostCompared || slices.ContainsFunc(columns, uneven) {
			continue
		}
		condition, loadings := conditionOf(columns)
		if !(condition > leastCondition) {
			continue
		}
		var names []string
		for i, c := range columns {
			if math.Abs(loadings[i]) > loadingShare {
				names = append(names, c.name)
			}
		}
		diags.Warnf(diag.Collinear, p.File.Source, columns[0].declared.Ident.Span(),
			"%s are nearly collinear (condition number %.0f of the standardised columns): the data say much less of "+
				"their coefficients one by one than of a combination", strings.Join(names, ", "), condition).
			Note("leave one out, or put their mean and a difference in their place; priors decide the rest")
	}
	return diags
}

// conditionOf is the ratio of the largest singular value of standardised columns to the smallest, and how
// much each column has in the direction of that, of the largest share; 0 where they are dependent.
func conditionOf(columns []covariate) (condition float64, loadings []float64) {
	n := len(columns)
	all := make([][]float64, n)
	for k, c := range columns {
		mean, square := 0.0, 0.0
		for _, v := range c.values {
			mean += v / float64(len(c.values))
		}
		for _, v := range c.values {
			all[k] = append(all[k], v-mean)
			square += float64((v - mean) * (v - mean))
		}
		for i := range all[k] {
			all[k][i] /= math.Sqrt(square)
		}
	}
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for r, v := range all[i] {
				sum += float64(v * all[j][r])
			}
			gram.SetSym(i, j, sum)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return 0, nil
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	sizes := e.Values(nil)
	if !(sizes[0] > 1e-12*sizes[n-1]) {
		return 0, nil
	}
	loadings = mat.Col(nil, 0, &vectors)
	most := 0.0
	for _, v := range loadings {
		most = max(most, math.Abs(v))
	}
	for i := range loadings {
		loadings[i] /= most
	}
	return math.Sqrt(sizes[n-1] / sizes[0]), loadings
}
