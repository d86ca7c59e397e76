package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// HurdleNegBinomial2Log is a 0 with probability theta, else a negative binomial count above 0.
func HurdleNegBinomial2Log() def.Dist {
	return derived(def.Dist{
		Name: "hurdle_neg_binomial_2_log",
		Doc: `A 0 with probability theta, else a negative binomial count with log mean eta and inverse dispersion phi given that it is above 0.

    log p(x) = log(theta) where x is 0, log(1 - theta) + neg_binomial_2_log(x | eta, phi) - log(1 - (1 + exp(eta)/phi)^(-phi)) above

Source: Mullahy (1986), Specification and testing of some modified count data models, Journal of Econometrics 33.`,
		Params: []def.Param{zeroParam, {Name: "eta", Doc: "log mean", Domain: def.RealLine},
			{Name: "phi", Doc: "inverse dispersion", Domain: def.Positive}},
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "(1 - theta) .* exp(eta) ./ -expm1(-phi .* log1p(exp(eta) ./ phi))",
		Expand:     hurdleExpand(NegBinomial2Log(), negBinomialZero),
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return unless(r, theta[0], func() float64 { return positiveNegBinomial(r, theta[1], theta[2]) })
		},
		LogCDF:    below(zerosTail(negBinomial2LogTail, true)),
		LogCCDF:   above(zerosTail(negBinomial2LogTail, true)),
		SlowTails: incompleteBeta,
		Slow:      zerosApart,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam p ~ beta(1, 1)\nparam b ~ normal(0, " +
			"1)\nparam phi ~ gamma(2, 0.1)\ny ~ hurdle_neg_binomial_2_log(p, b * x, phi)"},
	})
}
