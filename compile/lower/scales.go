package lower

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// The bounds of the effects that a prior allows, as multiples of the response's scale. Below the first the
// prior removes the effect; above the second sfvi does not find the posterior, whose own effects are of about
// 1.
const (
	leastEffect = 1e-2
	mostEffect  = 1e3
	mostNamed   = 3 // columns
)

// priorScale is the scale of a parameter's prior, 0 where it has none or one that is no constant.
func priorScale(p *check.Program, s *check.Symbol) float64 {
	if s.Dist == nil || s.Dist.ScaleAt < 0 || s.Dist.ScaleAt >= len(s.Args) {
		return 0
	}
	arg := s.Args[s.Dist.ScaleAt]
	if arg == nil {
		return s.Dist.Params[s.Dist.ScaleAt].Default
	}
	scale, _ := p.ConstValue(arg)
	return scale
}

// responseScale is the scale on which a linear predictor changes a response: 1 where that is a logarithm, log
// odds or the like, 0 where it is not known.
func responseScale(link def.LinkScale, y []float64) float64 {
	switch {
	case link != def.IdentityLink:
		return 1
	case len(y) == 0 || unvarying(y):
		return 0
	}
	return deviation(y)
}

// unscaled warns of columns beside which a prior says what it was not written to say: that there is no
// effect, or next to nothing about it.
func unscaled(columns []covariate, response float64, report func(diag.Code, *check.Symbol, string,
	...any) *diag.Diagnostic) {
	var vague, narrow []covariate
	for _, c := range columns {
		switch {
		case response == 0 || c.scale == 0 || c.declared == nil || unvarying(c.values):
		case c.scale*deviation(c.values) > mostEffect*response:
			vague = append(vague, c)
		case c.scale*farthest(c.values) < leastEffect*response:
			narrow = append(narrow, c)
		}
	}
	say := func(found []covariate, means string) {
		if len(found) == 0 {
			return
		}
		first, spread := found[0], deviation(found[0].values)
		report(diag.UnscaledColumn, first.declared,
			"%s: a prior of scale %.2g for the coefficient of a column whose standard deviation is %.2g "+
				"allows effects of %.2g times the response's scale, %s",
			named(found), first.scale, spread, first.scale*spread/response, means).
			Note("standardise (`from zscore(…)` in the declaration), or give the coefficient a "+
				"prior of a scale near %.1g", response/spread)
	}
	say(vague, "almost any: sfvi may not find the posterior, and a default transform has too "+
		"little noise for such a cut")
	say(narrow, "almost none: the prior removes the effect, whatever the data say")
}

// Widest names the column of which a multiple makes most of an expression, by its standard deviation and its
// coefficient's prior; "" where the expression adds no columns.
func Widest(p *check.Program, values map[string]data.Bindings, e ast.Expr) (name string, spread float64) {
	most := 0.0
	for _, c := range addends(p, values, e, nil) {
		d := deviation(c.values)
		if scale := cmp.Or(c.scale, 1); scale*d > most {
			name, spread, most = c.name, d, scale*d
		}
	}
	return name, spread
}

// named lists the first few columns.
func named(columns []covariate) string {
	var names []string
	for _, c := range columns[:min(len(columns), mostNamed)] {
		names = append(names, c.name)
	}
	if more := len(columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// farthest is the largest distance from the mean: of a rare 0/1 column it is about 1, and the standard
// deviation far less.
func farthest(values []float64) float64 {
	mean, most := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		most = max(most, math.Abs(v-mean))
	}
	return most
}
