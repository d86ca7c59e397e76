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
		Slow: zerosApart,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam p ~ beta(1, 1)\nparam b ~ normal(0, " +
			"1)\ny ~ zero_inflated_poisson_log(p, b * x)"},
		Cases: []def.Case{
			{X: 0, Theta: []float64{0.3, 1}, LogP: -1.0607628274866525},
			{X: 3, Theta: []float64{0.3, 1}, LogP: -1.8667162416258325},
			{X: 0, Theta: []float64{0, 2}, LogP: -7.38905609893065},
			{X: 0, Theta: []float64{1e-10, 5}, LogP: -23.025850929940457},
			{X: 40, Theta: []float64{0.9, 3.5}, LogP: -5.7386767664437555},
			{X: 0, Theta: []float64{1, 2}, LogP: 0},
		},
	})
}
