package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ZeroInflatedNegBinomial2Log is the negative binomial distribution with log mean eta and extra zeros.
func ZeroInflatedNegBinomial2Log() def.Dist {
	return derived(def.Dist{
		Name: "zero_inflated_neg_binomial_2_log",
		Doc: `The negative binomial distribution with log mean eta and inverse dispersion phi, and with probability theta a 0 instead.

    log p(x) = log(theta + (1 - theta) (1 + exp(eta)/phi)^(-phi)) where x is 0, log(1 - theta) + neg_binomial_2_log(x | eta, phi) above

Source: Greene (1994), Accounting for excess zeros and sample selection in Poisson and negative binomial regression models.`,
		Params: []def.Param{zeroParam, {Name: "eta", Doc: "log mean", Domain: def.RealLine},
			{Name: "phi", Doc: "inverse dispersion", Domain: def.Positive}},
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "(1 - theta) .* exp(eta)",
		Expand:     inflatedExpand(NegBinomial2Log(), negBinomialZero),
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return unless(r, theta[0], func() float64 {
				return drawPoisson(r, portable.Exp(theta[1])*(drawGamma(r, theta[2])/theta[2]))
			})
		},
		LogCDF:    below(zerosTail(negBinomial2LogTail, false)),
		LogCCDF:   above(zerosTail(negBinomial2LogTail, false)),
		SlowTails: incompleteBeta,
		Slow:      zerosApart,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam p ~ beta(1, 1)\nparam b ~ normal(0, " +
			"1)\nparam phi ~ gamma(2, 0.1)\ny ~ zero_inflated_neg_binomial_2_log(p, b * x, phi)"},
	})
}
