package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// ZeroOneInflatedBeta is the beta distribution with probabilities of exactly 0 and of exactly 1.
func ZeroOneInflatedBeta() def.Dist {
	return derived(def.Dist{
		Name: "zero_one_inflated_beta",
		Doc: `Shares of which some are exactly 0 or 1: with probability zoi one of these, a 1 with probability coi among them, else beta_proportion(mu, phi). It is for data; a parameter is
never exactly 0.

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
		NoCDF: "0 and 1 have probabilities of their own, which truncate and censor do not tell from densities",
		Slow: "two log gamma functions and their derivatives in each row, and rows that are 0 or 1 are divided " +
			"from the others",
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
