package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// Binomial is the distribution of the number of successes in N trials with probability theta.
func Binomial() def.Dist {
	return derived(def.Dist{
		Name:    "binomial",
		Sums:    true,
		Grouped: successes(Binomial),
		Doc: `The number of successes in N independent trials with probability theta each. N is data. Where theta is inv_logit(eta), use binomial_logit(N, eta).

    log p(x) = log C(N, x) + x log(theta) + (N - x) log(1 - theta)        for x in 0..N

Source: Stan Functions Reference, "Binomial distribution".`,
		Params: []def.Param{
			{Name: "N", Doc: "number of trials", Domain: def.Naturals, Integral: true},
			{Name: "theta", Doc: "probability of a success", Domain: def.UnitInterval, LinearIn: theValue},
		},
		Mean:       "N .* theta",
		Support:    def.UpToN,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Predicted:  []def.PredictorForm{{Param: 1, Func: "inv_logit", Form: BinomialLogit}},
		Expand:     binomialExpand,
		Carrier:    binomialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawBinomial(r, theta[0], nonNegative(theta[1])+float64(0*nonNegative(1-theta[1])),
				1-theta[1])
		},
		LogCDF: below(binomialTail), LogCCDF: above(binomialTail),
		SlowTails: incompleteBeta,
		Examples: []string{"data wins : count[N]\ndata games : count[N]\nparam p ~ beta(2, " +
			"2)\nwins ~ binomial(games, p)"},
	})
}

// binomialExpand adds up successes where there are any, and failures where there are any.
func binomialExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	p := b.Apply(unit(), theta[1])
	nothing := func(def.DensityBuilder, func(def.Value) def.Value) {}
	return b.Split([]def.Value{x}, func(x []float64) bool {
		return x[0] > 0
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Sum(b.Mul(of(x), b.Func("log", of(p))), 1)
	}, nothing) && b.Split([]def.Value{x, theta[0]}, func(v []float64) bool {
		return v[0] < v[1]
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Sum(b.Mul(b.Sub(of(theta[0]), of(x)), b.Func("log1m", of(p))), 1)
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) { b.Sum(of(p), 0) })
}

func binomialTail(x float64, theta [maxParams]float64, upper bool) point {
	p := probability(theta[1])
	lp, flow := successesTail(x, theta[0], p, 1-p, upper)
	return point{lp: lp, dtheta: [maxParams]float64{0, quotient(flow, p*(1-p))}}
}

// probability returns v where 0 ≤ v ≤ 1.
func probability(v float64) float64 {
	if v <= 1 {
		return nonNegative(v)
	}
	return math.NaN()
}

// successesTail is the tail of the number of successes among n of probability p = 1 - q, and p·q times its
// derivative in p.
func successesTail(x, n, p, q float64, upper bool) (lp, flow float64) {
	k := math.Floor(x)
	switch {
	case math.IsNaN(k + natural(n) + p):
		return math.NaN(), math.NaN()
	case k < 0:
		return certainly(upper), 0
	case k >= n:
		return certainly(!upper), 0
	}
	lp, _, _, flow = betaTail(n-k, k+1, q, p, upper)
	return lp, -flow
}
