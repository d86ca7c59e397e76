package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// OrderedLogistic is the distribution of an ordered category by cutpoints on the logistic scale.
func OrderedLogistic() def.Dist {
	return def.Dist{
		Name: "ordered_logistic",
		Doc: `The distribution of one of the ordered categories 1, …, K by K - 1 cutpoints: that of the interval between cutpoints in which a logistic variable around eta lies.
The proportional odds model.

    log p(x) = log(inv_logit(eta - cutpoints[x-1]) - inv_logit(eta - cutpoints[x])), where cutpoints[0] = -∞ and cutpoints[K] = ∞

Source: Stan Functions Reference, "Ordered logistic distribution"; McCullagh (1980), Regression models for ordinal data, JRSS B 42.`,
		Params:     orderedParams(),
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "inv_logit(row(cutpoints) - outer(eta, 0 * cutpoints + 1))",
		Link:       def.Link{Scale: def.LogitLink, Param: 0, Steepest: 1},
		Event: &def.Event{Least: 1, More: 1, InOrder: true, Density: func(b *def.Events) {
			orderedDensity(b, logisticBetween)
		}, Expand: orderedLogisticExpand, Sample: orderedLogisticSample},
		Slow: "log(1 + exp) at both ends of the category in each row, of gathered cutpoints, whose " +
			"derivatives are added up by category",
		Examples: []string{
			"data y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : ordered[K - 1] ~ " +
				"normal(0, 3)\ny ~ ordered_logistic(b * x, c)",
		},
	}
}

func orderedParams() []def.Param {
	return []def.Param{
		{Name: "eta", Doc: "location", Domain: def.RealLine, Differences: "the cutpoints can move with it"},
		{Name: "cutpoints", Doc: "the ends of the intervals of the categories", Domain: def.Ordered, Rank: 1},
	}
}

// orderedDensity is that of a category, given log P(lower < e ≤ upper) with its slopes for e of the standard
// distribution of the latent variable.
func orderedDensity(b *def.Events, between func(lower, upper float64) (lp, dLower, dUpper float64)) {
	eta, cuts := b.Theta[0], b.Theta[1]
	good := cuts.Step > 0 || ordered(cuts, 0)
	eachEvent(b, func(i int) float64 {
		x, ok := code(b, i, cuts.Len+1)
		if !ok || !good || cuts.Step > 0 && !ordered(cuts, i) {
			return math.Inf(-1)
		}
		at, lower, upper := eta.At(i, 0), math.Inf(-1), math.Inf(1)
		if x > 0 {
			lower = cuts.At(i, x-1) - at
		}
		if x < cuts.Len {
			upper = cuts.At(i, x) - at
		}
		lp, dLower, dUpper := between(lower, upper)
		if b.W != nil {
			b.Give(0, i, 0, -dLower-dUpper)
			if x > 0 {
				b.Give(1, i, x-1, dLower)
			}
			if x < cuts.Len {
				b.Give(1, i, x, dUpper)
			}
		}
		return lp
	})
}

func ordered(a def.EventArg, i int) bool {
	for j := range a.Len {
		if math.IsNaN(a.At(i, j)) || j > 0 && !(a.At(i, j) > a.At(i, j-1)) {
			return false
		}
	}
	return true
}

// logisticBetween is log(F(upper) - F(lower)) for the logistic F, as log F(upper) + log(1 - F(lower)) + log(1
// - exp(lower - upper)).
func logisticBetween(lower, upper float64) (lp, dLower, dUpper float64) {
	inside := 0.0 // the slope of the last term by upper
	lp = -portable.Log1pExp(lower) - portable.Log1pExp(-upper)
	if d := lower - upper; !math.IsInf(d, -1) {
		lp += portable.Log1mExp(d)
		inside = 1 / portable.Expm1(-d)
	}
	return lp, -portable.Sigmoid(lower) - inside, portable.Sigmoid(-upper) + inside
}

// orderedLogisticExpand is the same by vectors. The last term depends on the category and the cutpoints only,
// and is NaN where cutpoints do not rise: it is looked up where those are fewer than the values.
func orderedLogisticExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	eta := theta[0]
	table, at, rows := cells(b, x, theta[1])
	all := b.Between(math.Inf(-1), table, math.Inf(1))
	lower, upper := b.Gather(all, at), b.Gather(all, b.Add(at, b.Number(float64(rows))))
	b.Density(BernoulliLogit(), b.Fill(1), b.Sub(eta, lower))
	b.Density(BernoulliLogit(), b.Fill(0), b.Sub(eta, upper))
	below, above := b.Head(all, rows), b.Tail(all, rows)
	b.Least(above, below)
	if b.Dims(below)[0] > b.Dims(x)[0] {
		b.Sum(b.Func("log1m_exp", b.Sub(lower, upper)), 1)
	} else if b.Dims(all)[0] > 3*rows {
		b.Sum(b.Gather(b.Func("log1m_exp", b.Sub(below, above)), at), 1)
	}
	return true
}

// cells is the table that cutpoints are looked up in, its number of rows, and for each value the place of the
// lower end of its category in the table with a column before: Between joins the columns to one vector.
func cells(b def.DensityBuilder, x, cuts def.Value) (table, at def.Value, rows int) {
	table, row := b.Rows(cuts)
	dims := b.Dims(table)
	if len(dims) == 1 {
		return table, x, 1
	}
	return table, b.Add(row, b.Mul(b.Number(float64(dims[0])), b.Sub(x, b.Number(1)))), dims[0]
}

func orderedLogisticSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	u := r.Float64()
	x[0] = interval(theta[0][0]+portable.Log(u)-portable.Log1p(-u), theta[1])
}

// interval is the category of a latent value; NaN for NaN.
func interval(v float64, cuts []float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	k := 0
	for k < len(cuts) && v > cuts[k] {
		k++
	}
	return float64(k + 1)
}
