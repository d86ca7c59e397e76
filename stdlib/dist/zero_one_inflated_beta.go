package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ZeroOneInflatedBeta is the beta distribution with probabilities of exactly 0 and of exactly 1.
func ZeroOneInflatedBeta() def.Dist {
	return derived(def.Dist{
		Name: "zero_one_inflated_beta",
		Doc: `Shares of which some are exactly 0 or 1: with probability zoi one of these, a 1 with probability coi among them, else beta_proportion(mu, phi). It is for data; a parameter is
never exactly 0. The ends of truncate and censor belong to what lies between: truncate(lower=0) keeps the zeros, and a value of 1 that is censored on the right counts with the probability of a 1.

    log p(x) = log(zoi) + log(1 - coi) where x is 0, log(zoi) + log(coi) where x is 1, log(1 - zoi) + beta_proportion(x | mu, phi) between

Source: brms, "Parameterization of Response Distributions"; Ospina and Ferrari (2010), Inflated beta distributions, Statistical Papers 51.`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean of the values between 0 and 1", Domain: def.UnitInterval},
			{Name: "phi", Doc: "precision of the values between 0 and 1", Domain: def.Positive},
			{Name: "zoi", Doc: "probability of a 0 or 1", Domain: def.UnitInterval},
			{Name: "coi", Doc: "probability of a 1 where it is a 0 or 1", Domain: def.UnitInterval},
		},
		Mean:       "zoi .* coi + (1 - zoi) .* mu",
		Support:    def.UnitInterval,
		Atoms:      []float64{0, 1},
		LocationAt: -1,
		ScaleAt:    -1,
		Expand:     zeroOneInflatedBetaExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			mu, phi := theta[0], positive(theta[1])
			x := drawBeta(r, positive(mu)*phi, positive(1-mu)*phi)
			end := drawBinary(r, probability(theta[2]))
			which := drawBinary(r, probability(theta[3]))
			if end == 1 {
				return which + float64(0*x)
			}
			return x + float64(0*(end+which))
		},
		LogCDF: below(zeroOneInflatedBetaTail), LogCCDF: above(zeroOneInflatedBetaTail),
		Slow: "two log gamma functions and their derivatives in each row, and rows that are 0 or 1 are divided " +
			"from the others",
		SlowTails: incompleteBeta,
		Examples: []string{"data share : real<lower=0, upper=1>[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\n" +
			"param phi ~ gamma(2, 0.1)\nparam zoi ~ beta(1, 1)\nparam coi ~ beta(1, 1)\nshare ~ " +
			"zero_one_inflated_beta(inv_logit(b * x), phi, zoi, coi)"},
	})
}

func zeroOneInflatedBetaExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	mu, phi := b.Apply(unit(), theta[0]), b.Apply(above0(), theta[1])
	zoi, coi := b.Apply(unit(), theta[2]), b.Apply(unit(), theta[3])
	split := b.Split([]def.Value{x}, func(x []float64) bool {
		return x[0] == 0 || x[0] == 1
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Sum(b.Func("log", of(zoi)), 1)
		b.Density(Bernoulli(), of(x), of(coi))
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Sum(b.Func("log1m", of(zoi)), 1)
		b.Density(BetaProportion(), of(x), of(mu), of(phi))
	})
	if split {
		for _, v := range []def.Value{mu, phi, coi} { // NaN outside their domains, whatever the rows are
			b.Sum(v, 0)
		}
	}
	return split
}

const justBelow1 = 1 - 0x1p-53

// zeroOneInflatedBetaTail is the probability of the end at 0, or at 1, and of what the beta distribution has
// on the same side of x: the smaller of the two tails is computed, and the other as its complement.
func zeroOneInflatedBetaTail(x float64, theta [maxParams]float64, upper bool) point {
	zoi, coi := probability(theta[2]), probability(theta[3])
	between := [maxParams]float64{probability(theta[0]), theta[1]}
	lower, above := betaProportionTail(0.5, between, false), point{} // at 0, if the parameters are allowed
	switch valid := lower.lp + zoi + coi + x; {
	case math.IsNaN(valid):
		return invalid()
	case x < 0:
		return below0(upper)
	case x >= 1:
		return above1(upper)
	case x == 0:
		lower = point{lp: math.Inf(-1)}
	case x == justBelow1: // what truncate and censor count as outside where the 1 is inside
		lower, above = above, point{lp: math.Inf(-1)}
	default:
		lower, above = betaProportionTail(x, between, false), betaProportionTail(x, between, true)
	}
	lower, above = withEnd(lower, zoi, 1-coi, -1), withEnd(above, zoi, coi, 1)
	if upper {
		lower, above = above, lower
	}
	if lower.lp > -math.Ln2 {
		return above.complement()
	}
	return lower
}

// withEnd is the log of zoi·share + (1 - zoi)·exp(p.lp), where share rises with coi by slope.
func withEnd(p point, zoi, share, slope float64) point {
	end, rest := portable.Log(zoi)+portable.Log(share), portable.Log1p(-zoi)+p.lp
	lp := portable.LogSumExp([]float64{end, rest})
	if math.IsInf(lp, -1) {
		return point{lp: lp}
	}
	weight := portable.Exp(rest - lp)
	return point{lp: lp, dx: times(weight, p.dx), dtheta: [maxParams]float64{times(weight, p.dtheta[0]),
		times(weight, p.dtheta[1]), portable.Exp(portable.Log(share)-lp) - portable.Exp(p.lp-lp),
		slope * portable.Exp(portable.Log(zoi)-lp)}}
}
