package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// HurdlePoissonLog is a 0 with probability theta, else a Poisson count above 0.
func HurdlePoissonLog() def.Dist {
	return derived(def.Dist{
		Name: "hurdle_poisson_log",
		Sums: true,
		Doc: `A 0 with probability theta, else a Poisson count with log rate alpha given that it is above 0.

    log p(x) = log(theta) where x is 0, log(1 - theta) + poisson_log(x | alpha) - log(1 - exp(-exp(alpha))) above

Source: Mullahy (1986), Specification and testing of some modified count data models, Journal of Econometrics 33.`,
		Params:     []def.Param{zeroParam, {Name: "alpha", Doc: "log rate", Domain: def.RealLine}},
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "(1 - theta) .* exp(alpha) ./ -expm1(-exp(alpha))",
		Expand:     hurdleExpand(PoissonLog(), poissonZero),
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return unless(r, theta[0], func() float64 { return positivePoisson(r, portable.Exp(theta[1])) })
		},
		LogCDF: below(zerosTail(poissonLogTail, true)), LogCCDF: above(zerosTail(poissonLogTail, true)),
		SlowTails: incompleteGamma,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam p ~ beta(1, 1)\nparam b ~ normal(0, " +
			"1)\ny ~ hurdle_poisson_log(p, b * x)"},
	})
}
