package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ZeroInflatedPoissonLog is the Poisson distribution with log rate alpha and extra zeros.
func ZeroInflatedPoissonLog() def.Dist {
	return derived(def.Dist{
		Name: "zero_inflated_poisson_log",
		Sums: true,
		Doc: `The Poisson distribution with log rate alpha, and with probability theta a 0 instead.

    log p(x) = log(theta + (1 - theta) exp(-exp(alpha))) where x is 0, log(1 - theta) + poisson_log(x | alpha) above

Source: Lambert (1992), Zero-inflated Poisson regression, Technometrics 34.`,
		Params:     []def.Param{zeroParam, {Name: "alpha", Doc: "log rate", Domain: def.RealLine}},
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "(1 - theta) .* exp(alpha)",
		Expand:     inflatedExpand(PoissonLog(), poissonZero),
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return unless(r, theta[0], func() float64 { return drawPoisson(r, portable.Exp(theta[1])) })
		},
		LogCDF: below(zerosTail(poissonLogTail, false)), LogCCDF: above(zerosTail(poissonLogTail, false)),
		SlowTails: incompleteGamma,
		Slow:      zerosApart,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam p ~ beta(1, 1)\nparam b ~ normal(0, " +
			"1)\ny ~ zero_inflated_poisson_log(p, b * x)"},
	})
}
