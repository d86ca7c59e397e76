package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// BetaProportion is the beta distribution with mean mu and precision kappa.
func BetaProportion() def.Dist {
	return derived(def.Dist{
		Name:    "beta_proportion",
		Sums:    true,
		Grouped: betaProportionGroups(),
		Doc: `The beta distribution with mean mu and precision kappa: beta(mu kappa, (1 - mu) kappa), for beta regression with mu = inv_logit(eta).

    log p(x) = lgamma(kappa) - lgamma(mu kappa) - lgamma((1 - mu) kappa) + (mu kappa - 1) log(x) + ((1 - mu) kappa - 1) log(1 - x)        for 0 < x < 1

Source: Stan Functions Reference, "Beta proportion distribution".`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean", Domain: def.UnitInterval, LinearIn: itsLogit},
			{Name: "kappa", Doc: "precision", Domain: def.Positive},
		},
		Mean:       "mu",
		Support:    def.UnitInterval,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower: def.End{Exponent: &def.Exponent{Param: 0, Of: func(theta []float64) float64 {
			return float64(theta[0]*theta[1]) - 1
		}}},
		Upper: def.End{Exponent: &def.Exponent{Param: 0, Of: func(theta []float64) float64 {
			return float64((1-theta[0])*theta[1]) - 1
		}}},
		Expand: betaProportionExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			mu, kappa := theta[0], positive(theta[1])
			return drawBeta(r, positive(mu)*kappa, positive(1-mu)*kappa)
		},
		LogCDF: below(betaProportionTail), LogCCDF: above(betaProportionTail),
		SlowTails: incompleteBeta,
		Slow: "two log gamma functions and their derivatives in each row, and the " +
			"product that each is of",
		Examples: []string{"data share : real<lower=0, upper=1>[N]\nparam m ~ normal(0, 1)\nparam kappa ~ " +
			"gamma(2, 0.1)\nshare ~ beta_proportion(inv_logit(m), kappa)"},
	})
}

func betaProportionExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	one := b.Number(1)
	p := b.Mul(theta[0], theta[1])
	q := b.Mul(b.Sub(one, theta[0]), theta[1])
	b.Sum(b.Mul(b.Sub(p, one), b.Func("log", x)), 1)
	b.Sum(b.Mul(b.Sub(q, one), b.Func("log1m", x)), 1)
	b.Sum(b.Func("lgamma", theta[1]), 1)
	b.Sum(b.Func("lgamma", p), -1)
	b.Sum(b.Func("lgamma", q), -1)
	return true
}

func betaProportionTail(x float64, theta [maxParams]float64, upper bool) point {
	mu, kappa := theta[0], theta[1]
	lp, da, db, flow := betaTail(mu*kappa, (1-mu)*kappa, x, 1-x, upper)
	return point{lp: lp, dx: quotient(flow, x*(1-x)), dtheta: [maxParams]float64{kappa * (da - db),
		float64(mu*da) + float64((1-mu)*db)}}
}
