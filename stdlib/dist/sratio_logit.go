package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// SratioLogit is the distribution of an ordered category that is reached step by step.
func SratioLogit() def.Dist {
	return def.Dist{
		Name: "sratio_logit",
		Doc: `The distribution of one of the ordered categories 1, …, K that are reached one after another: at each, the sequence stops with probability inv_logit(cutpoints[k] - eta), else it goes on
to the next. The sequential model, or stopping ratios, which with this link are continuation ratios too: grades, years of schooling. The cutpoints need not increase.

    log p(x) = Σ_{k < x} log(inv_logit(eta - cutpoints[k])) + log(inv_logit(cutpoints[x] - eta)), the last term where x is below K

Source: brms, "Parameterization of Response Distributions", sratio; Tutz (1990), Sequential item response models with an ordered response, British Journal of Mathematical and Statistical Psychology 43.`,
		Params:     steppedParams(),
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "-expm1(-cumulative_sum(softplus(row(cutpoints) - outer(eta, 0 * cutpoints + 1))))",
		Link:       def.Link{Scale: def.LogitLink, Param: 0},
		Event: &def.Event{Least: 1, More: 1, InOrder: true, Density: sratioLogitDensity,
			Expand: sratioLogitExpand, Sample: sratioLogitSample},
		Slow: exponentials,
		Examples: []string{
			"data y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : real[K - 1] ~ " +
				"normal(0, 3)\ny ~ sratio_logit(b * x, c)",
		},
	}
}

// steppedParams are those of categories with cutpoints that need not increase.
func steppedParams() []def.Param {
	p := orderedParams()
	p[1].Doc, p[1].Domain = "one between each category and the next", def.RealLine
	return p
}

func sratioLogitDensity(b *def.Events) {
	eta, cuts := b.Theta[0], b.Theta[1]
	eachEvent(b, func(i int) float64 {
		x, ok := code(b, i, cuts.Len+1)
		if !ok || !finiteEvent(cuts, i) {
			return math.Inf(-1)
		}
		lp := 0.0
		for k := 0; k < cuts.Len && k <= x; k++ {
			sign := 1.0
			if k == x {
				sign = -1
			}
			t := sign * (eta.At(i, 0) - cuts.At(i, k))
			lp -= portable.Log1pExp(-t)
			if b.W != nil {
				d := sign * portable.Sigmoid(-t)
				b.Give(0, i, 0, d)
				b.Give(1, i, k, -d)
			}
		}
		return lp
	})
}

// finiteEvent reports whether all elements of an argument are numbers.
func finiteEvent(a def.EventArg, i int) bool {
	for j := range a.Len {
		if !finite(a.At(i, j)) {
			return false
		}
	}
	return true
}

// steps has the predictor less each cutpoint, a row for each value, and adds the sum of those below the
// category; false where eta is not one number for each value.
func steps(b def.DensityBuilder, x def.Value, theta []def.Value) (m def.Value, ok bool) {
	eta, cuts := theta[0], theta[1]
	if len(b.Dims(eta)) != 1 {
		return eta, false
	}
	table, at, _ := cells(b, x, cuts)
	b.Sum(b.Mul(b.Sub(x, b.Number(1)), eta), 1)
	b.Sum(b.Gather(b.Between(0, b.Call("cumulative_sum", table), 0), at), -1)
	if len(b.Dims(cuts)) == 1 {
		cuts = b.Call("row", cuts)
	}
	return b.Sub(b.Call("col", eta), cuts), true
}

// sratioLogitExpand is the same by log(inv_logit(t)) = t - softplus(t) and log(inv_logit(-t)) = -softplus(t).
func sratioLogitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	m, ok := steps(b, x, theta)
	if ok {
		last := b.Number(float64(b.Dims(m)[1]))
		b.Sum(b.Pick(b.Call("cumulative_sum", b.Func("softplus", m)), b.Call("min", x, last)), -1)
	}
	return ok
}

func sratioLogitSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	x[0] = 1
	for _, c := range theta[1] {
		on := drawBinary(r, portable.Sigmoid(theta[0][0]-c))
		if on == 0 {
			return
		}
		x[0] += on
	}
}
